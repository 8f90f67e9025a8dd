package trial

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
)

// stairs is a world of two stages: the small model gets the first one done and
// never the second, the large one both.
type stairs struct{ *desk }

func (w stairs) MaxAttempts() int { return 7 }
func (w stairs) Budget() Limit    { return Limit{Units: 1234, Seconds: 999} }

func (w stairs) Foresee(_ Item, model, said string) (float64, Outcome, bool) {
	switch {
	case said != "halfway":
		return 1, Outcome{Verdict: Partly, Share: 0.5, Said: "halfway"}, true
	case model == "desk/large":
		return 1, Outcome{Verdict: Passed, Share: 1}, true
	}
	return 0, Outcome{Verdict: Passed, Share: 1}, true
}

func (w stairs) Attempt(_ context.Context, it Item, model string, _ int, said string, _ *rand.Rand) (Outcome, error) {
	p, out, _ := w.Foresee(it, model, said)
	if p == 0 {
		out = Outcome{Verdict: Partly, Share: 0.5, Said: said}
	}
	for _, m := range w.models {
		if m.Name == model {
			out.Cost = m.Prior
		}
	}
	return out, nil
}

// Attempts and budget are the world's unless somebody said otherwise, what was
// reached travels on, and the oracle knows what comes next at each stage.
func TestStages(t *testing.T) {
	t.Parallel()
	w := stairs{newDesk(20)}
	p := router.DefaultParams()
	p.V, p.Epsilon0, p.EpsilonMin = 10, 0, 0
	res, err := Play(t.Context(), w, Options{
		Policies: []research.Policy{research.FixedSmall, research.Oracle}, Seeds: []int{101}, Params: p, Allowance: 120,
	})
	if err != nil {
		t.Fatal(err)
	}
	if res.Options.MaxAttempts != 7 || res.Limits["words"] != w.Budget() {
		t.Errorf("%d attempts, limits %+v", res.Options.MaxAttempts, res.Limits)
	}
	for _, r := range res.Rows {
		switch {
		case r.Policy == research.FixedSmall && (r.Solved || len(r.Steps) != 7):
			t.Errorf("fixed-small: solved %t in %d steps", r.Solved, len(r.Steps))
		case r.Policy == research.Oracle && (len(r.Steps) != 2 || r.Steps[0].Model != "desk/small" || r.Steps[1].Model != "desk/large"):
			t.Errorf("oracle: %+v", r.Steps)
		}
	}
	own := Options{MaxAttempts: 3, Budget: Limit{Units: 5}}.of(w)
	if own.MaxAttempts != 3 || own.Budget.Units != 5 {
		t.Errorf("what was said is not kept: %+v", own)
	}
}
