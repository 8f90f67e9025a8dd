package router

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/research"
)

// begin is a run of single steps by three models under an allowance in joules.
func begin(allowance float64, gains, joules []float64) Input {
	in := tries(1, 1, gains, joules)
	in.Allowance = research.ToMicro(allowance)
	in.Params.QueueFloor, in.Params.QueueCap = 0, 1
	return in
}

// spends is what the decisions of these runs are expected to cost at a price.
func spends(begun []Input, price float64) float64 {
	sum := 0.0
	for _, in := range begun {
		in.Params.QueueFloor = price
		d := Decide(in)
		for _, c := range d.Candidates {
			if c.Model == d.Chosen {
				sum += c.Expected.Joules.Units()
			}
		}
	}
	return sum / float64(len(begun))
}

// The price lies where spending crosses the allowance: a little more of it and the
// runs keep within, at most that little and they do not.
func TestThePriceIsWhereSpendingMeetsTheAllowance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var begun []Input
		allowance := rapid.Float64Range(15, 95).Draw(t, "allowance")
		for range rapid.IntRange(1, 12).Draw(t, "runs") {
			small := rapid.Float64Range(0, 0.6).Draw(t, "small")
			begun = append(begun, begin(allowance, []float64{small, small + rapid.Float64Range(0, 0.4).Draw(t, "more")}, []float64{10, 100}))
		}
		p := Price(begun)
		step := 2 * begun[0].Params.V / (1 << priceSteps)
		limit := begun[0].Params.QueueCap * begun[0].Params.V
		if p+step < limit && spends(begun, p+step) > allowance {
			t.Fatalf("at %g and a little more %g J are spent of %g", p, spends(begun, p+step), allowance)
		}
		if p > 0 && spends(begun, math.Max(0, p-step)) <= allowance {
			t.Fatalf("%g is more than it takes: %g J are spent of %g", p, spends(begun, p-step), allowance)
		}
	})
}

func TestThePriceIsNothingWhereNothingPresses(t *testing.T) {
	t.Parallel()
	if p := Price(nil); p != 0 {
		t.Errorf("no run: %g", p)
	}
	if p := Price([]Input{begin(500, []float64{0.1, 0.9}, []float64{10, 100})}); p != 0 {
		t.Errorf("an allowance that suffices for everything: %g", p)
	}
	in := begin(0, []float64{0.1, 0.9}, []float64{10, 100})
	if p := Price([]Input{in}); p != 0 {
		t.Errorf("no allowance: %g", p)
	}
	if p := Price([]Input{begin(5, []float64{0.1, 0.9}, []float64{10, 100})}); math.Abs(p-in.Params.V) > 1e-3*in.Params.V {
		t.Errorf("no choice keeps it: %g, want the cap", p)
	}
}

// Queues and floors of the runs do not matter, and the runs are left as they were.
func TestThePriceIgnoresWhatIsOwed(t *testing.T) {
	t.Parallel()
	a := begin(50, []float64{0.1, 0.5}, []float64{10, 100})
	b := a
	b.Queue, b.Params.QueueFloor = 400e6, 3
	if x, y := Price([]Input{a}), Price([]Input{b}); x != y {
		t.Errorf("%g and %g", x, y)
	}
	if b.Queue != 400e6 || b.Params.QueueFloor != 3 {
		t.Error("the input was changed")
	}
}
