package chat_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// scripted is a client that ends each attempt as told and is fine afterwards.
type scripted struct {
	mu    sync.Mutex
	ends  []error
	used  chat.Usage // of attempts that fail
	asked []chat.Request
	hold  time.Duration
	now   int // attempts in progress
	most  int
}

func (s *scripted) Chat(ctx context.Context, r chat.Request, onDelta func(chat.Delta)) (chat.Response, error) {
	s.mu.Lock()
	s.asked = append(s.asked, r)
	s.now++
	s.most = max(s.most, s.now)
	var err error
	if len(s.ends) > 0 {
		err, s.ends = s.ends[0], s.ends[1:]
	}
	s.mu.Unlock()
	defer func() { s.mu.Lock(); s.now--; s.mu.Unlock() }()
	if s.hold > 0 {
		select {
		case <-time.After(s.hold):
		case <-ctx.Done():
			return chat.Response{}, ctx.Err()
		}
	}
	if err != nil {
		return chat.Response{Usage: s.used}, err
	}
	onDelta(chat.Delta{Text: "yes"})
	return chat.Response{Text: "yes", Finish: chat.Stopped, Usage: chat.Usage{Input: 5, Output: 1, Counted: chat.FromServer}}, nil
}

func fails(k chat.Kind) error { return &chat.Error{Kind: k, Detail: string(k)} }

func repeat(k chat.Kind, n int) []error {
	out := make([]error, n)
	for i := range out {
		out[i] = fails(k)
	}
	return out
}

// In these tests time is synctest's: sleeps take none, and all of them are exact.

func TestBackoffDoublesUnderACeiling(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &scripted{ends: repeat(chat.Overloaded, 4)}
		host := chat.NewHost(chat.HostConfig{Name: "p", Backoff: 2 * time.Second, BackoffMost: 10 * time.Second, Rand: func() float64 { return 0.5 }})
		var until []time.Duration
		from := time.Now()
		out, err := chat.NewCaller(host, "m", c).Call(t.Context(), chat.Request{}, chat.Watch{Wait: func(why *research.Note, at time.Time) {
			if why != nil {
				until = append(until, at.Sub(from))
				from = at
			}
		}})
		if err != nil || out.Tries != 5 {
			t.Fatal(out, err)
		}
		for i, want := range []time.Duration{1 * time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second} {
			if until[i] != want {
				t.Errorf("wait %d was %v, want %v", i+1, until[i], want)
			}
		}
		if out.Waited != 12*time.Second {
			t.Errorf("waited %v", out.Waited)
		}
	})
}

func TestGivesUpAfterItsTries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &scripted{ends: repeat(chat.Overloaded, 10)}
		host := chat.NewHost(chat.HostConfig{Tries: 3})
		out, err := chat.NewCaller(host, "m", c).Call(t.Context(), chat.Request{}, chat.Watch{})
		var e *chat.Error
		if !errors.As(err, &e) || e.Kind != chat.Overloaded || out.Tries != 3 {
			t.Fatal(out, err)
		}
	})
}

func TestNoWaitThatTheDeadlineCannotUse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		after, need time.Duration
		tries       int
	}{
		"the wait ends in time":                {5 * time.Second, 0, 2},
		"the wait ends after the deadline":     {15 * time.Second, 0, 1},
		"too little is left for the call then": {5 * time.Second, 6 * time.Second, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				from := time.Now()
				c := &scripted{ends: []error{&chat.Error{Kind: chat.RateLimited, RetryAfter: tt.after}}}
				caller := chat.NewCaller(chat.NewHost(chat.HostConfig{Rand: func() float64 { return 0 }}), "m", c)
				out, err := caller.Call(ctx, chat.Request{}, chat.Watch{Need: tt.need})
				if out.Tries != tt.tries || (err == nil) != (tt.tries == 2) {
					t.Fatal(out, err)
				}
				if err == nil {
					return
				}
				if time.Since(from) != 0 {
					t.Errorf("waited %v for nothing", time.Since(from))
				}
				until, why, resting := caller.Resting()
				if !resting || why.Kind != chat.RateLimited || until.Sub(from) != tt.after {
					t.Errorf("the model is not left alone until the server's time: %v %v %t", until, why, resting)
				}
			})
		})
	}
}

func TestBreakerRestsProbesAndRecovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &scripted{ends: repeat(chat.Overloaded, 4)}
		host := chat.NewHost(chat.HostConfig{Tries: 1, Breaker: chat.BreakerConfig{Failures: 3, Rest: time.Minute, RestMost: 5 * time.Minute}})
		caller, other := chat.NewCaller(host, "m", c), chat.NewCaller(host, "other", &scripted{})
		call := func() chat.Kind {
			_, err := caller.Call(t.Context(), chat.Request{}, chat.Watch{})
			var e *chat.Error
			if errors.As(err, &e) {
				return e.Kind
			}
			return ""
		}
		for range 3 {
			if call() != chat.Overloaded {
				t.Fatal("not asked")
			}
		}
		if call() != chat.Resting || len(c.asked) != 3 {
			t.Fatal("asked although it failed three times in a row")
		}
		if _, err := other.Call(t.Context(), chat.Request{}, chat.Watch{}); err != nil {
			t.Fatal("another model of the server rests too:", err)
		}
		time.Sleep(time.Minute)
		if call() != chat.Overloaded { // the probe fails
			t.Fatal("no probe after the rest")
		}
		time.Sleep(time.Minute)
		if call() != chat.Resting {
			t.Fatal("the second rest is not longer")
		}
		time.Sleep(time.Minute)
		for range 2 {
			if call() != "" {
				t.Fatal("does not recover")
			}
		}
		if _, _, resting := caller.Resting(); resting {
			t.Fatal("still resting")
		}
	})
}

func TestOneProbeAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &scripted{ends: repeat(chat.Overloaded, 1)}
		host := chat.NewHost(chat.HostConfig{Tries: 1, Breaker: chat.BreakerConfig{Failures: 1, Rest: time.Minute}})
		caller := chat.NewCaller(host, "m", c)
		_, _ = caller.Call(t.Context(), chat.Request{}, chat.Watch{})
		time.Sleep(2 * time.Minute)
		c.hold = time.Second
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { _, _ = caller.Call(t.Context(), chat.Request{}, chat.Watch{}) })
		}
		wg.Wait()
		if len(c.asked) != 2 {
			t.Errorf("%d probes at once", len(c.asked)-1)
		}
	})
}

func TestACancelledProbeLetsTheNextOneTry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &scripted{ends: []error{fails(chat.Overloaded)}}
		host := chat.NewHost(chat.HostConfig{Tries: 1, Breaker: chat.BreakerConfig{Failures: 1, Rest: time.Minute}})
		caller := chat.NewCaller(host, "m", c)
		_, _ = caller.Call(t.Context(), chat.Request{}, chat.Watch{})
		time.Sleep(2 * time.Minute)
		c.hold = time.Hour
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := caller.Call(ctx, chat.Request{}, chat.Watch{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		c.hold = 0
		if _, err := caller.Call(t.Context(), chat.Request{}, chat.Watch{}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestLastingFailuresRestLong(t *testing.T) {
	t.Parallel()
	for kind, whole := range map[chat.Kind]bool{chat.Unauthorized: true, chat.OutOfCredit: true, chat.UnknownModel: false} {
		synctest.Test(t, func(t *testing.T) {
			host := chat.NewHost(chat.HostConfig{})
			caller := chat.NewCaller(host, "m", &scripted{ends: []error{fails(kind)}})
			other := chat.NewCaller(host, "other", &scripted{})
			out, err := caller.Call(t.Context(), chat.Request{}, chat.Watch{})
			if err == nil || out.Tries != 1 {
				t.Fatal(out, err)
			}
			until, why, resting := caller.Resting()
			if !resting || why.Kind != kind || time.Until(until) < 10*time.Minute {
				t.Errorf("%s: rests until %v (%v)", kind, until, why)
			}
			if _, _, resting := other.Resting(); resting != whole {
				t.Errorf("%s: the server's other models rest: %t", kind, resting)
			}
			host.Reset()
			caller.Reset()
			if _, _, resting := caller.Resting(); resting {
				t.Error("rests after a reset")
			}
		})
	}
}

func TestFaultsOfTheRequestRestNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, k := range []chat.Kind{chat.ContextLength, chat.Rejected} {
			caller := chat.NewCaller(chat.NewHost(chat.HostConfig{Breaker: chat.BreakerConfig{Failures: 2}}), "m", &scripted{ends: repeat(k, 5)})
			for range 5 {
				_, _ = caller.Call(t.Context(), chat.Request{}, chat.Watch{})
			}
			if _, why, resting := caller.Resting(); resting {
				t.Errorf("%s rests the model: %v", k, why)
			}
		}
	})
}

func TestPaidAttemptsNeedRoom(t *testing.T) {
	t.Parallel()
	paid := chat.Usage{Input: 50, Output: 30, Counted: chat.FromLocal}
	for name, tt := range map[string]struct {
		room  func([]chat.Usage) int
		tries int
		cap   int
	}{
		"nobody to ask": {nil, 1, 100},
		"none left":     {func([]chat.Usage) int { return 0 }, 1, 100},
		"some left":     {func(l []chat.Usage) int { return 100 - l[0].Output }, 2, 70},
		"more than was": {func([]chat.Usage) int { return 500 }, 2, 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := &scripted{ends: repeat(chat.Cut, 1), used: paid}
				out, err := chat.NewCaller(chat.NewHost(chat.HostConfig{}), "m", c).Call(t.Context(), chat.Request{MaxTokens: 100}, chat.Watch{Room: tt.room})
				if out.Tries != tt.tries || (err == nil) != (tt.tries == 2) || c.asked[len(c.asked)-1].MaxTokens != tt.cap {
					t.Fatal(out, err, c.asked)
				}
				want := paid
				if tt.tries == 2 {
					want = chat.Usage{Input: 55, Output: 31, Counted: chat.FromLocal}
				}
				if out.Paid() != want {
					t.Errorf("paid %+v, want %+v", out.Paid(), want)
				}
			})
		})
	}
}

func TestPlacesAndPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &scripted{hold: time.Second}
		host := chat.NewHost(chat.HostConfig{Name: "p", Concurrency: 2})
		callers := []*chat.Caller{chat.NewCaller(host, "a", c), chat.NewCaller(host, "b", c)}
		var wg sync.WaitGroup
		var mu sync.Mutex
		var said []string
		for i := range 6 {
			wg.Go(func() {
				_, err := callers[i%2].Call(t.Context(), chat.Request{}, chat.Watch{Wait: func(n *research.Note, _ time.Time) {
					mu.Lock()
					defer mu.Unlock()
					if n != nil {
						said = append(said, n.Code)
					}
				}})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if c.most != 2 || len(said) != 4 || said[0] != "model_wait_slot" {
			t.Errorf("%d calls at once, said %v", c.most, said)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		caller := chat.NewCaller(chat.NewHost(chat.HostConfig{PerMinute: 6}), "m", &scripted{})
		from := time.Now()
		for range 4 {
			if _, err := caller.Call(t.Context(), chat.Request{}, chat.Watch{}); err != nil {
				t.Fatal(err)
			}
		}
		if got := time.Since(from).Round(time.Millisecond); got != 30*time.Second {
			t.Errorf("4 calls at 6 a minute took %v", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := caller.Call(ctx, chat.Request{}, chat.Watch{})
		var e *chat.Error
		if !errors.As(err, &e) || e.Kind != chat.RateLimited {
			t.Error("a wait beyond the deadline was started:", err)
		}
	})
}

func TestAWaitOfTheServerHoldsForAllCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &scripted{ends: []error{&chat.Error{Kind: chat.RateLimited, RetryAfter: 20 * time.Second}}}
		caller := chat.NewCaller(chat.NewHost(chat.HostConfig{Rand: func() float64 { return 0 }}), "m", c)
		from := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = caller.Call(t.Context(), chat.Request{}, chat.Watch{}) })
		time.Sleep(5 * time.Second)
		out, err := caller.Call(t.Context(), chat.Request{}, chat.Watch{})
		if err != nil || time.Since(from) != 20*time.Second || out.Waited != 15*time.Second {
			t.Errorf("asked after %v, waited %v: %v", time.Since(from), out.Waited, err)
		}
		wg.Wait()
	})
}

// beating is a client that gives signs of life before it answers.
type beating struct{ beats, every time.Duration }

func (b beating) Chat(ctx context.Context, _ chat.Request, onDelta func(chat.Delta)) (chat.Response, error) {
	for spent := time.Duration(0); spent < b.beats; spent += b.every {
		select {
		case <-time.After(b.every):
			chat.Alive(ctx)
		case <-ctx.Done():
			return chat.Response{}, ctx.Err()
		}
	}
	onDelta(chat.Delta{Text: "x"})
	return chat.Response{Text: "x"}, nil
}

func TestSignsOfLifeKeepACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		host := chat.NewHost(chat.HostConfig{Tries: 1})
		if _, err := chat.NewCaller(host, "m", beating{10 * time.Minute, 50 * time.Second}).Call(t.Context(), chat.Request{}, chat.Watch{}); err != nil {
			t.Error("ended although it lived:", err)
		}
		_, err := chat.NewCaller(host, "m", beating{10 * time.Minute, 70 * time.Second}).Call(t.Context(), chat.Request{}, chat.Watch{})
		var e *chat.Error
		if !errors.As(err, &e) || e.Kind != chat.TimedOut {
			t.Error("not ended although it was silent:", err)
		}
	})
}
