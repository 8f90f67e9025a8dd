// Package ollama talks to Ollama: OpenAI's protocol for chats, and Ollama's own
// calls for what that lacks: installed models with their sizes, which of them are
// loaded, and how long loading took. A server that only has OpenAI's protocol at
// the same address is taken as well, without those extras.
package ollama

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/llm/openai"
	"github.com/progrouter/progrouter/llm/wire"
)

// PublicURL is Ollama's usual address, taken where none is given.
const PublicURL = "http://127.0.0.1:11434"

// Config says which model of which server. Only Model is needed for chats.
type Config struct {
	BaseURL string // with or without /v1
	Key     string // for servers behind a gateway
	Model   string
	Schema  string       // research.SchemaFull, SchemaObject or SchemaNone
	HTTP    *http.Client // nil: wire.NewHTTP
	Now     func() time.Time
}

// Client talks to one model. It is safe for concurrent use.
type Client struct {
	cfg  Config
	http *http.Client
	chat *openai.Client
}

// New makes a Client.
func New(c Config) *Client {
	c.BaseURL = strings.TrimSuffix(wire.Base(c.BaseURL, PublicURL), "/v1")
	return &Client{cfg: c, http: wire.Guarded(c.HTTP, c.Key), chat: openai.New(openai.Config{
		BaseURL: c.BaseURL + "/v1", Key: c.Key, Model: c.Model, Schema: c.Schema, HTTP: c.HTTP, Now: c.Now,
	})}
}

// Chat implements chat.Client. A cold model is loaded first by a call of its own,
// so that the response can tell loading from reading.
func (c *Client) Chat(ctx context.Context, r chat.Request, onDelta func(chat.Delta)) (chat.Response, error) {
	var load time.Duration
	if loaded, err := c.loaded(ctx, c.cfg.Model); err == nil && !loaded {
		load, err = c.Load(ctx)
		if err != nil {
			return chat.Response{Finish: chat.Broken}, err
		}
	}
	response, err := c.chat.Chat(ctx, r, onDelta)
	response.Load = load
	return response, err
}

// Load loads the model and returns how long the server took for it.
func (c *Client) Load(ctx context.Context) (time.Duration, error) {
	var out struct {
		Load int64 `json:"load_duration"` // nanoseconds
	}
	err := c.call(ctx, "/api/generate", map[string]any{"model": c.cfg.Model, "stream": false}, &out)
	return time.Duration(max(0, out.Load)), err
}

func (c *Client) loaded(ctx context.Context, model string) (bool, error) {
	running, err := c.running(ctx)
	if err != nil {
		return false, err
	}
	_, ok := running[full(model)]
	return ok, nil
}

// call makes one of Ollama's own calls. A nil in asks with GET.
func (c *Client) call(ctx context.Context, path string, in, out any) error {
	header := http.Header{}
	if c.cfg.Key != "" {
		header.Set("Authorization", "Bearer "+c.cfg.Key)
	}
	return wire.JSON(ctx, c.http, c.cfg.BaseURL+path, header, in, out)
}

// full is a model's name with its tag.
func full(model string) string {
	if !strings.Contains(model[strings.LastIndex(model, "/")+1:], ":") {
		return model + ":latest"
	}
	return model
}

// lacks says that a server does not know a call, rather than failing at it.
func lacks(err error) bool {
	var e *chat.Error
	return errors.As(err, &e) && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Kind == chat.Garbage)
}
