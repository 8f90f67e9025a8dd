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
	kindSized // whole functions whose size the caller knows
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
	rates *Rates                                   // nil: sizes are taken as stated
	clock func() time.Duration                     // CPU time of the calling thread
	peek  func(thread int64) (time.Duration, bool) // the same of another thread

	mu       sync.Mutex
	used     [parts]time.Duration
	overhead time.Duration
	largest  [kinds]time.Duration
	measured research.Micro   // joules by counter, see Reconciler
	windows  bool             // a counter covered this account
	gaps     bool             // …but not all of its work
	frames   map[int64]*frame // innermost measurement of every thread at work
	refused  [parts]bool      // sized work was too large
}

// frame is a running measurement on one thread. Nested measurements add
// themselves to child, so that nothing is counted twice.
type frame struct {
	parent   *frame
	part     Part
	kind     kind
	reserved time.Duration // the most it is expected to take
	start    time.Duration
	child    time.Duration // charged elsewhere since start
}

// Option changes an account.
type Option func(*Account)

// Clock replaces the thread's CPU clock; tests use it.
func Clock(now func() time.Duration) Option {
	return func(a *Account) {
		a.clock = now
		a.peek = func(int64) (time.Duration, bool) { return now(), true }
	}
}

// NewAccount opens an account. A limit of 0 (or less) is none.
func NewAccount(limit time.Duration, opts ...Option) *Account {
	a := &Account{limit: max(limit, 0), clock: threadCPU, peek: threadCPUOf, frames: map[int64]*frame{}}
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
	return max(0, a.free())
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

// free is what the limit leaves when everything in flight takes what is held
// for it, or what it has taken already if that is more.
func (a *Account) free() time.Duration {
	held := time.Duration(0)
	a.inFlight(func(f *frame, own time.Duration) { held += max(f.reserved, own) })
	return a.limit - a.metered() - a.overhead - held
}

// inFlight visits the running measurements with the time each has taken itself
// and nobody has been charged for yet.
func (a *Account) inFlight(visit func(f *frame, own time.Duration)) {
	for thread, f := range a.frames {
		end, ok := a.peek(thread)
		for ; f != nil; f = f.parent {
			own := time.Duration(0)
			if ok {
				own = max(0, end-f.start-f.child)
			}
			visit(f, own)
			end = f.start
		}
	}
}

// running is Metered with what the chunks in flight have taken so far.
func (a *Account) running() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	sum := a.metered()
	a.inFlight(func(_ *frame, own time.Duration) { sum += own })
	return sum
}

// fits says whether one more chunk fits; the caller holds the lock.
func (a *Account) fits(need time.Duration) bool {
	if a.limit == 0 {
		return true
	}
	free := a.free()
	return free > 0 && need <= free
}

// admit says whether more work of a kind would fit.
func (a *Account) admit(k kind) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.fits(a.largest[k])
}

// begin starts a measurement on the calling, locked thread if it fits.
func (a *Account) begin(thread int64, p Part, k kind, need time.Duration) (*frame, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if k != kindSized { // who knows the size is taken at their word
		need = max(need, a.largest[k])
	}
	if !a.fits(need) {
		return nil, false
	}
	f := &frame{parent: a.frames[thread], part: p, kind: k, reserved: need}
	a.frames[thread] = f
	f.start = a.clock()
	return f, true
}

// end finishes a measurement and charges it, less what nested ones took.
func (a *Account) end(thread int64, f *frame) {
	now := a.clock()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.charge(f, now)
	if f.parent == nil {
		delete(a.frames, thread)
		return
	}
	a.frames[thread] = f.parent
}

// charge books a measurement up to now; the caller holds the lock.
func (a *Account) charge(f *frame, now time.Duration) {
	elapsed := max(0, now-f.start)
	own := max(0, elapsed-f.child)
	a.used[f.part] += own
	a.largest[f.kind] = max(a.largest[f.kind], own)
	if f.parent != nil {
		f.parent.child += elapsed
	}
	f.start, f.child = now, 0
}

// learned reports whether the size of a chunk is known, so that several may
// start at once.
func (a *Account) learned(k kind) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.limit == 0 || a.largest[k] > 0
}

// mark charges the running measurement of the thread up to now and goes on.
func (a *Account) mark(thread int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if f := a.frames[thread]; f != nil {
		a.charge(f, a.clock())
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
