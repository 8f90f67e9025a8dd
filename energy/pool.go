package energy

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// ErrClosed is returned by Run after Close.
var ErrClosed = errors.New("energy: the worker pool is closed")

// slice is how long a worker stays with one fan-out while others wait.
const slice = 5 * time.Millisecond

// ChunkPanic is what Run panics with, on the caller's goroutine, when a chunk
// panicked on a worker.
type ChunkPanic struct {
	Value any
	Stack []byte
}

func (p *ChunkPanic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Pool is a fixed set of workers, each locked to its own thread, that meter the
// CPU time of every chunk they run. Several fan-outs share the workers fairly.
type Pool struct {
	mu      sync.Mutex
	more    sync.Cond
	queue   []*job // a job appears once for every worker that may join it
	threads map[int64]bool
	closed  bool
	workers int
	done    sync.WaitGroup
}

// NewPool starts the workers; at least one, and one per processor when workers
// is 0 or less.
func NewPool(workers int) *Pool {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	p := &Pool{workers: workers, threads: map[int64]bool{}}
	p.more.L = &p.mu
	for range workers {
		p.done.Go(p.work)
	}
	return p
}

// Workers is how many chunks can run at once.
func (p *Pool) Workers() int { return p.workers }

// Close lets queued work finish and stops the workers. It may be called twice.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.more.Broadcast()
	p.mu.Unlock()
	p.done.Wait()
}

// Run calls fn(0) … fn(n-1) on the workers and returns when none of them is
// running any more. Each call is one chunk: its CPU time is charged to the
// context's account and part, and before it starts the context and the
// account's limit are checked; the first refusal is returned (ctx.Err() or
// ErrExhausted) and the remaining chunks are not started. Every chunk costs two
// clock readings and, for an idle pool, a thread switch, so chunks should be
// well above ten microseconds of work. Called from a chunk, it runs in place.
func (p *Pool) Run(ctx context.Context, n int, fn func(i int)) error {
	if n <= 0 {
		return ctx.Err()
	}
	j := &job{
		ctx: ctx, n: n, fn: fn, account: AccountFrom(ctx), part: PartFrom(ctx),
		hint: chunkFrom(ctx), done: make(chan struct{}),
	}
	thread := threadID()
	if p.isWorker(thread) {
		for j.step(thread) {
		}
		return j.result()
	}
	var err error
	j.account.exclude(thread, func() { err = p.dispatch(j) })
	if err != nil {
		return err
	}
	return j.result()
}

// dispatch hands the job to the workers and waits. While the size of a chunk is
// unknown under a limit, one worker goes alone; others join after the first.
func (p *Pool) dispatch(j *job) error {
	tickets := min(j.n, p.workers)
	if j.hint == 0 && !j.account.learned(kindChunk) {
		j.join, tickets = tickets-1, 1
	}
	if !p.push(j, tickets) {
		return ErrClosed
	}
	select {
	case <-j.done:
	case <-j.ctx.Done():
		j.stop(j.ctx.Err())
		<-j.done
	}
	return nil
}

func (p *Pool) push(j *job, tickets int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.requeue(j, tickets)
	return true
}

func (p *Pool) requeue(j *job, tickets int) {
	for range tickets {
		p.queue = append(p.queue, j)
		p.more.Signal()
	}
}

func (p *Pool) isWorker(thread int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.threads[thread]
}

func (p *Pool) work() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread := threadID()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.threads[thread] = true
	defer delete(p.threads, thread)
	for {
		for len(p.queue) == 0 && !p.closed {
			p.more.Wait()
		}
		if len(p.queue) == 0 {
			return
		}
		j := p.queue[0]
		p.queue = p.queue[1:]
		p.mu.Unlock()
		again := p.serve(j, thread)
		p.mu.Lock()
		if again {
			p.requeue(j, 1)
		}
	}
}

// serve works on a job for a slice of time, longer when nobody waits, and
// reports whether the job wants this worker again.
func (p *Pool) serve(j *job, thread int64) bool {
	start := time.Now()
	for j.step(thread) {
		if extra := j.takeJoin(); extra > 0 {
			p.mu.Lock()
			p.requeue(j, extra)
			p.mu.Unlock()
		}
		if time.Since(start) > slice && p.waiting() {
			return true
		}
	}
	return false
}

func (p *Pool) waiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.queue) > 0
}

// job is one fan-out.
type job struct {
	ctx     context.Context
	n       int
	fn      func(int)
	account *Account
	part    Part
	hint    time.Duration
	done    chan struct{}

	mu      sync.Mutex
	next    int
	running int
	join    int // workers to call in after the first chunk
	stopped bool
	closed  bool
	err     error
	panic   *ChunkPanic
}

// step runs the next chunk on the calling worker; false means that this worker
// has nothing more to do here.
func (j *job) step(thread int64) bool {
	i, f, ok := j.claim(thread)
	if !ok {
		return false
	}
	defer j.release(thread, f)
	defer func() {
		if v := recover(); v != nil {
			j.fail(&ChunkPanic{Value: v, Stack: debug.Stack()})
		}
	}()
	j.fn(i)
	return true
}

func (j *job) claim(thread int64) (i int, f *frame, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	defer j.finish()
	if j.stopped || j.next >= j.n {
		return 0, nil, false
	}
	if err := j.ctx.Err(); err != nil {
		j.err, j.stopped = err, true
		return 0, nil, false
	}
	if f, ok = j.account.begin(thread, j.part, kindChunk, j.hint); !ok {
		// Chunks in flight may need less than was held for them: whoever
		// finishes tries again, and only the last one gives up.
		if j.running == 0 {
			j.err, j.stopped = ErrExhausted, true
		}
		return 0, nil, false
	}
	i = j.next
	j.next++
	j.running++
	return i, f, true
}

func (j *job) release(thread int64, f *frame) {
	j.account.end(thread, f)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.running--
	j.finish()
}

// finish closes done once; the caller holds the lock.
func (j *job) finish() {
	if !j.closed && j.running == 0 && (j.stopped || j.next >= j.n) {
		j.closed = true
		close(j.done)
	}
}

func (j *job) stop(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.stopped && j.next < j.n {
		j.err = err
	}
	j.stopped = true
	j.finish()
}

func (j *job) fail(p *ChunkPanic) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.panic == nil {
		j.panic = p
	}
	j.stopped = true
}

func (j *job) takeJoin() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	extra := min(j.join, j.n-j.next)
	j.join = 0
	return extra
}

func (j *job) result() error {
	if j.panic != nil {
		panic(j.panic)
	}
	return j.err
}

// Do calls fn on the calling goroutine, locked to its thread, and charges its
// CPU time to the context's account and part; it returns without calling fn
// when the context is done or the account's limit does not allow it. What fn
// fans out through a Pool or nests in another Do of the same account is charged
// there and not twice. Goroutines that fn starts by itself are not metered.
func Do(ctx context.Context, fn func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a := AccountFrom(ctx)
	return a.do(ctx, kindWhole, 0, fn)
}

// ErrTooLarge says that one piece of work is larger than what is left of the
// account's limit or of the context's time. Nothing was started for it; smaller
// work may still fit.
var ErrTooLarge = errors.New("energy: this work does not fit what is left for the step")

// DoSized is Do for work whose CPU time the caller can bound beforehand, such as
// parsing so many bytes: it starts only if that much is left of the account's
// limit and of the time until the context's deadline, and is ErrTooLarge
// otherwise (ErrExhausted when nothing is left at all). Where the account is
// Rated, the stated time is taken for more on a machine that turns out slower.
func DoSized(ctx context.Context, stated time.Duration, fn func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a, part := AccountFrom(ctx), PartFrom(ctx)
	if a.rates.unmeasured() {
		if err := a.do(ctx, kindSized, 10*referenceTime, func() { a.rates.measure(a.clock) }); err != nil {
			return err
		}
	}
	need := a.rates.bound(part, stated)
	if until, ok := ctx.Deadline(); ok && time.Until(until) < need {
		a.refuse(part)
		return ErrTooLarge
	}
	var took time.Duration
	err := a.do(ctx, kindSized, need, func() {
		start := a.clock()
		fn()
		took = a.clock() - start
	})
	if err == nil {
		a.rates.observe(part, stated, took)
	}
	if errors.Is(err, ErrExhausted) && a.Remaining() > 0 {
		a.refuse(part)
		return ErrTooLarge
	}
	return err
}

// refuse tells the rates, once for each part: a step with many large documents
// says no more than one with a single one.
func (a *Account) refuse(p Part) {
	a.mu.Lock()
	first := !a.refused[p]
	a.refused[p] = true
	a.mu.Unlock()
	if first {
		a.rates.refused(p)
	}
}

func (a *Account) do(ctx context.Context, k kind, need time.Duration, fn func()) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread := threadID()
	f, ok := a.begin(thread, PartFrom(ctx), k, need)
	if !ok {
		return ErrExhausted
	}
	defer a.end(thread, f)
	fn()
	return nil
}

// Checkpoint, called inside Do on its goroutine, charges what has run since the
// start or the last checkpoint and reports whether more of the same still fits:
// ctx.Err(), ErrExhausted or nil. Long loops call it so that a limit holds
// inside one function too. Outside a Do it only checks.
func Checkpoint(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a := AccountFrom(ctx)
	a.mark(threadID())
	if !a.admit(kindWhole) {
		return ErrExhausted
	}
	return nil
}
