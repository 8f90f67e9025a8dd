package progress

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/research"
)

func TestPriorWithoutData(t *testing.T) {
	t.Parallel()
	p := NewPrior(nil, nil)
	for _, r := range research.Roles() {
		last := 0.0
		for _, tier := range research.Tiers() {
			got := p.Predict(Features{Role: r, Tier: tier})
			if got.Basis != BasisPrior || got.Structured != nil || got.Semantic != nil || got.Gate != nil {
				t.Errorf("%s %s: %+v", r, tier, got)
			}
			if got.Gain < last || (r == research.Reader && got.Gain == last) {
				t.Errorf("%s: %s is expected to bring %v after %v by the tier below", r, tier, got.Gain, last)
			}
			last = got.Gain
		}
	}
}

func TestDataOverrulesThePrior(t *testing.T) {
	t.Parallel()
	f := Features{Role: research.Reader, Tier: research.Large, Model: "m"}
	tiers := map[string]research.Tier{"m": research.Large, "x": research.Small}
	prior := NewPrior(nil, nil).Predict(f).Gain
	last := prior
	for _, tc := range []struct {
		n     int64
		basis string
	}{{1, BasisMixed}, {5, BasisMixed}, {ModelStrength, BasisLearned}, {100000, BasisLearned}} {
		got := NewPrior([]research.GainStat{{Model: "m", Role: research.Reader, N: tc.n, Gain: 0}}, tiers).Predict(f)
		if got.Basis != tc.basis || !(got.Gain < last) || got.Gain < 0 {
			t.Errorf("n = %d: %+v after %v", tc.n, got, last)
		}
		last = got.Gain
	}
	if last > 0.01 {
		t.Errorf("many fruitless steps still promise %v", last)
	}
	for name, s := range map[string]research.GainStat{
		"other role": {Model: "m", Role: research.Writer, N: 99},
		"nothing":    {Model: "m", Role: research.Reader},
		"not finite": {Model: "m", Role: research.Reader, N: 3, Gain: math.NaN()},
	} {
		if got := NewPrior([]research.GainStat{s}, tiers).Predict(f); got.Gain != prior {
			t.Errorf("%s moved the prediction to %v", name, got.Gain)
		}
	}
}

// TestBeingTriedFirstIsNoAdvantage: what a role brings in general must lift all
// its models, not only the one that was tried.
func TestBeingTriedFirstIsNoAdvantage(t *testing.T) {
	t.Parallel()
	tiers := map[string]research.Tier{"s": research.Small, "m": research.Medium, "l": research.Large}
	for _, tried := range []string{"s", "m", "l"} {
		for _, n := range []int64{1, 10, 100, 10000} {
			each := 0.5 * lift(research.Reader, tiers[tried]) // more than the prior, in the expected ratio
			p := NewPrior([]research.GainStat{{Model: tried, Role: research.Reader, N: n, Gain: each * float64(n)}}, tiers)
			last := 0.0
			for _, m := range []string{"s", "m", "l"} {
				got := p.Predict(Features{Role: research.Reader, Model: m, Tier: tiers[m]}).Gain
				if got <= last {
					t.Errorf("%d steps of %s: %s is expected to bring %v, no more than the tier below (%v)", n, tried, m, got, last)
				}
				last = got
			}
		}
	}
}

func TestPredictionsStayInRange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := NewPrior([]research.GainStat{{
			Model: "m", Role: research.Reader,
			N:    rapid.Int64Range(-2, 1e6).Draw(t, "n"),
			Gain: rapid.Float64().Draw(t, "gain"),
		}}, nil)
		if g := p.Predict(Features{Model: "m", Role: research.Reader, Tier: "odd"}).Gain; !(g >= -1 && g <= 1) {
			t.Fatalf("gain %v", g)
		}
	})
}

func TestFeatures(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	l.plan(2)
	l.quote("q1", "one")
	l.draft()
	l.review(research.Supported)
	for i := range l.Steps {
		l.Steps[i].Tier = research.Small
	}
	l.Steps = append(l.Steps,
		research.Step{Role: research.Reader, Tier: research.Large, Outcome: research.OutcomeEmpty, ProgressBefore: .5, ProgressAfter: .4},
		research.Step{Role: research.Reader, Tier: research.Large})
	f := FeaturesOf(&l.Ledger, research.ProgressView{G: .4}, research.Reader, "m", research.Small)
	if f.Step != 5 || f.SameRole != 2 || f.SameTier != 4 || f.Failures != 1 || f.Open != 1 || f.Evidence != 1 {
		t.Errorf("%+v", f)
	}
	for i := range l.Report.Claims { // a disputed answer is an answer
		l.Report.Claims[i].Verdict = research.Contradicted
	}
	if disputed := FeaturesOf(&l.Ledger, research.ProgressView{}, research.Reader, "m", research.Small); disputed.Open != f.Open {
		t.Errorf("%d open when disputed, %d when supported", disputed.Open, f.Open)
	}
	if math.Abs(f.LastGain+0.1) > 1e-9 || f.Progress.G != .4 || f.Model != "m" {
		t.Errorf("%+v", f)
	}
}
