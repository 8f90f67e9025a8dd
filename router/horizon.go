package router

import (
	"math"

	"github.com/progrouter/progrouter/research"
)

// attempts is how many steps like this one a candidate is expected to take until
// the run is done or no more of them may be taken.
//
// Where a step that fails is followed by another one of the same kind, a cheap
// model that hardly ever gets anywhere is not cheap: its failures are paid one by
// one, the queue grows and asks for still cheaper steps. A step is therefore
// judged with those it brings after it. With p = ŷ/(1 − g) taken for the chance
// that a step finishes the rest and N steps left,
//
//	n = 1 + (1 − p) + … + (1 − p)^(N−1) = (1 − (1 − p)^N)/p
//
// steps are expected, which bring n·ŷ = (1 − g)·(1 − (1 − p)^N) together and cost
// n times as much. N is bounded by what is left of the budgets. Where a step is
// taken once (Input.Again of 0 or 1) n is 1, and the score is that of eqs. 7–12.
func (in *Input) attempts(left, gain float64, cost research.Cost) float64 {
	most := in.affordable(cost)
	if most <= 1 || left <= 0 {
		return 1
	}
	p := min(1, positive(gain)/left)
	if p < 1e-9 {
		return most
	}
	return max(1, (1-math.Pow(1-p, most))/p)
}

// affordable is Again, as far as joules, dollars and seconds are left for it.
func (in *Input) affordable(cost research.Cost) float64 {
	n := float64(in.Again)
	if n <= 1 {
		return 1
	}
	left := in.Budget.Left(in.Spent)
	bound := func(have, each float64) {
		if each > 0 {
			n = min(n, max(1, have/each))
		}
	}
	if left.Joules != nil && cost.Joules != nil {
		bound(left.Joules.Units(), cost.Joules.Units())
	}
	if left.Dollars != nil && cost.Dollars != nil {
		bound(left.Dollars.Units(), cost.Dollars.Units())
	}
	if in.Budget.Seconds != nil {
		bound(left.Seconds, cost.Seconds)
	}
	return n
}

// times is a cost taken n times.
func times(c research.Cost, n float64) research.Cost {
	if n == 1 {
		return c
	}
	scale := func(m *research.Micro) *research.Micro {
		if m == nil {
			return nil
		}
		return research.Known(research.ToMicro(n * m.Units()))
	}
	return research.Cost{Joules: scale(c.Joules), Dollars: scale(c.Dollars), Seconds: n * c.Seconds}
}
