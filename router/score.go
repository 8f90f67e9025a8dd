package router

import (
	"math"

	"github.com/progrouter/progrouter/research"
)

// maxExponent keeps the budget coefficients finite when far more was spent
// than a (since lowered) budget allows: e^20 outweighs everything already.
const maxExponent = 20

// terms are the signed, unitless parts of the routing score
//
//	score = V·(1 − g)·ŷ − q·E/Ẽ − c_E·E/E_w − c_Γ·Γ/Γ_w − c_$·$/$_w
//
// with q = Q/Ẽ and c_x = exp((x + x_spent)/x_w) (eqs. 7–12, each term divided
// by its budget). An open budget, an unknown price or a switched-off queue
// leaves its term at 0.
func (in *Input) terms(c research.Candidate, p costs) research.Terms {
	g := min(1, positive(in.Progress.G))
	gain := c.Predicted.Gain
	if math.IsNaN(gain) || math.IsInf(gain, 0) {
		gain = 0
	}
	t := research.Terms{Value: in.params().V * (1 - g) * gain}
	if in.Allowance > 0 && p.expected.Joules != nil {
		q := positive(in.Queue.Units()) / in.Allowance.Units()
		t.Queue = -q * positive(p.expected.Joules.Units()) / in.Allowance.Units()
	}
	if b := in.Budget.Joules; b != nil && p.expected.Joules != nil {
		t.Energy = penalty(p.expected.Joules.Units(), research.OrZero(in.Spent.Joules).Units(), b.Units())
	}
	if b := in.Budget.Dollars; b != nil && p.expected.Dollars != nil {
		t.Dollars = penalty(p.expected.Dollars.Units(), research.OrZero(in.Spent.Dollars).Units(), b.Units())
	}
	if b := in.Budget.Seconds; b != nil {
		t.Time = penalty(c.Expected.Seconds, in.Spent.Seconds, *b)
	}
	return t
}

// penalty is −exp((x + spent)/budget)·x/budget. A budget of zero admits only
// candidates that cost nothing, so there is nothing to weigh.
func penalty(x, spent, budget float64) float64 {
	x, spent = positive(x), positive(spent)
	if !(budget > 0) || x == 0 {
		return 0
	}
	return -math.Exp(min(maxExponent, (x+spent)/budget)) * min(x/budget, math.MaxFloat32)
}

// UpdateQueue is the virtual queue after a run, Q ← max(0, Q + ΣE − Ẽ). It
// never goes below zero and saturates instead of overflowing.
func UpdateQueue(q, spent, allowance research.Micro) research.Micro {
	q, spent, allowance = max(0, q), max(0, spent), max(0, allowance)
	if q > math.MaxInt64-spent {
		return math.MaxInt64 - allowance
	}
	return max(0, q+spent-allowance)
}
