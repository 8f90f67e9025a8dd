package chat

import (
	"sync"
	"time"
)

// BreakerConfig says when a model or a server is left alone. Zero values mean
// 5 failures, 30 s to 10 min, and 10 min to 2 h for what only a person can cure.
type BreakerConfig struct {
	Failures       int           // attempts in a row that fail before the first rest
	Rest, RestMost time.Duration // the first rest, doubled after every failed probe up to RestMost
	Long, LongMost time.Duration // the same where the key, the credit or the model's name is wrong
}

func (c BreakerConfig) withDefaults() BreakerConfig {
	c.Failures = orInt(c.Failures, 5)
	c.Rest = orDuration(c.Rest, 30*time.Second)
	c.RestMost = max(c.Rest, orDuration(c.RestMost, 10*time.Minute))
	c.Long = orDuration(c.Long, 10*time.Minute)
	c.LongMost = max(c.Long, orDuration(c.LongMost, 2*time.Hour))
	return c
}

// breaker counts failures in a row. When there were too many it rests; after the
// rest one attempt at a time is let through as a probe, and its end decides.
type breaker struct {
	cfg BreakerConfig

	mu      sync.Mutex
	failed  int // in a row
	rests   int // in a row
	until   time.Time
	why     *Error
	probing bool
}

func newBreaker(c BreakerConfig) *breaker { return &breaker{cfg: c} }

// resting tells whether attempts are refused now, until when and why. While a
// probe is out, until may be past.
func (b *breaker) resting(now time.Time) (time.Time, *Error, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.until, b.why, b.why != nil && (b.probing || now.Before(b.until))
}

// enter asks for an attempt. Where it is refused the error says why.
func (b *breaker) enter(now time.Time) (time.Time, *Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.why == nil {
		return time.Time{}, nil
	}
	if b.probing || now.Before(b.until) {
		return b.until, b.why
	}
	b.probing = true
	return time.Time{}, nil
}

// leave ends an attempt that says nothing about the server, such as one that was
// cancelled.
func (b *breaker) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
}

// ok ends an attempt that was answered.
func (b *breaker) ok() { b.reset() }

func (b *breaker) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed, b.rests, b.until, b.why, b.probing = 0, 0, time.Time{}, nil, false
}

// fail ends an attempt that failed.
func (b *breaker) fail(now time.Time, e *Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed++
	probe := b.probing
	b.probing = false
	if !e.Lasting() && !probe && b.failed < b.cfg.Failures {
		return
	}
	first, most := b.cfg.Rest, b.cfg.RestMost
	if e.Lasting() {
		first, most = b.cfg.Long, b.cfg.LongMost
	}
	rest := doubled(first, b.rests, most)
	b.rests++
	b.failed = 0
	b.rest(now.Add(max(rest, e.RetryAfter)), e)
}

// atLeast rests until a time that the server named.
func (b *breaker) atLeast(until time.Time, e *Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rest(until, e)
}

func (b *breaker) rest(until time.Time, e *Error) {
	if until.After(b.until) {
		b.until = until
	}
	b.why = e
}

// doubled is d·2ⁿ, at most most.
func doubled(d time.Duration, n int, most time.Duration) time.Duration {
	for ; n > 0 && d < most; n-- {
		d *= 2
	}
	return min(d, most)
}
