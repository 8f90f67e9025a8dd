package progress

import (
	"github.com/progrouter/progrouter/research"
)

// Features is what a prediction may look at: the state views, the history of
// dispatches and the candidate (the tabular side), and the words of the state
// (the semantic side).
type Features struct {
	Progress research.ProgressView
	Role     research.Role
	Model    string
	Tier     research.Tier
	Depth    research.Depth
	Language string
	Question string
	Step     int     // steps taken so far
	SameRole int     // …of them in this role
	SameTier int     // …of them by this tier
	Failures int     // steps in a row that did not end ok
	LastGain float64 // of the last finished step
	Open     int     // sub-questions without a supported claim that are not given up
	Evidence int
	Sources  int
}

// FeaturesOf reads the features of a state for one candidate.
func FeaturesOf(l *research.Ledger, v research.ProgressView, role research.Role, model string, tier research.Tier) Features {
	f := Features{
		Progress: v, Role: role, Model: model, Tier: tier,
		Depth: l.Run.Depth, Language: l.Run.Language, Question: l.Run.Question,
		Evidence: len(l.Evidence), Sources: len(l.Sources),
	}
	for _, s := range l.Steps {
		if s.Outcome == research.InFlight {
			continue
		}
		f.Step++
		if s.Role == role {
			f.SameRole++
		}
		if s.Tier == tier {
			f.SameTier++
		}
		f.Failures++
		if s.Outcome == research.OutcomeOK {
			f.Failures = 0
		}
		f.LastGain = s.ProgressAfter - s.ProgressBefore
	}
	f.Open = openQuestions(l)
	return f
}

func openQuestions(l *research.Ledger) int {
	supported := map[string]bool{}
	for _, c := range l.Report.Claims {
		if c.Verdict == research.Supported {
			supported[c.Subquestion] = true
		}
	}
	n := 0
	for _, q := range l.Plan.Subquestions {
		if !q.GaveUp && !supported[q.ID] {
			n++
		}
	}
	return n
}

// Predictor estimates the progress gain ŷ of a step (eqs. 3–6). It must be fast
// (microseconds), safe for concurrent use and free of side effects.
type Predictor interface {
	Predict(Features) research.Prediction
}

// Bases of a prediction: nothing seen yet, a mixture, mostly data.
const (
	BasisPrior   = "prior"
	BasisMixed   = "mixed"
	BasisLearned = "learned"
)

// PriorStrength is how many observed steps weigh as much as the cold-start
// estimate.
const PriorStrength = 20

// baseGain is the cold-start gain of a step by the small tier: what the
// milestones of a typical run with four sub-questions give per step.
func baseGain(r research.Role) float64 {
	switch r {
	case research.Planner:
		return 0.08
	case research.Searcher:
		return 0.06
	case research.Reader:
		return 0.10
	case research.Writer:
		return 0.09
	case research.Reviewer:
		return 0.20
	}
	return 0.05
}

// lift is what a larger tier is expected to bring relative to the small one.
// Choosing and checking evidence is where a better ranking was measured to pay
// (up to a seventh more of the expected statements); plans, queries and the
// composing of a report hardly change.
func lift(r research.Role, t research.Tier) float64 {
	medium, large := 1.03, 1.05
	switch r {
	case research.Reader:
		medium, large = 1.15, 1.30
	case research.Reviewer:
		medium, large = 1.08, 1.15
	case research.Writer:
		medium, large = 1.06, 1.10
	}
	switch t {
	case research.Medium:
		return medium
	case research.Large:
		return large
	}
	return 1
}

type statKey struct {
	model string
	role  research.Role
}

// Prior predicts by tier and role and lets data overrule it: with n observed
// steps of this model in this role that gained Σ together,
//
//	ŷ = (k·prior + Σ) / (k + n),  k = PriorStrength
//
// It never changes after NewPrior; make a new one to take in newer statistics.
type Prior struct{ stats map[statKey]research.GainStat }

var _ Predictor = (*Prior)(nil)

// NewPrior takes the running statistics; several rows of one model and role are
// added up, unusable ones are ignored.
func NewPrior(stats []research.GainStat) *Prior {
	p := &Prior{stats: make(map[statKey]research.GainStat, len(stats))}
	for _, s := range stats {
		if s.N <= 0 || s.Gain != s.Gain {
			continue
		}
		k := statKey{s.Model, s.Role}
		sum := p.stats[k]
		sum.N += s.N
		sum.Gain += s.Gain
		p.stats[k] = sum
	}
	return p
}

// Predict gives the shrunken mean; the two learned paths stay empty. The gain
// is kept within what a step can move g, -1 to 1.
func (p *Prior) Predict(f Features) research.Prediction {
	prior := baseGain(f.Role) * lift(f.Role, f.Tier)
	s := p.stats[statKey{f.Model, f.Role}]
	n := float64(s.N)
	gain := (PriorStrength*prior + s.Gain) / (PriorStrength + n)
	basis := BasisPrior
	switch {
	case s.N >= PriorStrength:
		basis = BasisLearned
	case s.N > 0:
		basis = BasisMixed
	}
	return research.Prediction{Gain: min(1, max(-1, gain)), Basis: basis}
}
