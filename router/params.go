package router

import (
	"math"

	"github.com/progrouter/progrouter/research"
)

// Params are the free parameters of the score and of the exploration.
type Params struct {
	// V weighs expected progress against cost. On the scales of the score a gain
	// of 0.1 at the start of a run is worth V/10, and a step that takes 1 % of
	// the run's energy budget costs 0.01 to 0.03.
	V float64
	// Weights of the cost terms; the zero value means 1 for each.
	Weights Weights
	// QueueCap bounds the price that the queue puts on energy, as a share of V: q
	// counts as QueueCap·V at most. 0 means the default.
	QueueCap float64
	// QueueFloor is the price of energy where nothing is owed: q counts as
	// QueueFloor + Q/Ẽ. It takes the place of a backlog that would have to be run up
	// first (a place-holder backlog, as the theory of virtual queues calls it).
	QueueFloor float64
	// ε decays from Epsilon0 towards EpsilonMin as exp(−decisions/Decay).
	Epsilon0, EpsilonMin, Decay float64
	// StallGain is the realised gain below which the cascade calls a step
	// stalled.
	StallGain float64
}

// Weights scale the cost terms of the score against each other. With 1 for each,
// a term is what eqs. 7–12 say, divided by its budget or by the allowance.
type Weights struct{ Queue, Energy, Time, Dollars float64 }

// DefaultParams are the documented defaults, chosen by the bench on development
// questions (docs/evaluation.md). V is large against the terms of a run's budgets,
// so that it is the queue that prices energy: it grows until runs keep their
// allowance and falls when they stay below. The larger V, the steadier that
// price, the better the choice, and the more energy is owed before it bites, which
// QueueFloor makes up for: with V = 60 and 0.6, an allowance of energy must bring
// a hundredth of a run's progress where nothing is owed. QueueCap = 1 says that
// the whole of it is worth an allowance, whatever is owed.
func DefaultParams() Params {
	return Params{
		V: 60, Weights: Weights{Queue: 1, Energy: 1, Time: 1, Dollars: 1}, QueueFloor: 0.6, QueueCap: 1,
		Epsilon0: 0.10, EpsilonMin: 0.02, Decay: 400, StallGain: 0.01,
	}
}

// Limits of what may be set.
const (
	maxV      = 1e6
	maxWeight = 1e6
	maxDecay  = 1e9
)

// Validate refuses parameters that no decision can be made by. The message names
// the setting.
func (p Params) Validate() error {
	bad := func(format string, args ...any) error {
		return research.Errorf(research.EInvalid, "config", format, args...)
	}
	w := p.Weights
	for _, x := range []struct {
		name string
		v    float64
	}{{"weight_queue", w.Queue}, {"weight_energy", w.Energy}, {"weight_time", w.Time}, {"weight_dollars", w.Dollars}} {
		if !(x.v >= 0 && x.v <= maxWeight) {
			return bad("%s is %g; it must be between 0 and %g. 0 leaves the term out.", x.name, x.v, float64(maxWeight))
		}
	}
	switch {
	case !(p.V > 0 && p.V < maxV):
		return bad("value is %g; it must be positive.", p.V)
	case w == (Weights{}):
		return bad("All weights are 0, so no cost would count. Leave at least one of weight_queue, weight_energy, weight_time and weight_dollars above 0.")
	case !(p.QueueFloor >= 0 && p.QueueFloor <= maxWeight):
		return bad("queue_floor is %g; it must be at least 0.", p.QueueFloor)
	case !(p.QueueCap > 0 && p.QueueCap <= maxWeight):
		return bad("queue_cap is %g; it must be positive.", p.QueueCap)
	case !(p.Epsilon0 >= 0 && p.Epsilon0 <= 1 && p.EpsilonMin >= 0 && p.EpsilonMin <= p.Epsilon0):
		return bad("epsilon and epsilon_min must satisfy 0 ≤ epsilon_min ≤ epsilon ≤ 1; they are %g and %g.", p.Epsilon0, p.EpsilonMin)
	case !(p.Decay > 0 && p.Decay <= maxDecay):
		return bad("epsilon_decay is %g; it must be a positive number of decisions.", p.Decay)
	case !(p.StallGain >= 0 && p.StallGain < 1):
		return bad("stall_gain is %g; it must be at least 0 and below 1.", p.StallGain)
	}
	return nil
}

// params are the input's, with defaults for what was left out.
func (in *Input) params() Params {
	if in.Params == (Params{}) {
		return DefaultParams()
	}
	p := in.Params
	if p.Weights == (Weights{}) {
		p.Weights = Weights{Queue: 1, Energy: 1, Time: 1, Dollars: 1}
	}
	if p.QueueCap == 0 {
		p.QueueCap = DefaultParams().QueueCap
	}
	return p
}

// Epsilon is the chance of a random choice after n decisions.
func (p Params) Epsilon(n int64) float64 {
	e := p.EpsilonMin
	if p.Decay > 0 {
		e = max(e, p.Epsilon0*math.Exp(-float64(max(n, 0))/p.Decay))
	}
	if !(e > 0) {
		return 0
	}
	return min(e, 1)
}
