package energy

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// fakeClock is a thread clock that moves only when told; for one worker.
type fakeClock struct{ now atomic.Int64 }

func (c *fakeClock) read() time.Duration   { return time.Duration(c.now.Load()) }
func (c *fakeClock) spend(d time.Duration) { c.now.Add(int64(d)) }

func newPool(t *testing.T, workers int) *Pool {
	t.Helper()
	p := NewPool(workers)
	t.Cleanup(p.Close)
	return p
}

func TestRunCallsEveryIndexOnce(t *testing.T) {
	t.Parallel()
	p := newPool(t, 3)
	var wg sync.WaitGroup
	for range 4 { // several fan-outs share the workers
		wg.Go(func() {
			seen := make([]atomic.Int32, 500)
			if err := p.Run(t.Context(), len(seen), func(i int) { seen[i].Add(1) }); err != nil {
				t.Error(err)
			}
			for i := range seen {
				if n := seen[i].Load(); n != 1 {
					t.Errorf("index %d ran %d times", i, n)
				}
			}
		})
	}
	wg.Wait()
}

func TestRunChargesPart(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	c := &fakeClock{}
	a := NewAccount(0, Clock(c.read))
	ctx := WithPart(WithAccount(t.Context(), a), PartRetrieval)
	if err := p.Run(ctx, 10, func(int) { c.spend(3 * time.Millisecond) }); err != nil {
		t.Fatal(err)
	}
	if got := a.CPU(PartRetrieval); got != 30*time.Millisecond {
		t.Errorf("retrieval = %v", got)
	}
	if a.CPU(PartAgent) != 0 || a.Total() != 30*time.Millisecond {
		t.Errorf("agent %v, total %v", a.CPU(PartAgent), a.Total())
	}
	if a.CPU(Part(99)) != 0 {
		t.Error("an unknown part has time")
	}
}

func TestLimitIsNeverOverrun(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name         string
		limit, chunk time.Duration
		hint         time.Duration
		runs         int
	}{
		{"exact fit", 30, 10, 0, 3},
		{"rest too small", 39, 10, 0, 3},
		{"hint refuses the first", 9, 10, 10, 0},
		{"hint fits once", 19, 10, 10, 1},
		{"enough for all", 1000, 10, 0, 8},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, 1)
			c := &fakeClock{}
			a := NewAccount(tc.limit*time.Millisecond, Clock(c.read))
			ctx := WithChunk(WithAccount(t.Context(), a), tc.hint*time.Millisecond)
			runs := 0
			err := p.Run(ctx, 8, func(int) { runs++; c.spend(tc.chunk * time.Millisecond) })
			if runs != tc.runs {
				t.Errorf("%d chunks ran, want %d", runs, tc.runs)
			}
			if (runs < 8) != errors.Is(err, ErrExhausted) {
				t.Errorf("err = %v after %d chunks", err, runs)
			}
			if a.Total() > a.Limit() {
				t.Errorf("used %v of %v", a.Total(), a.Limit())
			}
		})
	}
}

// With several workers the chunks in flight count as well.
func TestLimitHoldsInParallel(t *testing.T) {
	t.Parallel()
	p := newPool(t, 4)
	a := NewAccount(60 * time.Millisecond)
	ctx := WithChunk(WithAccount(t.Context(), a), 10*time.Millisecond)
	err := p.Run(ctx, 1000, func(int) { burn(2 * time.Millisecond) })
	if !errors.Is(err, ErrExhausted) {
		t.Fatalf("err = %v", err)
	}
	if a.Total() > a.Limit() {
		t.Errorf("used %v of %v", a.Total(), a.Limit())
	}
	if len(a.frames) != 0 {
		t.Errorf("%d measurements left open", len(a.frames))
	}
}

func TestRunStopsWithContext(t *testing.T) {
	t.Parallel()
	p := newPool(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	var runs atomic.Int32
	err := p.Run(ctx, 1000, func(i int) {
		runs.Add(1)
		cancel()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	if n := runs.Load(); n > 4 {
		t.Errorf("%d chunks ran after the cancellation", n)
	}
	if err := p.Run(ctx, 3, func(int) { t.Error("ran") }); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	if err := Do(ctx, func() { t.Error("ran") }); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

func TestCancelledRunLeavesTheQueueOfABusyPool(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	started, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = p.Run(context.Background(), 1, func(int) { close(started); <-release })
	})
	<-started
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Run(ctx, 1, func(int) { t.Error("ran") }); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	close(release)
	wg.Wait()
}

func TestPanicReachesTheCaller(t *testing.T) {
	t.Parallel()
	p := newPool(t, 2)
	func() {
		defer func() {
			c, ok := recover().(*ChunkPanic)
			if !ok || c.Value != "broken" || c.Error() == "" {
				t.Errorf("recovered %v", c)
			}
		}()
		_ = p.Run(t.Context(), 5, func(i int) {
			if i == 2 {
				panic("broken")
			}
		})
	}()
	if err := p.Run(t.Context(), 1, func(int) {}); err != nil { // the worker survived
		t.Error(err)
	}
}

func TestNestingCountsOnce(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	c := &fakeClock{}
	a := NewAccount(0, Clock(c.read))
	ctx := WithAccount(t.Context(), a)
	router := WithPart(ctx, PartRouter)
	err := Do(ctx, func() {
		c.spend(5)
		_ = Do(router, func() {
			c.spend(7)
			_ = p.Run(WithPart(ctx, PartRetrieval), 2, func(int) {
				c.spend(10)
				_ = p.Run(ctx, 2, func(int) { c.spend(1) }) // in place, no deadlock
			})
		})
		c.spend(5)
	})
	if err != nil {
		t.Fatal(err)
	}
	if a.CPU(PartAgent) != 14 || a.CPU(PartRouter) != 7 || a.CPU(PartRetrieval) != 20 {
		t.Errorf("agent %d router %d retrieval %d", a.CPU(PartAgent), a.CPU(PartRouter), a.CPU(PartRetrieval))
	}
	if len(a.frames) != 0 {
		t.Errorf("%d measurements left open", len(a.frames))
	}
}

func TestCheckpoint(t *testing.T) {
	t.Parallel()
	c := &fakeClock{}
	a := NewAccount(100, Clock(c.read))
	ctx := WithAccount(t.Context(), a)
	rounds := 0
	err := Do(ctx, func() {
		for Checkpoint(ctx) == nil {
			rounds++
			c.spend(30)
		}
	})
	if err != nil || rounds != 3 || a.Total() != 90 {
		t.Errorf("err %v, %d rounds, %d used", err, rounds, a.Total())
	}
	if err := Do(ctx, func() { t.Error("ran") }); !errors.Is(err, ErrExhausted) {
		t.Errorf("err = %v", err)
	}
}

// What a function in flight has used on its own thread counts against the limit
// before the function ends.
func TestWorkInFlightCounts(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	c := &fakeClock{}
	a := NewAccount(100, Clock(c.read))
	ctx := WithAccount(t.Context(), a)
	var inner error
	runs := 0
	if err := Do(ctx, func() {
		c.spend(80)
		if a.Remaining() != 20 || a.running() != 80 {
			t.Errorf("remaining %d, running %d", a.Remaining(), a.running())
		}
		inner = p.Run(WithChunk(ctx, 15), 3, func(int) { runs++; c.spend(15) })
	}); err != nil {
		t.Fatal(err)
	}
	if runs != 1 || !errors.Is(inner, ErrExhausted) || a.Total() != 95 {
		t.Errorf("%d runs, %v, total %d", runs, inner, a.Total())
	}
}

func TestOtherThreadsClock(t *testing.T) {
	t.Parallel()
	if _, ok := threadCPUOf(threadID()); !ok {
		t.Skip("this system does not show a thread's clock to others")
	}
	a := NewAccount(0)
	busy, stop := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = Do(WithAccount(context.Background(), a), func() {
			burn(2 * time.Millisecond)
			close(busy)
			<-stop
		})
	})
	<-busy
	seen := a.running()
	if a.Metered() != 0 || seen <= 0 {
		t.Errorf("metered %v, seen from outside %v", a.Metered(), seen)
	}
	close(stop)
	wg.Wait()
	if a.Metered() < seen {
		t.Errorf("metered %v, earlier %v", a.Metered(), seen)
	}
}

func TestClosedPool(t *testing.T) {
	t.Parallel()
	p := NewPool(2)
	p.Close()
	p.Close()
	if err := p.Run(t.Context(), 1, func(int) { t.Error("ran") }); !errors.Is(err, ErrClosed) {
		t.Errorf("err = %v", err)
	}
}

// burn spends CPU time of the calling thread.
func burn(d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
		work(1000)
	}
}

var sink atomic.Uint64

func work(n int) {
	x := uint64(n)
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	sink.Add(x)
}

// The chunks of many fan-outs together are close to what the process used.
func TestSumIsNearTheProcess(t *testing.T) {
	if ClockKind != "thread CPU time" {
		t.Log("wall clock: only the lower bound is checked")
	}
	p := newPool(t, 2)
	a := NewAccount(0)
	ctx := WithAccount(t.Context(), a)
	before, ok := ProcessCPU()
	if !ok {
		t.Fatal("the process's CPU time cannot be read")
	}
	for range 5 {
		if err := p.Run(ctx, 20, func(int) { work(400_000) }); err != nil {
			t.Fatal(err)
		}
	}
	after, _ := ProcessCPU()
	ratio := float64(a.Total()) / float64(after-before)
	t.Logf("%v of %v metered", a.Total(), after-before)
	if a.Total() <= 0 || (ClockKind == "thread CPU time" && ratio > 1.25) || ratio < 0.25 {
		t.Errorf("metered %v, process %v", a.Total(), after-before)
	}
}

func BenchmarkRunSmallChunks(b *testing.B) {
	p := NewPool(2)
	defer p.Close()
	ctx := WithAccount(context.Background(), NewAccount(0))
	for b.Loop() {
		_ = p.Run(ctx, 1000, func(int) { work(100) })
	}
}

func BenchmarkDo(b *testing.B) {
	ctx := WithAccount(context.Background(), NewAccount(time.Hour))
	for b.Loop() {
		_ = Do(ctx, func() {})
	}
}
