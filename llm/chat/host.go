package chat

import (
	"context"
	"math/rand/v2"
	"time"

	"golang.org/x/time/rate"
)

// Defaults of a HostConfig.
const (
	DefaultConcurrency = 4
	DefaultTries       = 5
	DefaultFirst       = 60 * time.Second
	DefaultIdle        = 30 * time.Second
	DefaultBackoff     = time.Second
	DefaultBackoffMost = time.Minute
)

// HostConfig says how a provider's server is treated. Zero values mean the
// defaults.
type HostConfig struct {
	Name        string // the provider's name, shown in waits
	Concurrency int    // calls at once
	PerMinute   int    // attempts a minute; 0: no limit of ours
	Tries       int    // most attempts per call, the first included

	// First is how long the server may give no sign of life before the first
	// token: until its headers, and again from there. A cold local model is loaded
	// and reads the prompt in this time, so it may need minutes. Idle is the same
	// between tokens.
	First, Idle time.Duration

	// Backoff is the ceiling of the first wait after a failure. It doubles with
	// every further one, up to BackoffMost; the wait itself is drawn evenly from
	// zero to the ceiling.
	Backoff, BackoffMost time.Duration

	Breaker BreakerConfig

	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error // returns the context's error when that ends first
	Rand  func() float64                             // in [0, 1)
}

// Host is what the models of one provider share: places, pace and the breaker
// for what concerns all of them. It is safe for concurrent use.
type Host struct {
	cfg     HostConfig
	slots   chan struct{}
	limit   *rate.Limiter
	breaker *breaker
}

// NewHost makes a Host.
func NewHost(c HostConfig) *Host {
	c = c.withDefaults()
	h := &Host{cfg: c, slots: make(chan struct{}, c.Concurrency), breaker: newBreaker(c.Breaker)}
	if c.PerMinute > 0 {
		h.limit = rate.NewLimiter(rate.Limit(float64(c.PerMinute)/60), max(1, c.PerMinute/10))
	}
	return h
}

func (c HostConfig) withDefaults() HostConfig {
	c.Concurrency = orInt(c.Concurrency, DefaultConcurrency)
	c.Tries = orInt(c.Tries, DefaultTries)
	c.First = orDuration(c.First, DefaultFirst)
	c.Idle = orDuration(c.Idle, DefaultIdle)
	c.Backoff = orDuration(c.Backoff, DefaultBackoff)
	c.BackoffMost = orDuration(c.BackoffMost, DefaultBackoffMost)
	c.Breaker = c.Breaker.withDefaults()
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	if c.Rand == nil {
		c.Rand = rand.Float64
	}
	return c
}

// Reset forgets that the server failed, as after its settings were changed.
func (h *Host) Reset() { h.breaker.reset() }

func orInt(n, or int) int {
	if n <= 0 {
		return or
	}
	return n
}

func orDuration(d, or time.Duration) time.Duration {
	if d <= 0 {
		return or
	}
	return d
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
