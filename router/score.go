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
//	score = V·(1 − g)·ŷ − w_Q·q·E/Ẽ − w_E·c_E·E/E_w − w_Γ·c_Γ·Γ/Γ_w − w_$·c_$·$/$_w
//
// with q = q₀ + Q/Ẽ and c_x = exp((x + x_spent)/x_w) (eqs. 7–12, each term divided by
// its budget, with a weight w of its own). An open budget, an unknown price or a
// switched-off queue leaves its term at 0; so does the policy's lens. gain and
// cost are what the policy goes by. q₀ is QueueFloor, and q is at most QueueCap·V: a queue that
// no choice of models can empty must not make progress worthless.
func (in *Input) terms(p *Params, v lens, gain float64, cost research.Cost) research.Terms {
	left, spent := in.left(v), in.Spent
	if v.blind {
		spent = research.Cost{}
	}
	t, w := research.Terms{Value: p.V * left * gain}, p.Weights
	if in.Allowance > 0 && cost.Joules != nil && !v.noQueue {
		q := min(p.QueueFloor+positive(in.Queue.Units())/in.Allowance.Units(), p.QueueCap*p.V)
		t.Queue = weighed(w.Queue, -q*positive(cost.Joules.Units())/in.Allowance.Units())
	}
	if v.noPenalty {
		return t
	}
	if b := in.Budget.Joules; b != nil && cost.Joules != nil {
		t.Energy = weighed(w.Energy, penalty(cost.Joules.Units(), research.OrZero(spent.Joules).Units(), b.Units()))
	}
	if b := in.Budget.Dollars; b != nil && cost.Dollars != nil {
		t.Dollars = weighed(w.Dollars, penalty(cost.Dollars.Units(), research.OrZero(spent.Dollars).Units(), b.Units()))
	}
	if b := in.Budget.Seconds; b != nil {
		t.Time = weighed(w.Time, penalty(cost.Seconds, spent.Seconds, *b))
	}
	return t
}

// left is 1 − g, as the policy sees it.
func (in *Input) left(v lens) float64 {
	if v.blind {
		return 1
	}
	return 1 - min(1, positive(in.Progress.G))
}

// weighed is w·x, and 0 rather than −0.
func weighed(w, x float64) float64 {
	if !(w > 0) || x == 0 {
		return 0
	}
	return w * x
}

// finite reads a gain; what is no number promises nothing.
func finite(gain float64) float64 {
	if math.IsNaN(gain) || math.IsInf(gain, 0) {
		return 0
	}
	return gain
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
