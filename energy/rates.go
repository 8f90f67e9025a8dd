package energy

import (
	"strings"
	"sync"
	"time"
	"unicode"
)

const (
	// ratesMargin is kept above the dearest work seen.
	ratesMargin = 1.5
	// ratesFrom is the least stated time whose outcome says something: small work
	// is mostly chance.
	ratesFrom = 20 * time.Millisecond
	// After each observation, and after each account that refused something, an
	// earlier outlier counts for less.
	seenDecay, refusedDecay = 0.9, 0.95
	// ratesMost bounds what is believed of one measurement.
	ratesMost = 100
	// referenceTime is what reference takes on the machine that callers' bounds
	// come from.
	referenceTime = 500 * time.Microsecond
)

// Rates remembers how long sized work (see DoSized) takes on this machine
// compared with what its callers state, by part: work that takes twice as long
// as stated is from then on expected to take three times. It starts from a short
// measurement of the machine and never expects less than that or than stated.
// It is safe for concurrent use; a nil one believes what is stated.
type Rates struct {
	work func() // what the machine is measured by

	mu    sync.Mutex
	base  float64 // by the first measurement; 0 before it
	worst [parts]float64
}

// NewRates knows nothing yet; the accounts of one process share it (see Rated).
func NewRates() *Rates { return &Rates{work: reference} }

// Rated lets an account's sized work be admitted by what earlier work took.
func Rated(r *Rates) Option { return func(a *Account) { a.rates = r } }

// unmeasured reports whether the machine is still to be measured.
func (r *Rates) unmeasured() bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.base == 0
}

// measure runs the reference work by a thread's clock; the fastest of three
// runs counts, since others may have been disturbed.
func (r *Rates) measure(clock func() time.Duration) {
	best := time.Duration(1<<63 - 1)
	for range 3 {
		start := clock()
		r.work()
		best = min(best, clock()-start)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.base = min(ratesMost, max(1, float64(best)/float64(referenceTime)))
}

// bound is what work of a stated size is expected to take at most.
func (r *Rates) bound(p Part, stated time.Duration) time.Duration {
	if r == nil {
		return stated
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Duration(float64(stated) * max(1, r.base, r.worst[p]))
}

func (r *Rates) observe(p Part, stated, took time.Duration) {
	if r == nil || stated < ratesFrom {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := min(ratesMost, ratesMargin*float64(took)/float64(stated))
	r.worst[p] = max(seen, r.worst[p]*seenDecay)
}

// refused lets an outlier be forgotten although nothing is admitted any more.
func (r *Rates) refused(p Part) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.worst[p] *= refusedDecay
}

// reference is work like the parsing and cutting of text: characters are looked
// at one by one and words are counted.
func reference() {
	const sentence = "The keeper of kettle number 17 found that Salt and Vinegar polish copper, as others had; see page 1903. "
	counts := map[string]int{}
	for n := range 300 {
		var word strings.Builder
		for _, r := range sentence {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				word.WriteRune(unicode.ToLower(r))
				continue
			}
			if word.Len() > 0 {
				counts[word.String()] += n
				word.Reset()
			}
		}
	}
}
