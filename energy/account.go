package energy

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/progrouter/progrouter/research"
)

// ErrExhausted says that the next piece of work does not fit the account's
// limit any more. Nothing was started for it.
var ErrExhausted = errors.New("energy: the CPU time allowed for this work is used up")

// Part is what a piece of CPU time was spent on.
type Part int

// The parts of an account. PartAgent is the default.
const (
	PartAgent Part = iota
	PartRetrieval
	PartRouter
	parts // number of parts
)

// kind separates how large chunks are learned: a chunk of a fan-out says
// nothing about the next whole function, and the other way round.
type kind int

const (
	kindChunk kind = iota
	kindWhole
	kinds
)

// Account collects the CPU time of one piece of work, usually one step. It is
// safe for concurrent use.
//
// With a limit it admits work only while it fits: before a chunk starts, what
// is used, what is in flight and the chunk itself (as large as the largest one
// seen so far, or as WithChunk says) must stay within the limit. The first
// chunk of a kind, with no hint, is admitted as long as anything is left.
type Account struct {
	limit time.Duration
	clock func() time.Duration // CPU time of the calling thread

	mu       sync.Mutex
	used     [parts]time.Duration
	overhead time.Duration
	reserved time.Duration // held for chunks in flight
	largest  [kinds]time.Duration
	measured research.Micro // joules by counter, see Reconciler
	windows  bool           // a counter covered this account
	gaps     bool           // …but not all of its work
	frames   map[int64]*frame
}

// frame is a running measurement on one thread. Nested measurements add
// themselves to child, so that nothing is counted twice.
type frame struct {
	parent *frame
	start  time.Duration
	child  time.Duration
}

// Option changes an account.
type Option func(*Account)

// Clock replaces the thread's CPU clock; tests use it.
func Clock(now func() time.Duration) Option { return func(a *Account) { a.clock = now } }

// NewAccount opens an account. A limit of 0 (or less) is none.
func NewAccount(limit time.Duration, opts ...Option) *Account {
	a := &Account{limit: max(limit, 0), clock: threadCPU, frames: map[int64]*frame{}}
	for _, o := range opts {
		o(a)
	}
	return a
}

// CPU returns the metered time of a part, without overhead.
func (a *Account) CPU(p Part) time.Duration {
	if p < 0 || p >= parts {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.used[p]
}

// Metered is the sum over the parts, without overhead.
func (a *Account) Metered() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.metered()
}

// Overhead is the account's share of the process's time that no chunk saw
// (garbage collection, scheduling). Zero unless a Reconciler tracks it.
func (a *Account) Overhead() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.overhead
}

// Total is all parts and the overhead.
func (a *Account) Total() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.metered() + a.overhead
}

// Share is a part's CPU time with its pro rata share of the overhead, so that
// the shares of all parts sum to Total (within a nanosecond per part).
func (a *Account) Share(p Part) time.Duration {
	if p < 0 || p >= parts {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	m := a.metered()
	if m == 0 {
		if p == PartAgent {
			return a.overhead
		}
		return 0
	}
	return a.used[p] + time.Duration(float64(a.overhead)*float64(a.used[p])/float64(m))
}

// Limit is the cap, 0 for none.
func (a *Account) Limit() time.Duration { return a.limit }

// Remaining is what may still be used, never negative. Without a limit it is
// the largest duration.
func (a *Account) Remaining() time.Duration {
	if a.limit == 0 {
		return time.Duration(1<<63 - 1)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return max(0, a.limit-a.metered()-a.overhead-a.reserved)
}

// Charge adds CPU time that was measured elsewhere, such as a finished child
// process's (ProcessState.UserTime + SystemTime).
func (a *Account) Charge(p Part, d time.Duration) {
	if p < 0 || p >= parts || d <= 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used[p] += d
}

func (a *Account) metered() time.Duration {
	var sum time.Duration
	for _, d := range a.used {
		sum += d
	}
	return sum
}

// admit reserves room for a chunk, or reports that it does not fit. The
// returned amount goes back through settle.
func (a *Account) admit(k kind, hint time.Duration) (time.Duration, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.limit == 0 {
		return 0, true
	}
	need := max(hint, a.largest[k])
	free := a.limit - a.metered() - a.overhead - a.reserved
	if free <= 0 || need > free {
		return 0, false
	}
	a.reserved += need
	return need, true
}

func (a *Account) settle(reserved time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reserved -= reserved
}

// learned reports whether the size of a chunk is known, so that several may
// start at once.
func (a *Account) learned(k kind) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.limit == 0 || a.largest[k] > 0
}

// begin starts a measurement on the calling, locked thread.
func (a *Account) begin(thread int64) *frame {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := &frame{parent: a.frames[thread]}
	a.frames[thread] = f
	f.start = a.clock()
	return f
}

// end finishes a measurement and charges it, less what nested ones took.
func (a *Account) end(thread int64, f *frame, p Part, k kind) {
	now := a.clock()
	a.mu.Lock()
	defer a.mu.Unlock()
	elapsed := max(0, now-f.start)
	own := max(0, elapsed-f.child)
	a.used[p] += own
	a.largest[k] = max(a.largest[k], own)
	if f.parent == nil {
		delete(a.frames, thread)
		return
	}
	f.parent.child += elapsed
	a.frames[thread] = f.parent
}

// mark charges the running measurement of the thread up to now and goes on.
func (a *Account) mark(thread int64, p Part) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := a.frames[thread]
	if f == nil {
		return
	}
	now := a.clock()
	elapsed := max(0, now-f.start)
	own := max(0, elapsed-f.child)
	a.used[p] += own
	a.largest[kindWhole] = max(a.largest[kindWhole], own)
	f.start, f.child = now, 0
	if f.parent != nil {
		f.parent.child += elapsed
	}
}

// exclude takes what fn spends on this thread out of the measurement that is
// running on it, if any: waiting for a fan-out is not work, which matters where
// the clock is the wall clock.
func (a *Account) exclude(thread int64, fn func()) {
	a.mu.Lock()
	f := a.frames[thread]
	a.mu.Unlock()
	if f == nil {
		fn()
		return
	}
	start := a.clock()
	fn()
	spent := max(0, a.clock()-start)
	a.mu.Lock()
	defer a.mu.Unlock()
	f.child += spent
}

type (
	accountKey struct{}
	partKey    struct{}
	chunkKey   struct{}
)

// WithAccount makes work under the context charge this account.
func WithAccount(ctx context.Context, a *Account) context.Context {
	return context.WithValue(ctx, accountKey{}, a)
}

// AccountFrom returns the context's account, or a throwaway one.
func AccountFrom(ctx context.Context) *Account {
	if a, ok := ctx.Value(accountKey{}).(*Account); ok && a != nil {
		return a
	}
	return NewAccount(0)
}

// WithPart says what work under the context is for.
func WithPart(ctx context.Context, p Part) context.Context {
	return context.WithValue(ctx, partKey{}, p)
}

// PartFrom returns what work under the context is for, by default PartAgent.
func PartFrom(ctx context.Context) Part {
	if p, ok := ctx.Value(partKey{}).(Part); ok && p >= 0 && p < parts {
		return p
	}
	return PartAgent
}

// WithChunk says how much CPU time the largest chunk under the context may
// take, for callers that know; it tightens the limit before anything is
// learned.
func WithChunk(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, chunkKey{}, d)
}

func chunkFrom(ctx context.Context) time.Duration {
	d, _ := ctx.Value(chunkKey{}).(time.Duration)
	return max(d, 0)
}
