package faulty_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/progrouter/progrouter/llm/anthropic"
	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/llm/faulty"
	"github.com/progrouter/progrouter/llm/ollama"
	"github.com/progrouter/progrouter/llm/openai"
	"github.com/progrouter/progrouter/research"
)

const key = "sk-test-0123456789abcdef"

// clients are one of each protocol at a server.
func clients(url string) map[string]chat.Client {
	return map[string]chat.Client{
		"openai":    openai.New(openai.Config{BaseURL: url, Key: key, Model: "model"}),
		"anthropic": anthropic.New(anthropic.Config{BaseURL: url, Key: key, Model: "model"}),
		"ollama":    ollama.New(ollama.Config{BaseURL: url, Key: key, Model: "model"}),
	}
}

// clock is a time that passes in sleeps only.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	sleeps []time.Duration
}

func newClock() *clock { return &clock{now: time.Now()} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.sleeps = append(c.sleeps, d)
	return ctx.Err()
}

func (c *clock) slept() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Duration(nil), c.sleeps...)
}

// config is a host whose waits take no time. Limits on silence are real.
func config(c *clock) chat.HostConfig {
	return chat.HostConfig{Name: "provider", Now: c.Now, Sleep: c.Sleep, Rand: func() float64 { return 0.5 },
		First: time.Minute, Idle: time.Minute}
}

var request = chat.Request{
	Messages:  []chat.Message{{Role: chat.System, Text: "You answer."}, {Role: chat.User, Text: "What is asked?"}},
	MaxTokens: 200,
}

const answer = "This is a sentence that takes about a dozen tokens."

func start(t *testing.T) *faulty.Server {
	t.Helper()
	s := faulty.Start(func(faulty.Request) string { return answer })
	t.Cleanup(s.Close)
	return s
}

// notes records the waits that a call reports.
type notes struct{ said []research.Note }

func (n *notes) watch(room int) chat.Watch {
	w := chat.Watch{Wait: func(why *research.Note, _ time.Time) {
		if why != nil {
			n.said = append(n.said, *why)
		}
	}}
	if room > 0 {
		w.Room = func([]chat.Usage) int { return room }
	}
	return w
}

func kind(err error) chat.Kind {
	var e *chat.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}
