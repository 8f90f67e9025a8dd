package energy

import (
	"sync"
	"time"

	"github.com/progrouter/progrouter/research"
)

// Counter is a hardware energy counter: the joules since it was opened, and
// false while it cannot be read or has not moved yet.
type Counter interface {
	Joules() (research.Micro, bool)
}

// Reconciler closes the gap between what the chunks metered and what the
// process really used. Over a window it takes
//
//	rest = process CPU − Σ metered
//
// (garbage collection, scheduling, pages being served) and spreads it over the
// accounts in proportion to what each metered in that window; with a counter it
// splits the counter's joules the same way. What nobody can be charged for (a
// window without work, or an account at its limit) stays in Unattributed, so
// that always
//
//	process CPU = Σ (metered + overhead of the accounts) + unattributed.
//
// A window closes when an account is tracked or released, and whenever Window
// is called; it costs one getrusage and, with a counter, one small file read:
// call it per step, not per chunk, and at least every few minutes with a
// counter, before that wraps twice.
type Reconciler struct {
	process func() (time.Duration, bool)
	counter Counter

	mu      sync.Mutex
	last    time.Duration
	lastE   research.Micro
	hasE    bool
	debt    time.Duration // metered beyond the process's coarser clock
	spare   time.Duration
	spareE  research.Micro
	tracked []*tracked
}

type tracked struct {
	account *Account
	seen    time.Duration // metered at the last window, work in flight included
	share   time.Duration // metered in this window
	earlier time.Duration // metered before it was tracked, and not weighed yet
}

// NewReconciler compares with the process's clock; counter may be nil.
func NewReconciler(counter Counter) *Reconciler {
	return newReconciler(ProcessCPU, counter)
}

func newReconciler(process func() (time.Duration, bool), counter Counter) *Reconciler {
	r := &Reconciler{process: process, counter: counter}
	r.last, _ = process()
	if counter != nil {
		r.lastE, r.hasE = counter.Joules()
	}
	return r
}

// Track adds an account and returns the function that releases it, after which
// its overhead and its measured joules are final. Calling that twice is fine.
// What the account holds already (a step's decision, charged when the step
// begins) is taken back from what seemed to be nobody's.
func (r *Reconciler) Track(a *Account) (release func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.window()
	before := a.running()
	t := &tracked{account: a, seen: before, earlier: before}
	r.tracked = append(r.tracked, t)
	r.settle(before)
	a.cover(r.hasE)
	return func() { r.release(t) }
}

func (r *Reconciler) release(t *tracked) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, o := range r.tracked {
		if o == t {
			r.window()
			r.tracked = append(r.tracked[:i], r.tracked[i+1:]...)
			return
		}
	}
}

// Window closes the running window.
func (r *Reconciler) Window() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.window()
}

// Unattributed is the CPU time and the counted joules that no account was
// charged for.
func (r *Reconciler) Unattributed() (time.Duration, research.Micro) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.spare - r.debt, r.spareE
}

func (r *Reconciler) window() {
	var sum time.Duration
	for _, t := range r.tracked {
		now := max(t.seen, t.account.running())
		t.share, t.seen = now-t.seen, now
		sum += t.share
	}
	r.windowCPU(sum)
	sum = 0
	for _, t := range r.tracked {
		t.share, t.earlier = t.share+t.earlier, 0
		sum += t.share
	}
	r.windowEnergy(sum)
}

// settle takes time that turned out to be somebody's from what seemed to be
// nobody's, or from the windows to come.
func (r *Reconciler) settle(d time.Duration) {
	back := min(r.spare, d)
	r.spare, r.debt = r.spare-back, r.debt+d-back
}

func (r *Reconciler) windowCPU(sum time.Duration) {
	now, ok := r.process()
	if !ok {
		return
	}
	rest := now - r.last - sum - r.debt
	r.last, r.debt = now, 0
	if rest < 0 {
		// Thread clocks are finer than getrusage, and where threads cannot be
		// read from outside, work in flight is seen only when it ends.
		r.settle(-rest)
		return
	}
	left := rest
	r.spread(int64(rest), sum, func(a *Account, n int64) {
		left -= a.addOverhead(time.Duration(n))
	})
	r.spare += left
}

func (r *Reconciler) windowEnergy(sum time.Duration) {
	if r.counter == nil {
		return
	}
	now, ok := r.counter.Joules()
	if !ok || !r.hasE {
		for _, t := range r.tracked {
			t.account.cover(false)
		}
		r.lastE, r.hasE = now, ok
		return
	}
	delta := now - r.lastE
	r.lastE = now
	left := delta
	r.spread(int64(delta), sum, func(a *Account, n int64) {
		a.addMeasured(research.Micro(n))
		left -= research.Micro(n)
	})
	r.spareE += left
}

// spread splits an amount in proportion to the shares; the pieces sum to the
// amount exactly.
func (r *Reconciler) spread(amount int64, sum time.Duration, give func(*Account, int64)) {
	if amount <= 0 || sum <= 0 {
		return
	}
	var seen time.Duration
	given := int64(0)
	for _, t := range r.tracked {
		if t.share <= 0 {
			continue
		}
		seen += t.share
		upto := amount
		if seen < sum {
			upto = min(amount, int64(float64(amount)*(float64(seen)/float64(sum))))
		}
		give(t.account, upto-given)
		given = upto
	}
}

// addOverhead charges overhead and returns how much of it the limit allowed.
func (a *Account) addOverhead(d time.Duration) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.limit > 0 {
		d = min(d, max(0, a.free()))
	}
	a.overhead += d
	return d
}

func (a *Account) addMeasured(j research.Micro) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.measured += j
}

// cover notes whether the counter covered the account's work so far.
func (a *Account) cover(ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.windows = a.windows || ok
	a.gaps = a.gaps || !ok
}

// Measured is the account's share of the hardware counter, and false when a
// counter did not cover all of its work.
func (a *Account) Measured() (research.Micro, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.measured, a.windows && !a.gaps
}

// EnergyOf is the energy of an account's work: its share of the counter
// (measured:rapl) when that covered all of it, else modelled from Total.
func (m *Meter) EnergyOf(a *Account) research.Energy {
	if j, ok := a.Measured(); ok {
		return research.Energy{
			Joules: research.Known(j), Low: research.Known(j), High: research.Known(j),
			Method: research.MethodRAPL,
		}
	}
	return m.Energy(a.Total())
}

// PartJoules is how much of EnergyOf went into a part.
func (m *Meter) PartJoules(a *Account, p Part) research.Micro {
	j, ok := a.Measured()
	if !ok {
		return m.Joules(a.Share(p))
	}
	total := a.Total()
	if total <= 0 {
		return 0
	}
	return research.ToMicro(j.Units() * float64(a.Share(p)) / float64(total))
}
