package router

import "github.com/progrouter/progrouter/research"

// choose applies the policy. Where there is no choice, none is made.
func (in *Input) choose(r rule, t table) choice {
	if _, fixed := in.Policy.FixedTier(); !fixed {
		switch len(t.eligible) {
		case 0:
			return choice{index: -1, code: ReasonNothingFits}
		case 1:
			return choice{index: t.eligible[0], propensity: 1, code: ReasonOnlyFits}
		}
	}
	return r.choose(in, t)
}

// exploring takes the policy's own choice, and with probability ε any eligible
// model with equal chance, that choice included; so the logged propensity is ε/n,
// plus 1 − ε for the policy's own.
func (in *Input) exploring(t table, own choice) choice {
	n, epsilon := len(t.eligible), 0.0
	if in.Rand != nil {
		epsilon = in.params().Epsilon(in.Decisions)
	}
	c := own
	if epsilon > 0 && in.Rand.Float64() < epsilon {
		c = choice{index: t.eligible[in.Rand.IntN(n)], explored: true, code: ReasonExplored, own: own.index}
	}
	c.propensity = epsilon / float64(n)
	if c.index == own.index {
		c.propensity += 1 - epsilon
	}
	return c
}

// stalled: interrupted and cancelled steps say nothing about the model.
func (in *Input) stalled(s research.Step) bool {
	switch s.Outcome {
	case research.OutcomeEmpty, research.OutcomeInvalid, research.OutcomeError:
		return true
	case research.OutcomeOK:
		return s.ProgressAfter-s.ProgressBefore < in.params().StallGain
	}
	return false
}
