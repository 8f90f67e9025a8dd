package trial

import (
	"math"
	"testing"

	"github.com/progrouter/progrouter/research"
)

// Two attempts are left at a chore: the small model solves it with .9 for 10, the
// large one with .95 for 100.
func TestThePlanWeighsChancesAgainstUnits(t *testing.T) {
	t.Parallel()
	w := newDesk(2)
	s := newStream(w, Options{MaxAttempts: 2}, research.Oracle, 101, 60)
	free := s.plan.plan(w.items[0], 0).best("", 2, tries{})
	if free.model != 2 || math.Abs(free.net-(1-0.05*0.05)) > 1e-9 || math.Abs(free.units-105) > 1e-9 {
		t.Errorf("units for nothing: %+v", free)
	}
	// At .001 a unit: .9 − .01 + .1·(.9 − .01) for small and small again.
	dear := s.plan.plan(w.items[0], 0.001).best("", 2, tries{})
	if dear.model != 0 || math.Abs(dear.net-0.979) > 1e-9 || math.Abs(dear.units-11) > 1e-9 {
		t.Errorf("at a price: %+v", dear)
	}
	riddle := s.plan.plan(w.items[1], 0.001).best("", 2, tries{})
	if riddle.model != 2 {
		t.Errorf("a riddle: %+v", riddle)
	}
	w.once = true
	if once := s.plan.plan(w.items[0], 0).best("", 2, tries{2: 1}); once.model == 2 {
		t.Errorf("asked again: %+v", once)
	}
}

func TestThePriceKeepsTheAllowance(t *testing.T) {
	t.Parallel()
	w := newDesk(40)
	for _, allowance := range []float64{20, 60, 90, 200} {
		s := newStream(w, Options{MaxAttempts: 5}, research.Oracle, 101, allowance)
		s.plan.settle(w.items, 0, 0)
		cheapest := s.plan.expected(w.items, 1e6) / 40
		if got := s.plan.expected(w.items, s.plan.price) / 40; got > max(allowance, cheapest)+1e-9 {
			t.Errorf("allowance %g: %g expected", allowance, got)
		} else if allowance == 60 && got < 50 {
			t.Errorf("allowance %g: only %g expected", allowance, got)
		}
	}
}

// drawn is a desk where each model was recorded twice on each item, once solving
// it: who failed once is sure to solve it.
type drawn struct{ *desk }

func (drawn) ChanceAfter(_ Item, _ string, failed int) (float64, bool) {
	return []float64{0.5, 1}[min(failed, 1)], true
}

func TestThePlanCountsWhatWasDrawn(t *testing.T) {
	t.Parallel()
	w := drawn{newDesk(1)}
	s := newStream(w, Options{MaxAttempts: 2}, research.Oracle, 101, 60)
	got := s.plan.plan(w.items[0], 0.001).best("", 2, tries{})
	if got.model != 0 || math.Abs(got.net-(1-0.001*15)) > 1e-9 || math.Abs(got.units-15) > 1e-9 { // 10, and 10 more half of the time
		t.Errorf("got %+v", got)
	}
	r := s.begin(w.items[0])
	r.tried["desk/large"], r.steps = 1, []research.Step{{}} // failed: now it is sure, and nobody else is
	if s.plan.price = 1e-6; s.plan.choose(r) != 2 {
		t.Errorf("after one that failed, model %d", s.plan.choose(r))
	}
}
