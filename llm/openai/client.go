// Package openai talks OpenAI's chat completions, as most servers of language
// models do: OpenAI, llama.cpp, vLLM, Ollama, LM Studio, OpenRouter, LiteLLM,
// Gemini's compatible mode. Servers take different subsets of the parameters;
// the client finds out which and remembers. It must not know roles or prompts,
// nor wait and try again: that is chat.Caller's.
package openai

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/llm/wire"
)

// PublicURL is the address where none is given.
const PublicURL = "https://api.openai.com/v1"

// Config says which model of which server. Only Model is needed for chats.
type Config struct {
	BaseURL string // up to and including /v1, which is added where there is no path
	Key     string
	Model   string
	Schema  string       // research.SchemaFull, SchemaObject or SchemaNone; empty: the first that is taken
	HTTP    *http.Client // nil: wire.NewHTTP
	Now     func() time.Time
}

// Client talks to one model. It is safe for concurrent use.
type Client struct {
	cfg  Config
	http *http.Client
	api  openai.Client

	mu   sync.Mutex
	able abilities
}

// New makes a Client. Nothing of the environment is read: a key for one server
// must not reach another.
func New(c Config) *Client {
	c.BaseURL = base(c.BaseURL)
	if c.Now == nil {
		c.Now = time.Now
	}
	client := &Client{cfg: c, http: wire.Guarded(c.HTTP, c.Key), able: expected(c)}
	options := []option.RequestOption{
		option.WithBaseURL(c.BaseURL), option.WithHTTPClient(client.http), option.WithMaxRetries(0),
	}
	if c.Key != "" {
		options = append(options, option.WithAPIKey(c.Key))
	}
	client.api = openai.Client{Options: options}
	return client
}

func base(address string) string {
	address = wire.Base(address, PublicURL)
	if u, err := url.Parse(address); err == nil && strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1"
		return u.String()
	}
	return address
}

// Chat implements chat.Client.
func (c *Client) Chat(ctx context.Context, r chat.Request, onDelta func(chat.Delta)) (chat.Response, error) {
	for {
		c.mu.Lock()
		able := c.able
		c.mu.Unlock()
		response, err := c.once(ctx, r, able, onDelta)
		if err == nil || !c.learn(able, err) {
			return response, err
		}
	}
}

// once sends the request as the server is thought to take it.
func (c *Client) once(ctx context.Context, r chat.Request, able abilities, onDelta func(chat.Delta)) (chat.Response, error) {
	in := newReading(r, c.cfg.Key, c.cfg.Now, onDelta)
	traced, sent := wire.Sent(ctx)
	var res *http.Response
	err := c.api.Post(traced, "chat/completions", params(c.cfg.Model, r, able), &res, option.WithJSONSet("stream", true),
		option.WithHeader("Accept", "text/event-stream, application/json"))
	if err != nil {
		err = wire.Classed(ctx, err)
		return in.ending(ctx, wire.Lost(err, sent(), r), err), err
	}
	defer res.Body.Close()
	err = wire.Classed(ctx, in.read(ctx, res))
	return in.done(ctx, err)
}

// learn takes note of a parameter that the server rejected. It says whether the
// request may be sent again without it.
func (c *Client) learn(tried abilities, err error) bool {
	said, status := wire.Said(err)
	next, ok := tried.without(said, status)
	if !ok {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.able = next
	return true
}
