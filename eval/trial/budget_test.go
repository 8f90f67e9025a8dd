package trial

import (
	"context"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/research"
)

func TestNoBudgetIsOverrun(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newDesk(6)
		for i := range w.models {
			worst := rapid.Float64Range(0.001, 500).Draw(rt, "worst")
			w.models[i].Worst = Cost{Units: worst, Seconds: rapid.Float64Range(0.001, 50).Draw(rt, "seconds")}
			w.models[i].Prior = Cost{Units: rapid.Float64Range(0, 600).Draw(rt, "prior"), Seconds: 1}
		}
		o := Options{
			Policies: []research.Policy{rapid.SampledFrom(everyPolicy()).Draw(rt, "policy")}, Seeds: []int{rapid.IntRange(101, 999).Draw(rt, "seed")},
			Budget:    Limit{rapid.Float64Range(0.001, 900).Draw(rt, "units"), rapid.Float64Range(0.001, 90).Draw(rt, "budget seconds")},
			Allowance: rapid.Float64Range(0.01, 300).Draw(rt, "allowance"), MaxAttempts: rapid.IntRange(1, 9).Draw(rt, "attempts"), Params: params(),
		}
		res, err := Play(context.Background(), worstCase{w}, o)
		if err != nil {
			rt.Fatal(err)
		}
		for _, r := range res.Rows {
			if r.Overrun || r.Units > o.Budget.Units+1e-5 || r.Seconds > o.Budget.Seconds+1e-5 || len(r.Steps) > o.MaxAttempts {
				rt.Fatalf("%+v of %+v", r, o.Budget)
			}
			if r.Stopped == "" {
				rt.Fatalf("%+v ended for no reason", r)
			}
		}
	})
}

// worstCase charges the most an attempt can cost.
type worstCase struct{ *desk }

func (w worstCase) Attempt(ctx context.Context, it Item, model string, n int, said string, r *rand.Rand) (Outcome, error) {
	out, err := w.desk.Attempt(ctx, it, model, n, said, r)
	for _, m := range w.models {
		if m.Name == model {
			_, out.Cost = m.costs(it.Kind)
		}
	}
	return out, err
}

// An attempt dearer than the world said is counted, and so is the overrun.
func TestWhatCostsMoreThanItsWorstCaseIsCounted(t *testing.T) {
	t.Parallel()
	w := newDesk(4)
	for i := range w.models {
		w.models[i].Worst = Cost{Units: 1, Seconds: 1}
	}
	res := play(t, w, Options{Policies: []research.Policy{research.FixedLarge}, Seeds: []int{101}, Budget: Limit{20, 100}})
	for _, r := range res.Rows {
		if !r.Overrun || r.Beyond != 1 || len(r.Steps) != 1 {
			t.Errorf("%+v", r)
		}
	}
}

func TestExpectedCostsAreLearned(t *testing.T) {
	t.Parallel()
	m := Model{Name: "m", Prior: Cost{Units: 10}, Kinds: map[string]ModelKind{"code": {Prior: Cost{Units: 40}}}}
	b := costBook{}
	if got := b.expected(m, "code").Units; got != 40 {
		t.Errorf("before any: %g", got)
	}
	for range 5 {
		b.add("m", "code", Cost{Units: 20, Seconds: 2})
	}
	if c := b.expected(m, "code"); c.Units != 30 || c.Seconds != 1 {
		t.Errorf("after five: %+v", c)
	}
	if got := b.expected(m, "words").Units; got != 10 {
		t.Errorf("another kind: %g", got)
	}
}

func TestTheDefaultBudgetHoldsTheDearest(t *testing.T) {
	t.Parallel()
	w := newDesk(1)
	l := Options{MaxAttempts: 3}.limit(w.models, "words")
	if l.Units != 3*200 || l.Seconds != 3*20 {
		t.Errorf("%+v", l)
	}
	if l = (Options{MaxAttempts: 2, Budget: Limit{Units: 5}}).limit(w.models, "words"); l.Units != 5 || l.Seconds != 40 {
		t.Errorf("%+v", l)
	}
}
