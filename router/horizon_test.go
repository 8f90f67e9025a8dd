package router

import (
	"math"
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

// expectedAttempts counts the attempts of many runs in which each finishes the rest with
// chance p: what the formula must give on average.
func expectedAttempts(p float64, most int) float64 {
	n, alive := 0.0, 1.0
	for range most {
		n += alive
		alive *= 1 - p
	}
	return n
}

func TestAttemptsAreThoseOfATruncatedGeometric(t *testing.T) {
	t.Parallel()
	for _, p := range []float64{0, 1e-12, 0.05, 0.4, 0.99, 1} {
		for _, most := range []int{1, 2, 5, 12} {
			for _, left := range []float64{0.1, 0.6, 1} {
				in := tries(most, left, []float64{p * left}, []float64{1})
				got := in.attempts(left, p*left, in.Candidates[0].Expected)
				if want := expectedAttempts(p, most); math.Abs(got-want) > 1e-6 {
					t.Errorf("p %g, %d left: %g attempts, want %g", p, most, got, want)
				}
			}
		}
	}
}

func TestBudgetsBoundTheAttempts(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]research.Budget{
		"joules":  {Joules: research.Known(30e6)},
		"seconds": {Joules: research.Known(1e12), Seconds: ptr(3)},
	} {
		in := tries(9, 1, []float64{0}, []float64{10})
		in.Budget = b
		if got := in.attempts(1, 0, in.Candidates[0].Expected); got != 3 {
			t.Errorf("%s for 3 of them: %g attempts", name, got)
		}
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
