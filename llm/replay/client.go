package replay

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// Config is what a Client needs.
type Config struct {
	Model string      // as configured; answers are kept under it
	Ask   chat.Client // asked what is not in the store; nil makes that an error
	// Gauge measures the calls that are really made; nil leaves their energy
	// unknown here. It must be this client's own: a gauge shares out what it
	// measures between the calls it knows of.
	Gauge  energy.Gauge
	Now    func() time.Time
	Logger *slog.Logger
}

// Client answers from a store, and records what it has to ask. Failed calls are
// not recorded. A call that whoever asked stopped with a cause
// (context.WithCancelCause) is, and is played until it is stopped again.
type Client struct {
	cfg   Config
	store *Store
}

var _ chat.Client = (*Client)(nil)

// Client makes a client of the store.
func (s *Store) Client(c Config) *Client {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Client{cfg: c, store: s}
}

// Chat implements chat.Client.
func (c *Client) Chat(ctx context.Context, r chat.Request, onDelta func(chat.Delta)) (chat.Response, error) {
	if err := ctx.Err(); err != nil {
		return chat.Response{}, err
	}
	key, err := keyOf(c.cfg.Model, r)
	if err != nil {
		return chat.Response{}, &chat.Error{Kind: chat.Rejected, Detail: "the request is not valid JSON", Err: err}
	}
	if a, ok := c.store.find(key, r.MaxTokens); ok {
		return c.play(ctx, a, onDelta)
	}
	if c.cfg.Ask == nil {
		return chat.Response{}, &chat.Error{Kind: chat.UnknownModel, Detail: "this call is not among the recorded answers, and no server is to be asked"}
	}
	return c.ask(ctx, key, r, onDelta)
}

// play gives a recorded answer as it came.
func (c *Client) play(ctx context.Context, a answer, onDelta func(chat.Delta)) (chat.Response, error) {
	var text, thought strings.Builder
	for _, d := range a.Deltas {
		text.WriteString(d.Text)
		thought.WriteString(d.Reasoning)
		if onDelta != nil {
			onDelta(d)
		}
		if ctx.Err() != nil {
			a.Text, a.Reasoning, a.Finish = text.String(), thought.String(), chat.Cancelled
			return a.response(), ctx.Err()
		}
	}
	if a.Halted != "" {
		// It was stopped then and is wanted whole now: the next attempt asks.
		c.store.drop(a)
		return chat.Response{}, &chat.Error{Kind: chat.Cut, Detail: "the recorded answer was stopped early: " + a.Halted}
	}
	return a.response(), nil
}

func (a answer) response() chat.Response {
	return chat.Response{
		Text: a.Text, Reasoning: a.Reasoning, Finish: a.Finish, Model: a.Answered, Usage: a.Usage, Load: a.Load, First: a.First, Took: a.Took,
		Recorded: &chat.Recorded{Energy: a.Energy, At: a.At, Replayed: true},
	}
}

// ask makes the call, measures it, and records the answer.
func (c *Client) ask(ctx context.Context, key string, r chat.Request, onDelta func(chat.Delta)) (chat.Response, error) {
	var reading energy.Reading
	if c.cfg.Gauge != nil {
		reading = c.cfg.Gauge.Begin(ctx, c.cfg.Model)
	}
	var deltas []chat.Delta
	out, err := c.cfg.Ask.Chat(ctx, r, func(d chat.Delta) {
		deltas = append(deltas, d)
		if onDelta != nil {
			onDelta(d)
		}
	})
	used := research.Energy{Method: research.MethodUnknown}
	if reading != nil {
		if e, ok := reading.End(energy.CallUse{Input: out.Usage.Input, Cached: out.Usage.Cached, Output: out.Usage.Output}); ok {
			used = e
		}
	}
	at := c.cfg.Now()
	out.Recorded = &chat.Recorded{Energy: used, At: at}
	halted, keep := halt(ctx, err)
	if !keep {
		return out, err
	}
	a := answer{
		Key: key, Model: c.cfg.Model, MaxTokens: r.MaxTokens, At: at, Deltas: deltas, Text: out.Text, Reasoning: out.Reasoning, Finish: out.Finish,
		Answered: out.Model, Usage: out.Usage, Load: out.Load, First: out.First, Took: out.Took, Energy: used, Halted: halted,
	}
	if failed := c.store.add(a); failed != nil {
		c.cfg.Logger.Warn("an answer could not be recorded", "model", c.cfg.Model, "error", failed)
	}
	return out, err
}

// halt says whether an answer is to be kept, and why it was stopped if it was.
// A plain cancellation or a deadline is a matter of the moment.
func halt(ctx context.Context, err error) (why string, keep bool) {
	if err == nil {
		return "", true
	}
	cause := context.Cause(ctx)
	var failed *chat.Error // a watchdog's
	if ctx.Err() == nil || errors.As(cause, &failed) || errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded) {
		return "", false
	}
	return cause.Error(), true
}
