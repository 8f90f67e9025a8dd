package whatif

import "github.com/progrouter/progrouter/research"

// Logged is a stored decision.
type Logged struct {
	Run      string // decisions of one run are not independent; empty: one of its own
	Role     research.Role
	Decision research.Decision
}

// LoggedOf reads the decision of a step that ended by itself; false for others.
// What was interrupted or cancelled says nothing about the model, nor does a step
// that another model took than was chosen: its gain is not the chosen one's.
func LoggedOf(run string, s research.Step) (Logged, bool) {
	switch s.Outcome {
	case research.InFlight, research.OutcomeInterrupted, research.OutcomeCancelled:
		return Logged{}, false
	}
	return Logged{Run: run, Role: s.Role, Decision: s.Decision}, s.Model == s.Decision.Chosen
}

// chosen is the index of the choice among the candidates, -1 for none.
func (l Logged) chosen() int {
	for i, c := range l.Decision.Candidates {
		if c.Model == l.Decision.Chosen {
			return i
		}
	}
	return -1
}

// eligible lists the candidates that could have been chosen.
func (l Logged) eligible() []int {
	var out []int
	for i, c := range l.Decision.Candidates {
		if c.Eligible {
			out = append(out, i)
		}
	}
	return out
}

// usable says whether the decision can be learned from: what came of it is known,
// and so is the chance with which it was made.
func (l Logged) usable() bool {
	p := l.Decision.Propensity
	return l.Decision.Realised != nil && l.chosen() >= 0 && p > 0 && p <= 1
}

// supported says whether every candidate that the target might take could have
// been taken by the policy that was logged. A policy that draws, be it seldom,
// gives every eligible candidate a chance; one that does not gives it to its
// choice alone.
func (l Logged) supported(chances []float64) bool {
	chosen, total := l.chosen(), 0.0
	for i, p := range chances {
		if !(p > 0) {
			continue
		}
		c := l.Decision.Candidates[i]
		if !c.Eligible || l.Decision.Propensity == 1 && i != chosen {
			return false
		}
		total += p
	}
	return total > 0
}
