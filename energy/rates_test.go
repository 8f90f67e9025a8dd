package energy

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// slow is a machine on a fake clock whose work takes a multiple of what is
// stated for it.
type slow struct {
	now    atomic.Int64
	factor float64
}

func (s *slow) clock() time.Duration  { return time.Duration(s.now.Load()) }
func (s *slow) spend(d time.Duration) { s.now.Add(int64(float64(d) * s.factor)) }
func (s *slow) rates(seen float64) *Rates {
	return &Rates{work: func() { s.now.Add(int64(seen * float64(referenceTime))) }}
}
func (s *slow) account(l time.Duration, r *Rates) *Account {
	return NewAccount(l, Clock(s.clock), Rated(r))
}

// However much slower than stated work is, no account is overdrawn once the
// first piece has been seen, and with a measured machine not even by that.
func TestRatesKeepSlowWorkWithinTheLimit(t *testing.T) {
	t.Parallel()
	const stated, limit = 100 * time.Millisecond, time.Second
	for _, factor := range []float64{0.1, 1, 3, 10, 40} {
		for _, measured := range []bool{true, false} {
			m := &slow{factor: factor}
			seen := 1.0
			if measured {
				seen = factor
			}
			rates := m.rates(seen)
			for n := range 20 {
				a := m.account(limit, rates)
				ctx, ran := WithAccount(t.Context(), a), 0
				for range 30 {
					err := DoSized(ctx, stated, func() { m.spend(stated); ran++ })
					if err != nil && !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrExhausted) {
						t.Fatal(err)
					}
				}
				if over := a.Metered() > limit; over && (measured || n > 0) {
					t.Errorf("factor %g, measured %v, account %d: used %v of %v", factor, measured, n, a.Metered(), limit)
				}
				if factor <= 3 && ran == 0 {
					t.Errorf("factor %g, measured %v, account %d: nothing was admitted", factor, measured, n)
				}
			}
		}
	}
}

// One outlier does not shut out large work for ever.
func TestRatesForgetAnOutlier(t *testing.T) {
	t.Parallel()
	const stated = 100 * time.Millisecond
	m := &slow{factor: 30}
	rates := m.rates(1)
	try := func() bool {
		return DoSized(WithAccount(t.Context(), m.account(500*time.Millisecond, rates)), stated, func() { m.spend(stated) }) == nil
	}
	if !try() || try() {
		t.Fatal("the outlier was not run, or not believed")
	}
	m.factor = 0.5
	for range 200 {
		if try() {
			return
		}
	}
	t.Error("still refused after 200 tries")
}

// Parts learn apart, small work teaches nothing, and without rates the stated
// time counts.
func TestRatesLearnByPart(t *testing.T) {
	t.Parallel()
	r := &Rates{base: 1}
	r.observe(PartRetrieval, time.Second, 4*time.Second)
	r.observe(PartAgent, time.Millisecond, time.Second)
	if got := r.bound(PartRetrieval, time.Second); got != 6*time.Second {
		t.Errorf("retrieval %v", got)
	}
	if got := r.bound(PartAgent, time.Second); got != time.Second {
		t.Errorf("agent %v", got)
	}
	var none *Rates
	none.observe(PartAgent, time.Second, time.Hour)
	none.refused(PartAgent)
	if none.unmeasured() || none.bound(PartAgent, time.Second) != time.Second {
		t.Error("a nil Rates has an opinion")
	}
}

// BenchmarkReference gives referenceTime, in CPU time of the thread.
func BenchmarkReference(b *testing.B) {
	a := NewAccount(0)
	for b.Loop() {
		if err := Do(WithAccount(b.Context(), a), reference); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(a.Metered().Nanoseconds())/float64(b.N), "cpu-ns/op")
}
