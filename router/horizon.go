package router

import "github.com/progrouter/progrouter/research"

// course is a step with those that are expected to follow it.
type course struct {
	terms  research.Terms
	steps  float64
	joules float64
}

// followed is c, and with that chance the course on after it.
func (c course) followed(chance float64, on course) course {
	if chance == 0 {
		return c
	}
	c.steps += chance * on.steps
	c.joules += chance * on.joules
	c.terms.Value += chance * on.terms.Value
	c.terms.Queue += chance * on.terms.Queue
	c.terms.Energy += chance * on.terms.Energy
	c.terms.Time += chance * on.terms.Time
	c.terms.Dollars += chance * on.terms.Dollars
	return c
}

// courses scores every candidate with the steps that it brings after it.
//
// Where a step that fails is followed by another one of the same kind, a cheap
// model that hardly ever gets anywhere is not cheap: its failures are paid one by
// one, the queue grows and asks for still cheaper steps. With p = ŷ/(1 − g) taken
// for the chance that a step finishes the rest, and S for the score of a single
// step (eqs. 7–12, see terms), a candidate m with N steps left is worth
//
//	S₀(m) + (1 − p₀(m))·W₁,  W_k = max over m of S_k(m) + (1 − p_k(m))·W_k₊₁,  W_N = 0
//
// where S_k and p_k are those after k further steps that brought nothing
// (Input.After). So a strong model may go first and a cheap one after it, when a
// task that it did not solve is hardly worth another. A model takes no later step
// than the budgets have room for were it asked every time. Where a step is taken once
// (Input.Again of 0 or 1) what is left is S₀, the published score.
//
// gains and costs are what the policy goes by, follows tells who may take the steps
// after this one.
func (in *Input) courses(p *Params, v lens, follows func(int) bool, gains []float64, costs []research.Cost) []course {
	room, most := make([]int, len(gains)), 1
	for i := range room {
		if !v.once && follows(i) {
			room[i] = int(in.affordable(costs[i]) + 1e-9) //nolint:gosec // costs are as many as gains
			most = max(most, room[i])
		}
	}
	var on course // W of the step after
	for k := most - 1; k > 0; k-- {
		best, found := course{}, false
		for i := range gains {
			if k >= room[i] {
				continue
			}
			if c := in.course(p, v, in.after(k, i, gains[i]), costs[i], on); !found || c.terms.Sum() > best.terms.Sum() {
				best, found = c, true
			}
		}
		on = best
	}
	out := make([]course, len(gains))
	for i := range out {
		out[i] = in.course(p, v, gains[i], costs[i], on) //nolint:gosec // as above
	}
	return out
}

// course of one step, followed by another if it does not finish the rest.
func (in *Input) course(p *Params, v lens, gain float64, cost research.Cost, on course) course {
	c := course{terms: in.terms(p, v, gain, cost), steps: 1, joules: positive(research.OrZero(cost.Joules).Units())}
	left := in.left(v)
	if left <= 0 {
		return c
	}
	return c.followed(1-min(1, positive(gain)/left), on)
}

// after is what a candidate is expected to gain after k steps that brought nothing.
func (in *Input) after(k, i int, gain float64) float64 {
	if len(in.After) == 0 {
		return gain
	}
	if row := in.After[min(k, len(in.After))-1]; i < len(row) {
		return finite(row[i])
	}
	return gain
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
