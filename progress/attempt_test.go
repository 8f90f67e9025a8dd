package progress

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/research"
)

// play scores attempts one after the other, as a run does.
func play(history []Attempt) (views []research.ProgressView, steps []research.Step) {
	views = append(views, ScoreAttempts(nil, nil))
	for i := range history {
		steps = append(steps, research.Step{
			Index: i, Role: Solver, Model: "m", Tier: research.Small, Outcome: research.OutcomeOK, ProgressBefore: views[i].G,
		})
		v := ScoreAttempts(history[:i+1], steps)
		steps[i].ProgressAfter = v.G
		views = append(views, v)
	}
	return views, steps
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		history   []Attempt
		regime    research.Regime
		low, high float64
	}{
		{"nothing tried", nil, research.RegimeInvalid, 0, 0},
		{"no answer", []Attempt{{Verdict: Missing}}, research.RegimeInvalid, 0, 0},
		{"server failed", []Attempt{{Verdict: Failed}}, research.RegimeInvalid, 0, 0},
		{"no verdict", []Attempt{{}}, research.RegimeInvalid, 0, 0},
		{"no program", []Attempt{{Verdict: Syntax, Cut: true}}, research.RegimeRecoverable, 0.05, 0.2},
		{"raises an error", []Attempt{{Verdict: Broken}}, research.RegimeRecoverable, 0.05, 0.2},
		{"wrong", []Attempt{{Verdict: Wrong}}, research.RegimeRecoverable, 0.1, 0.25},
		{"half", []Attempt{{Verdict: Partly, Share: 0.5}}, research.RegimePartial, 0.3, 0.6},
		{"solved", []Attempt{{Verdict: Passed, Share: 1}}, research.RegimeComplete, 0.97, 1},
		{"solved, share not told", []Attempt{{Verdict: Passed}}, research.RegimeComplete, 0.97, 1},
		{"solved late", []Attempt{{Verdict: Wrong}, {Verdict: Syntax}, {Verdict: Wrong}, {Verdict: Passed}}, research.RegimeComplete, 0.97, 1},
		{"a share of what does not run", []Attempt{{Verdict: Timeout, Share: 0.9}}, research.RegimeRecoverable, 0.05, 0.2},
	} {
		views, _ := play(tc.history)
		v := views[len(views)-1]
		if v.Regime != tc.regime || v.G < tc.low || v.G > tc.high {
			t.Errorf("%s: %+v", tc.name, v)
		}
	}
}

func drawAttempts(t *rapid.T) []Attempt {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Attempt {
		return Attempt{
			Verdict: rapid.SampledFrom([]string{Passed, Wrong, Partly, Broken, Syntax, Timeout, Missing, Failed, "", "odd"}).Draw(t, "verdict"),
			Share:   rapid.Float64Range(-0.5, 1.5).Draw(t, "share"),
			Cut:     rapid.Bool().Draw(t, "cut"),
		}
	}), 0, 6).Draw(t, "attempts")
}

// TestAFailureTakesNothingAway: milestones and regime are those of the best
// attempt so far; only the trend and the last transition may fall.
func TestAFailureTakesNothingAway(t *testing.T) {
	t.Parallel()
	order := []research.Regime{research.RegimeInvalid, research.RegimeRecoverable, research.RegimePartial, research.RegimeComplete}
	rapid.Check(t, func(t *rapid.T) {
		views, _ := play(drawAttempts(t))
		for i, v := range views {
			if !(v.G >= 0 && v.G <= 1) || !(v.Completion >= 0 && v.Completion <= 1+1e-9) {
				t.Fatalf("%+v", v)
			}
			if i == 0 {
				continue
			}
			last := views[i-1]
			if v.Completion < last.Completion || slices.Index(order, v.Regime) < slices.Index(order, last.Regime) {
				t.Fatalf("%+v after %+v", v, last)
			}
			if v.Completion > last.Completion && v.G <= last.G-0.14 {
				t.Fatalf("g fell from %v to %v by a milestone", last.G, v.G)
			}
			if v.Regime == research.RegimeComplete && v.G < 0.97 {
				t.Fatalf("solved is worth %v", v.G)
			}
		}
	})
}

func TestAttemptFeatures(t *testing.T) {
	t.Parallel()
	history := []Attempt{{Verdict: Partly, Share: 0.5}, {Verdict: Syntax, Cut: true}}
	views, steps := play(history)
	steps[1].Model, steps[1].Tier = "n", research.Large
	steps = append(steps, research.Step{Role: Solver, Model: "n", Tier: research.Large}) // in flight
	task := Task{Kind: "code", Text: "Reverse a string."}
	f := AttemptFeatures(task, history, steps, views[2], "n", research.Large)
	if f.Domain != DomainAttempt || f.Role != Solver || f.Kind != "code" || f.Question != task.Text || f.Step != 2 || f.SameRole != 2 ||
		f.SameTier != 1 || f.SameModel != 1 || f.Failures != 2 || f.Open != 1 || f.Last != "syntax cut" || f.LastGain >= 0 {
		t.Errorf("%+v", f)
	}
	if v, cut := verdictOf(f.Last); v != Syntax || !cut {
		t.Errorf("%q %v", v, cut)
	}
	solved := []Attempt{{Verdict: Wrong}, {Verdict: Passed, Share: 1}}
	views, steps = play(solved)
	if f := AttemptFeatures(task, solved, steps, views[2], "n", research.Large); f.Failures != 0 || f.Open != 0 {
		t.Errorf("%+v", f)
	}
	if slices.Contains(research.Roles(), Solver) {
		t.Error("research has a solver")
	}
}

// TestPriorOfAttempts: .30, .45 and .60 of what is missing.
func TestPriorOfAttempts(t *testing.T) {
	t.Parallel()
	p := NewPrior(nil, nil)
	for _, g := range []float64{0, 0.2, 1} {
		for tier, want := range map[research.Tier]float64{research.Small: 0.30, research.Medium: 0.45, research.Large: 0.60} {
			got := p.Predict(Features{Role: Solver, Tier: tier, Progress: research.ProgressView{G: g}})
			if x := want * (1 - g); !near(&got.Gain, x) || got.Basis != BasisPrior {
				t.Errorf("%s at %v: %+v, want %v", tier, g, got, x)
			}
		}
	}
}

func near(p *float64, want float64) bool { return p != nil && math.Abs(*p-want) < 1e-9 }

// What a state is expected to be after failures is what it is after them, where
// they leave the progress alone.
func TestFeaturesAfterFailures(t *testing.T) {
	t.Parallel()
	task := Task{Kind: "code", Text: "Add two numbers.", Language: "en"}
	try := func(n int) Features {
		var history []Attempt
		var steps []research.Step
		for range n {
			history = append(history, Attempt{Verdict: Wrong})
			g := ScoreAttempts(history, steps).G
			steps = append(steps, research.Step{Role: Solver, Model: "m", Tier: research.Small, Outcome: research.OutcomeOK, ProgressBefore: g, ProgressAfter: g})
		}
		return AttemptFeatures(task, history, steps, research.ProgressView{}, "m", research.Small)
	}
	for from := range 3 {
		for n := 1; n < 4; n++ {
			if got, want := try(from).AfterFailures(n), try(from+n); got != want {
				t.Errorf("%d and %d more:\n%+v\nwant\n%+v", from, n, got, want)
			}
		}
	}
}

func TestARecordOfAttemptsCountsSoonerThanOneOfSteps(t *testing.T) {
	t.Parallel()
	for role, least := range map[research.Role]int64{Solver: solverStrength, research.Reader: ModelStrength} {
		stat := research.GainStat{Model: "m", Role: role, N: least, Gain: 0.1 * float64(least)}
		f := Features{Model: "m", Role: role, Tier: research.Small}
		if b := NewPrior([]research.GainStat{stat}, nil).Predict(f).Basis; b != BasisLearned {
			t.Errorf("%s after %d steps: %s", role, least, b)
		}
		stat.N--
		if b := NewPrior([]research.GainStat{stat}, nil).Predict(f).Basis; b != BasisMixed {
			t.Errorf("%s after %d steps: %s", role, stat.N, b)
		}
	}
}
