// Package solver asks language models for answers to tasks that can be checked:
// for recording attempts, and for playing them live. It must not know how
// attempts are chosen or counted.
package solver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/eval/verify"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// Caller asks a model; *chat.Caller does.
type Caller interface {
	Call(ctx context.Context, r chat.Request, w chat.Watch) (chat.Outcome, error)
}

// Model is a language model with what measures it.
type Model struct {
	Name   string
	Tier   research.Tier
	Caller Caller
	// Gauge measures the model's server; nil leaves the energy unknown.
	Gauge energy.Gauge
}

// Settings of every call.
type Settings struct {
	Temperature float64
	MaxTokens   int
	Now         func() time.Time // nil: time.Now
}

// DefaultSettings ask for varied answers of moderate length.
func DefaultSettings() Settings { return Settings{Temperature: 0.6, MaxTokens: 400} }

// Answer is what a model answered and what that took.
type Answer struct {
	Text    string
	Cut     bool // it ended at its token limit
	Tokens  research.Tokens
	Energy  research.Energy
	Seconds float64 // without waiting for the server
	Failed  string  // why there is no answer: the server failed
}

// Ask makes one call. seed makes the call's chance, as far as the server keeps
// to it. A server's failure is an answer that failed; only the context's end is
// an error.
func Ask(ctx context.Context, m Model, t verify.Task, said string, seed int64, s Settings) (Answer, error) {
	now := s.Now
	if now == nil {
		now = time.Now
	}
	r := chat.Request{Messages: messages(t, said), MaxTokens: s.MaxTokens, Temperature: s.Temperature, Seed: &seed, Stop: stops(t)}
	var reading energy.Reading
	if m.Gauge != nil {
		reading = m.Gauge.Begin(ctx, m.Name)
	}
	start := now()
	out, err := m.Caller.Call(ctx, r, chat.Watch{})
	took := now().Sub(start) - out.Waited
	paid := out.Paid()
	a := Answer{
		Text: out.Response.Text, Cut: out.Response.Finish == chat.Length, Seconds: max(0, took.Seconds()),
		Tokens: research.Tokens{Input: paid.Input, Cached: paid.Cached, Output: paid.Output, Reasoning: paid.Reasoning, Counted: paid.Counted},
		Energy: research.Energy{Method: research.MethodUnknown},
	}
	if reading != nil {
		if e, ok := reading.End(energy.UseOf(a.Tokens, false)); ok {
			a.Energy = e
		}
	}
	var failed *chat.Error
	switch {
	case ctx.Err() != nil:
		return a, ctx.Err()
	case errors.As(err, &failed):
		a.Failed = failed.Note(m.Name).Text
	case err != nil:
		return a, fmt.Errorf("ask %s: %w", m.Name, err)
	}
	return a, nil
}
