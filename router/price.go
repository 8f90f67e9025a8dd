package router

import "slices"

// priceSteps halve the interval of the price.
const priceSteps = 16

// Price is the price of energy (q of the score, see terms) at which runs that begin
// like these are expected to use the allowance: the largest at which they would still
// use more, so that it takes a little of the queue to keep it. It is meant for
// Params.QueueFloor: from an empty queue the price would first have to be run up by
// overspending, by as much as V is large; where what runs bring and cost can be
// foreseen, so can the price, and the queue is left to correct the estimate. That a
// queue may start from an estimate of its multiplier is due to Huang, Liu and Hao
// (The power of online learning in stochastic network optimization, 2014).
//
// begun are the inputs of first decisions, with Policy, Params and Allowance alike;
// what their queues and floors say does not matter. A run is taken for the steps that
// its best candidate is expected to bring (see courses), by what the policy goes by.
// The price is 0 where even free energy would not use the allowance, and about
// QueueCap·V where no price keeps it.
func Price(begun []Input) float64 {
	if len(begun) == 0 || begun[0].Allowance <= 0 {
		return 0
	}
	p := begun[0].params()
	target := begun[0].Allowance.Units() * float64(len(begun))
	keeps := func(q float64) bool {
		at := p
		at.QueueFloor = q
		sum := 0.0
		for i := range begun {
			sum += begun[i].foreseen(&at)
		}
		return sum <= target
	}
	low, high := 0.0, p.QueueCap*p.V
	if keeps(low) {
		return low
	}
	for range priceSteps {
		mid := (low + high) / 2
		if keeps(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	// Just below the price that keeps it: where all runs are alike one price makes
	// them all dear and the next all cheap, and it takes the queue to mix them.
	return low
}

// foreseen is the energy, in joules, of the steps that the best candidate is
// expected to bring when nothing is owed.
func (in Input) foreseen(p *Params) float64 {
	in.Queue = 0
	t, courses := in.weigh(p, ruleFor(in.Policy), slices.Clone(in.Candidates))
	if i := t.best(t.eligible); i >= 0 {
		return courses[i].joules
	}
	return 0
}
