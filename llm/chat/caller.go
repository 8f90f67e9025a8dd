package chat

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/progrouter/progrouter/research"
)

// Caller calls one model and deals with a server that misbehaves. It is safe for
// concurrent use.
type Caller struct {
	host    *Host
	model   string
	client  Client
	breaker *breaker

	mu     sync.Mutex
	paused time.Time // no attempt before: the server asked for it
}

// NewCaller makes the Caller of a model. model is the name shown in waits.
func NewCaller(host *Host, model string, c Client) *Caller {
	return &Caller{host: host, model: model, client: c, breaker: newBreaker(host.cfg.Breaker)}
}

// Watch is how the caller of a model follows and bounds a call. All fields may
// be empty.
type Watch struct {
	// Delta is called as text arrives. A further attempt starts the text anew, and
	// Restart is called before it.
	Delta   func(Delta)
	Restart func()
	// Wait says why nothing happens and until when (zero: unknown). A nil note
	// means that it goes on.
	Wait func(why *research.Note, until time.Time)
	// Need is how long the call takes at least: no wait is started that leaves
	// less time before the context's deadline.
	Need time.Duration
	// Room is asked before a further attempt when earlier ones were paid for and
	// lost: how many tokens may the answer have now? 0 ends the call. Without
	// Room, an attempt that was paid for is not repeated, so that no call costs
	// more than its prompt and MaxTokens once.
	Room func(lost []Usage) int
}

// Outcome is what a call came to.
type Outcome struct {
	// Response is the last attempt's, in part where that failed.
	Response Response
	Tries    int           // attempts
	Waited   time.Duration // between attempts and for a place
	Lost     []Usage       // what earlier attempts used that did not end well
	// Loaded is the longest that an attempt which did not end well took to load
	// the model: a later one finds it loaded.
	Loaded time.Duration
}

// Paid is all that was used, lost attempts included.
func (o Outcome) Paid() Usage {
	u := o.Response.Usage
	for _, l := range o.Lost {
		u = u.Plus(l)
	}
	return u
}

// Resting tells whether calls are refused just now, until when, and the failure
// that led to it.
func (c *Caller) Resting() (until time.Time, why *Error, resting bool) {
	now := c.host.cfg.Now()
	if until, why, resting = c.host.breaker.resting(now); resting {
		return until, why, true
	}
	return c.breaker.resting(now)
}

// Reset forgets that the model failed; its host has a Reset of its own.
func (c *Caller) Reset() {
	c.breaker.reset()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused = time.Time{}
}

// Call asks the model, and asks again where that may help and time allows. Its
// error is an *Error or the context's. The outcome holds what was used in either
// case.
func (c *Caller) Call(ctx context.Context, r Request, w Watch) (Outcome, error) {
	run := &calling{Caller: c, cfg: c.host.cfg, watch: w, request: r}
	return run.run(ctx)
}

// calling is one call in progress.
type calling struct {
	*Caller
	cfg     HostConfig
	watch   Watch
	request Request
	out     Outcome
}

func (c *calling) run(ctx context.Context) (Outcome, error) {
	for {
		if err := c.ready(ctx); err != nil {
			return c.out, err
		}
		err := c.attempt(ctx)
		var failed *Error
		if err == nil || !errors.As(err, &failed) {
			return c.out, err
		}
		if stop := c.again(ctx, failed); stop != nil {
			return c.out, stop
		}
	}
}

// again waits before a further attempt, or says with which error the call ends.
func (c *calling) again(ctx context.Context, e *Error) error {
	if !e.Passing() || c.out.Tries >= c.cfg.Tries {
		return e
	}
	lost := c.out.Response.Usage
	if lost.Input+lost.Output > 0 {
		if c.watch.Room == nil {
			return e
		}
		room := c.watch.Room(append(append([]Usage{}, c.out.Lost...), lost))
		if room <= 0 {
			return e
		}
		c.request.MaxTokens = min(c.request.MaxTokens, room)
	}
	if _, _, resting := c.Resting(); resting {
		return e // it failed too often to go on
	}
	wait := backoff(c.cfg, c.out.Tries, e.RetryAfter)
	if !c.affords(ctx, wait) {
		if e.RetryAfter > 0 {
			c.breaker.atLeast(c.cfg.Now().Add(e.RetryAfter), e)
		}
		return e
	}
	if e.RetryAfter > 0 {
		c.pause(c.cfg.Now().Add(wait))
	}
	if err := c.wait(ctx, wait, waitNote(c.model, e, wait)); err != nil {
		return err
	}
	if lost.Input+lost.Output > 0 {
		c.out.Lost = append(c.out.Lost, lost)
	}
	c.out.Loaded = max(c.out.Loaded, c.out.Response.Load)
	c.out.Response = Response{}
	if c.watch.Restart != nil {
		c.watch.Restart()
	}
	return nil
}

// affords says whether the call can still be of use after a wait.
func (c *calling) affords(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || c.cfg.Now().Add(wait+c.watch.Need).Before(deadline)
}

func (c *calling) wait(ctx context.Context, d time.Duration, why research.Note) error {
	if d <= 0 {
		return ctx.Err()
	}
	from := c.cfg.Now()
	c.say(&why, from.Add(d))
	err := c.cfg.Sleep(ctx, d)
	c.say(nil, time.Time{})
	c.out.Waited += c.cfg.Now().Sub(from)
	return err
}

func (c *calling) say(why *research.Note, until time.Time) {
	if c.watch.Wait != nil {
		c.watch.Wait(why, until)
	}
}

// attempt asks once. The caller has passed ready, so a place is held.
func (c *calling) attempt(ctx context.Context) error {
	defer c.release()
	c.out.Tries++
	inner, dog, cancel := watched(ctx, c.cfg.First)
	defer cancel(nil)
	defer dog.stop()
	meter := meter{most: c.request.MaxTokens}
	response, err := c.client.Chat(inner, c.request, func(d Delta) {
		dog.tokens(c.cfg.Idle)
		if meter.add(d) {
			cancel(errCapped)
		}
		if c.watch.Delta != nil {
			c.watch.Delta(d)
		}
	})
	c.out.Response = response
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(inner), errCapped) {
		c.out.Response.Finish = Length
		c.out.Response.Usage.Output = max(response.Usage.Output, meter.parts)
		err = nil
	}
	err = c.classed(ctx, inner, err)
	c.settle(err)
	return err
}

// classed makes an error one of those that Call promises.
func (c *calling) classed(ctx, inner context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(context.Cause(inner), errSilent) {
		return &Error{Kind: TimedOut, Detail: silent, Err: err}
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: Garbage, Err: err}
}

// settle tells the breakers how an attempt ended.
func (c *calling) settle(err error) {
	now := c.cfg.Now()
	var e *Error
	switch {
	case err == nil:
		c.breaker.ok()
		c.host.breaker.ok()
	case !errors.As(err, &e):
		c.breaker.leave()
		c.host.breaker.leave()
	case e.ofHost():
		c.breaker.leave()
		c.host.breaker.fail(now, e)
	case e.Passing() || e.Lasting():
		c.breaker.fail(now, e)
		c.host.breaker.ok() // it answers, at least
	default: // the request is to blame
		c.breaker.leave()
		c.host.breaker.ok()
	}
}
