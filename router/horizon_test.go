package router

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/research"
)

// tries is a state in which a step is repeated until the run is done.
func tries(again int, left float64, gains, joules []float64) Input {
	in := Input{
		Policy: research.ProgRouter, Role: research.Reader, Progress: research.ProgressView{G: 1 - left},
		Budget: research.Budget{Joules: research.Known(1e12)}, Again: again,
		Allowance: 100e6, Params: DefaultParams(),
	}
	in.Params.V = 10
	for i := range gains {
		c := research.Cost{Joules: research.Known(research.ToMicro(joules[i])), Dollars: research.Known(0), Seconds: 1}
		in.Candidates = append(in.Candidates, research.Candidate{
			Model: string(rune('a' + i)), Tier: research.Tiers()[i], Eligible: true, Expected: c, Worst: c,
			Predicted: research.Prediction{Gain: gains[i]},
		})
	}
	return in
}

// everyone is eligible.
func everyone(int) bool { return true }

// follow is the expected score of a sequence of candidates, each asked if all before
// it failed.
func follow(in *Input, p *Params, sequence []int) float64 {
	score, alive := 0.0, 1.0
	for k, i := range sequence {
		gain := in.Candidates[i].Predicted.Gain
		if k > 0 && len(in.After) > 0 {
			gain = in.After[min(k, len(in.After))-1][i]
		}
		score += alive * in.terms(p, lens{}, gain, in.Candidates[i].Expected).Sum()
		alive *= 1 - min(1, math.Max(0, gain)/(1-in.Progress.G))
	}
	return score
}

// plan is the best of all sequences, tried one by one.
func plan(in *Input, p *Params, left int) float64 {
	best := math.Inf(-1)
	sequence := make([]int, left)
	for {
		best = math.Max(best, follow(in, p, sequence))
		k := 0
		for ; k < left; k++ { // count up
			if sequence[k]++; sequence[k] < len(in.Candidates) {
				break
			}
			sequence[k] = 0
		}
		if k == left {
			return best
		}
	}
}

func TestCoursesAreThoseOfTheBestPlan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3).Draw(t, "candidates")
		draw := func(of string, low, high float64) []float64 {
			return rapid.SliceOfN(rapid.Float64Range(low, high), n, n).Draw(t, of)
		}
		left := rapid.Float64Range(0.1, 1).Draw(t, "left")
		in := tries(rapid.IntRange(1, 4).Draw(t, "again"), left, draw("gains", -0.1, 1), draw("joules", 1, 200))
		in.Queue = research.Micro(rapid.Int64Range(0, 900e6).Draw(t, "queue"))
		for range rapid.IntRange(0, 2).Draw(t, "rows") {
			in.After = append(in.After, draw("after", 0, 1))
		}
		want := plan(&in, &in.Params, in.Again)
		d := Decide(in)
		top := slices.MaxFunc(d.Candidates, func(a, b research.Candidate) int { return cmp.Compare(a.Score, b.Score) })
		if math.Abs(top.Score-want) > 1e-6*(1+math.Abs(want)) {
			t.Fatalf("score %g, the best plan has %g", top.Score, want)
		}
	})
}

// A model that is never told otherwise is expected to be asked again with the same
// chance: the steps are those of a truncated geometric distribution.
func TestStepsOfOneModelAreThoseOfATruncatedGeometric(t *testing.T) {
	t.Parallel()
	for _, p := range []float64{0, 1e-12, 0.05, 0.4, 0.99, 1} {
		for _, most := range []int{1, 2, 5, 12} {
			for _, left := range []float64{0.1, 0.6, 1} {
				in := tries(most, left, []float64{p * left}, []float64{1})
				got := in.courses(&in.Params, lens{}, everyone, []float64{p * left}, []research.Cost{in.Candidates[0].Expected})[0].steps
				want, alive := 0.0, 1.0
				for range most {
					want += alive
					alive *= 1 - p
				}
				if math.Abs(got-want) > 1e-6 {
					t.Errorf("p %g, %d left: %g steps, want %g", p, most, got, want)
				}
			}
		}
	}
}

func TestBudgetsBoundTheSteps(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]research.Budget{
		"joules":  {Joules: research.Known(30e6)},
		"seconds": {Joules: research.Known(1e12), Seconds: ptr(3)},
	} {
		in := tries(9, 1, []float64{0}, []float64{10})
		in.Budget = b
		got := in.courses(&in.Params, lens{}, everyone, []float64{0}, []research.Cost{in.Candidates[0].Expected})[0].steps
		if got != 3 {
			t.Errorf("%s for 3 of them: %g steps", name, got)
		}
	}
}

// A dear model may be asked as often as the budget has room for it, whatever the
// cheap ones leave room for.
func TestABudgetBoundsEachModelByItself(t *testing.T) {
	t.Parallel()
	in := tries(12, 1, []float64{0, 0}, []float64{10, 90})
	in.Budget = research.Budget{Joules: research.Known(100e6)}
	in.Params.QueueFloor, in.Queue = 0, 0
	d := Decide(in)
	for i, most := range []float64{10, 10} { // nine or ten of the cheap one after either
		if got := d.Candidates[i].Attempts; got > most {
			t.Errorf("%s: %g steps in 100 J", d.Candidates[i].Model, got)
		}
	}
	p := in.params()
	if j := in.foreseen(&p); j > 100 {
		t.Errorf("%g J are foreseen of 100", j)
	}
}

// A fixed tier is followed by itself alone.
func TestAFixedTierFollowsItself(t *testing.T) {
	t.Parallel()
	in := tries(12, 1, []float64{0.02, 0.6}, []float64{10, 100})
	in.Policy = research.FixedSmall
	if d := Decide(in); d.Candidates[0].Attempts < 10 {
		t.Errorf("%g attempts by a model that hardly ever succeeds", d.Candidates[0].Attempts)
	}
}

// A task that the strong model did not solve may not be worth a second try of it.
func TestAStrongModelMayGoFirstAndACheapOneAfterIt(t *testing.T) {
	t.Parallel()
	in := tries(3, 1, []float64{0.05, 0.6}, []float64{10, 100})
	in.After = [][]float64{{0.02, 0.05}}
	in.Queue = 300e6
	d := Decide(in)
	if d.Chosen != "b" {
		t.Fatalf("first: %+v", d.Candidates)
	}
	if j := in.foreseen(&in.Params); j > 100+0.4*2*10+1 {
		t.Errorf("%g J are foreseen, more than the strong model and two cheap steps", j)
	}
	in.Again, in.Candidates[0].Predicted.Gain, in.Candidates[1].Predicted.Gain = 2, 0.02, 0.05
	if d := Decide(in); d.Chosen != "a" {
		t.Errorf("after a failure: %+v", d.Candidates)
	}
}

func ptr(x float64) *float64 { return &x }

// A model that is cheap for a step and never gets anywhere must not win by it.
func TestCheapFailuresAreNotCheap(t *testing.T) {
	t.Parallel()
	once := tries(0, 1, []float64{0.02, 0.30, 0.60}, []float64{10, 60, 100})
	once.Queue = 2000e6
	if d := Decide(once); d.Chosen != "a" || d.Candidates[0].Attempts != 0 {
		t.Errorf("a single step: %s is chosen, attempts %g", d.Chosen, d.Candidates[0].Attempts)
	}
	again := once
	again.Again = 12
	d := Decide(again)
	if d.Chosen != "c" { // 10.8 × 10 J for 21 %, 3.3 × 60 J and 1.7 × 100 J for nearly all
		t.Errorf("until done: %s is chosen of %+v", d.Chosen, d.Candidates)
	}
	for _, c := range d.Candidates {
		if c.Attempts < 1 || c.Attempts > 12 {
			t.Errorf("%s: %g attempts", c.Model, c.Attempts)
		}
	}
	again.Candidates[0].Predicted.Gain = 0.5 // and a cheap model that does get there wins
	if d := Decide(again); d.Chosen != "a" {
		t.Errorf("%s is chosen", d.Chosen)
	}
}

// However far the queue has grown, progress keeps a worth: a queue that no choice
// can empty would else make every run choose the cheapest failure for ever.
func TestTheQueueDoesNotMakeProgressWorthless(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := tries(5, 1, []float64{0, 0.9}, []float64{40, 90})
		in.Params.QueueCap = rapid.Float64Range(0.01, 0.4).Draw(t, "cap")
		in.Queue = research.Micro(rapid.Int64Range(0, math.MaxInt64).Draw(t, "queue"))
		if d := Decide(in); d.Chosen != "b" {
			t.Fatalf("%s is chosen at Q = %s: %+v", d.Chosen, in.Queue, d.Candidates)
		}
	})
}

func TestOneShotLooksAtWholeRunsAlready(t *testing.T) {
	t.Parallel()
	in := tries(5, 1, []float64{0.1, 0.5}, []float64{10, 100})
	in.Policy, in.Outlook = research.OneShot, []float64{0.3, 0.9}
	a := Decide(in)
	in.Again = 0
	if b := Decide(in); a.Candidates[0].Score != b.Candidates[0].Score || a.Chosen != b.Chosen {
		t.Errorf("%+v and %+v", a.Candidates[0], b.Candidates[0])
	}
}
