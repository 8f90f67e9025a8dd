package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

// testTokens is how long the answer of the tiny call may be: enough for a model
// that thinks aloud first.
const testTokens = 64

// TestModel makes one tiny call and says what it took.
func (c *connections) TestModel(ctx context.Context, name string) (web.TestInput, error) {
	set, err := c.load(ctx)
	if err != nil {
		return web.TestInput{}, err
	}
	m, ok := set.model(name)
	if !ok {
		return web.TestInput{}, research.Errorf(research.ENotFound, "store.model_not_found", "There is no model %q. It may have been removed.", name).With(map[string]any{"ID": name})
	}
	p, _ := set.provider(m.Provider)
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	began := time.Now()
	r, err := c.client(p, m).Chat(ctx, chat.Request{
		Messages: []chat.Message{{Role: chat.User, Text: "Answer with one word: ready"}}, MaxTokens: testTokens,
	}, nil)
	if err != nil {
		return web.TestInput{}, callError(err, p)
	}
	c.answered(p, m)
	u := r.Usage
	out := web.TestInput{
		Model: name, Answered: r.Model, Text: shorten(strings.TrimSpace(r.Text), 120), Seconds: time.Since(began).Seconds(),
		Tokens: research.Tokens{Input: u.Input, Cached: u.Cached, Output: u.Output, Reasoning: u.Reasoning, Counted: u.Counted},
		Energy: research.Energy{Method: research.MethodUnknown},
	}
	calibrated := set.Calibrated[m.Name]
	if coefficients, _ := coefficientsOf(m, p, calibrated); coefficients != nil {
		out.Energy = energy.CallEnergy(*coefficients, energy.UseOf(out.Tokens, r.Load > 0))
	}
	if price, ok := c.prices.Of(m, p); ok {
		dollars := energy.Dollars(price, out.Tokens)
		out.Dollars = &dollars
	}
	return out, nil
}

func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most]) + "…"
}

// callError says what went wrong with a server, and the cure.
func callError(err error, p research.Provider) error {
	var e *chat.Error
	if !errors.As(err, &e) {
		if !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		e = &chat.Error{Kind: chat.TimedOut}
	}
	kind, detail := e.Kind, ""
	if kind == chat.Cut {
		kind = chat.Overloaded
	}
	if e.Detail != "" && kind != chat.Unreachable {
		detail = " (" + shorten(e.Detail, 300) + ")"
	}
	return research.Errorf(research.EUnavailable, "model."+string(kind), "The server %s (%s) cannot be used: %s.", p.Name, p.BaseURL, e).
		With(map[string]any{"Name": p.Name, "URL": p.BaseURL, "Detail": detail}).Wrap(err)
}

// callKeys are the keys of the errors that callError makes.
func callKeys() []string {
	var out []string
	for _, k := range []chat.Kind{
		chat.RateLimited, chat.Overloaded, chat.TimedOut, chat.Unreachable, chat.Garbage, chat.ContextLength,
		chat.Unauthorized, chat.OutOfCredit, chat.UnknownModel, chat.Rejected, chat.Resting,
	} {
		out = append(out, "model."+string(k))
	}
	return out
}
