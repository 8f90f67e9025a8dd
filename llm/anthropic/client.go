// Package anthropic talks Anthropic's messages. It must not know roles or
// prompts, nor wait and try again: that is chat.Caller's.
package anthropic

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/llm/wire"
)

// PublicURL is the address where none is given.
const PublicURL = "https://api.anthropic.com"

// version is the protocol's, sent with every call.
const version = "2023-06-01"

// Config says which model of which server. Only Model and Key are needed.
type Config struct {
	BaseURL string // without /v1
	Key     string
	Model   string
	Schema  string       // research.SchemaFull or SchemaNone; SchemaObject is as SchemaNone
	HTTP    *http.Client // nil: wire.NewHTTP
	Now     func() time.Time
}

// Client talks to one model. It is safe for concurrent use.
type Client struct {
	cfg  Config
	http *http.Client
	api  anthropic.Client

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
	client := &Client{cfg: c, http: wire.Guarded(c.HTTP, c.Key), able: expected(c.Schema)}
	client.api = anthropic.Client{Options: []option.RequestOption{
		option.WithoutEnvironmentDefaults(), option.WithoutOpenTelemetry(), option.WithMaxRetries(0),
		option.WithBaseURL(c.BaseURL), option.WithHTTPClient(client.http), option.WithAPIKey(c.Key),
		option.WithHeader("anthropic-version", version),
	}}
	return client
}

// base takes addresses with and without /v1.
func base(address string) string {
	address = wire.Base(address, PublicURL)
	if u, err := url.Parse(address); err == nil && strings.HasSuffix(u.Path, "/v1") {
		u.Path = strings.TrimSuffix(u.Path, "/v1")
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

func (c *Client) once(ctx context.Context, r chat.Request, able abilities, onDelta func(chat.Delta)) (chat.Response, error) {
	in := newReading(r, c.cfg.Key, c.cfg.Now, onDelta)
	in.asTool = r.Schema != nil && able.schema == byTool
	traced, sent := wire.Sent(ctx)
	var res *http.Response
	err := c.api.Post(traced, "v1/messages", params(c.cfg.Model, r, able), &res, option.WithJSONSet("stream", true))
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

// Models lists what the account may use.
func (c *Client) Models(ctx context.Context) ([]chat.Found, error) {
	header := http.Header{"X-Api-Key": {c.cfg.Key}, "Anthropic-Version": {version}}
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Window int    `json:"max_input_tokens"`
		} `json:"data"`
	}
	if err := wire.JSON(ctx, c.http, c.cfg.BaseURL+"/v1/models?limit=1000", header, nil, &list); err != nil {
		return nil, err
	}
	var out []chat.Found
	for _, m := range list.Data {
		if m.ID != "" {
			out = append(out, chat.Found{ID: m.ID, Context: m.Window, Chats: true})
		}
	}
	return out, nil
}
