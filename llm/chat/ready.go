package chat

import (
	"context"
	"time"
)

// ready returns when an attempt may start: both breakers let it through, the
// pace allows it and a place is held. On an error nothing is held.
func (c *calling) ready(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.unpaused(ctx); err != nil {
		return err
	}
	if err := c.slot(ctx); err != nil {
		return err
	}
	err := c.paced(ctx)
	if err == nil {
		err = c.enter()
	}
	if err != nil {
		c.release()
	}
	return err
}

// unpaused waits until the time the server asked for has come.
func (c *calling) unpaused(ctx context.Context) error {
	c.mu.Lock()
	until := c.paused
	c.mu.Unlock()
	d := until.Sub(c.cfg.Now())
	if d <= 0 {
		return nil
	}
	limited := &Error{Kind: RateLimited, RetryAfter: d, Detail: "the server asked to wait"}
	if !c.affords(ctx, d) {
		return limited
	}
	return c.wait(ctx, d, waitNote(c.model, limited, d))
}

func (c *Caller) pause(until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until.After(c.paused) {
		c.paused = until
	}
}

// slot takes one of the host's places.
func (c *calling) slot(ctx context.Context) error {
	select {
	case c.host.slots <- struct{}{}:
		return nil
	default:
	}
	why := slotNote(c.cfg.Name, c.cfg.Concurrency)
	from := c.cfg.Now()
	c.say(&why, time.Time{})
	defer func() {
		c.say(nil, time.Time{})
		c.out.Waited += c.cfg.Now().Sub(from)
	}()
	select {
	case c.host.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *calling) release() { <-c.host.slots }

// paced waits for our own limit on attempts a minute.
func (c *calling) paced(ctx context.Context) error {
	if c.host.limit == nil {
		return nil
	}
	now := c.cfg.Now()
	turn := c.host.limit.ReserveN(now, 1)
	d := turn.DelayFrom(now)
	if d <= 0 {
		return nil
	}
	if !c.affords(ctx, d) {
		turn.CancelAt(now)
		return &Error{Kind: RateLimited, RetryAfter: d, Detail: "our own limit of calls a minute"}
	}
	err := c.wait(ctx, d, paceNote(c.cfg.Name, c.cfg.PerMinute, d))
	if err != nil {
		turn.CancelAt(c.cfg.Now())
	}
	return err
}

// enter passes both breakers.
func (c *calling) enter() error {
	now := c.cfg.Now()
	if until, why := c.host.breaker.enter(now); why != nil {
		return resting(now, until, why)
	}
	if until, why := c.breaker.enter(now); why != nil {
		c.host.breaker.leave()
		return resting(now, until, why)
	}
	return nil
}

func resting(now, until time.Time, why *Error) *Error {
	return &Error{Kind: Resting, RetryAfter: max(0, until.Sub(now)), Status: why.Status, Detail: why.Error(), Err: why}
}

// backoff is the wait after the nth failed attempt: what the server asked for,
// with a little on top so that not everybody comes back at once, or a random
// part of a ceiling that doubles.
func backoff(c HostConfig, n int, asked time.Duration) time.Duration {
	ceiling := doubled(c.Backoff, n-1, c.BackoffMost)
	if asked > 0 {
		return asked + time.Duration(c.Rand()*float64(min(c.Backoff, asked/10)))
	}
	return time.Duration(c.Rand() * float64(ceiling))
}
