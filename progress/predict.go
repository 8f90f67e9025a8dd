package progress

import (
	"math"

	"github.com/progrouter/progrouter/research"
)

// Features is what a prediction may look at: the state views, the history of
// dispatches and the candidate (the tabular side), and the words of the state
// (the semantic side). They are stored with every finished step, so fields may
// be added and never change their meaning.
type Features struct {
	Domain   string                `json:"domain,omitempty"` // DomainResearch when empty
	Kind     string                `json:"kind,omitempty"`   // of task within the domain: code, mathematics …
	Progress research.ProgressView `json:"progress"`
	Role     research.Role         `json:"role"`
	Model    string                `json:"model"`
	Tier     research.Tier         `json:"tier"`
	Depth    research.Depth        `json:"depth,omitempty"`
	Language string                `json:"language,omitempty"`
	Question string                `json:"question"`
	Last     string                `json:"last,omitempty"` // what came of the last step: an outcome, or a verdict

	Step      int     `json:"step"`       // steps taken so far
	SameRole  int     `json:"same_role"`  // …of them in this role
	SameTier  int     `json:"same_tier"`  // …of them by this tier
	SameModel int     `json:"same_model"` // …of them by this model in this role
	Failures  int     `json:"failures"`   // steps in a row that did not end ok
	LastGain  float64 `json:"last_gain"`  // of the last finished step
	Open      int     `json:"open"`       // sub-questions without a supported claim that are not given up
	Evidence  int     `json:"evidence"`
	Sources   int     `json:"sources"`
}

// Domains of work.
const (
	DomainResearch = "research"
	DomainAttempt  = "attempt" // attempt and verify: a task with a checkable answer
)

// Sample is one finished step as a predictor learns from it.
type Sample struct {
	ID         int64               `json:"id"` // place in the buffer, ascending
	Features   Features            `json:"features"`
	Gain       float64             `json:"gain"`      // realised, −1 to 1
	Predicted  research.Prediction `json:"predicted"` // as it was before the step
	Explored   bool                `json:"explored"`  // drawn at random, so without the router's bias
	Propensity float64             `json:"propensity"`
}

// FeaturesOf reads the features of a state for one candidate.
func FeaturesOf(l *research.Ledger, v research.ProgressView, role research.Role, model string, tier research.Tier) Features {
	f := Features{
		Domain: DomainResearch, Progress: v, Role: role, Model: model, Tier: tier,
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
		if s.Role == role && s.Model == model {
			f.SameModel++
		}
		f.Failures++
		if s.Outcome == research.OutcomeOK {
			f.Failures = 0
		}
		f.LastGain, f.Last = s.ProgressAfter-s.ProgressBefore, string(s.Outcome)
	}
	f.Open = len(l.Open())
	return f
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

// How many observed steps weigh as much as what was expected before them: of
// the role in general, and of one model compared with the others in its role.
// A model is asked to prove a difference for longer than a role its level,
// because the models a router prefers would otherwise look better only for
// having been tried. Attempts at a task tell more: what they come to is solved or
// not, and models differ by tenths in it.
const (
	RoleStrength   = 10
	ModelStrength  = 100
	solverStrength = 20
)

func modelStrength(r research.Role) float64 {
	if r == Solver {
		return solverStrength
	}
	return ModelStrength
}

// baseGain is the cold-start gain of a step by the small tier, as runs of the
// embedded engine gave it. A reader answers one of the open sub-questions, so
// its part shrinks with their number. An attempt at a task with a checkable
// answer closes a share of what is missing; that one is an assumption.
func baseGain(f Features) float64 {
	switch f.Role {
	case Solver:
		return 0.30 * (1 - unit(f.Progress.G))
	case research.Planner:
		return 0.16
	case research.Searcher:
		return 0.08
	case research.Reader:
		return 0.36 / float64(max(1, f.Open))
	case research.Writer:
		return 0.11
	case research.Reviewer:
		return 0.28
	}
	return 0.05
}

// lift is what a larger tier is expected to bring relative to the small one.
// Choosing evidence is where a better ranking was measured to pay; plans, queries,
// the composing of a report and its review gained the same on every tier.
func lift(r research.Role, t research.Tier) float64 {
	medium, large := 1.0, 1.0
	switch r {
	case research.Reader:
		medium, large = 1.09, 1.18 // what the surer answer counts for, see sureness
	case Solver: // attempts: .30, .45 and .60 of what is missing
		medium, large = 1.5, 2
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

// sums are observed steps: how many, and what they gained together.
type sums struct{ n, gain float64 }

// Prior predicts by tier and role and lets data overrule it in two stages, so
// that a model that happens to be tried first does not look better than the
// untried ones. With N observed steps in the role, whose gains divided by their
// tiers' lifts sum to Σ, and n of them by this model, which sum to Σm:
//
//	b = (RoleStrength·base + Σ) / (RoleStrength + N)
//	ŷ = (s·b·lift + Σm) / (s + n), s the strength of a model's record in the role
//
// It never changes after NewPrior; make a new one to take in newer statistics.
type Prior struct {
	models map[statKey]sums
	roles  map[research.Role]sums
}

var _ Predictor = (*Prior)(nil)

// NewPrior takes the running statistics and the tier of each model; several
// rows of one model and role are added up, unusable ones are ignored.
func NewPrior(stats []research.GainStat, tiers map[string]research.Tier) *Prior {
	p := &Prior{models: make(map[statKey]sums, len(stats)), roles: map[research.Role]sums{}}
	for _, s := range stats {
		if s.N <= 0 || math.IsNaN(s.Gain) || math.IsInf(s.Gain, 0) {
			continue
		}
		k := statKey{s.Model, s.Role}
		m, r := p.models[k], p.roles[s.Role]
		p.models[k] = sums{m.n + float64(s.N), m.gain + s.Gain}
		p.roles[s.Role] = sums{r.n + float64(s.N), r.gain + s.Gain/lift(s.Role, tiers[s.Model])}
	}
	return p
}

// Predict gives the shrunken mean; the two learned paths stay empty. The gain
// is kept within what a step can move g, -1 to 1.
func (p *Prior) Predict(f Features) research.Prediction {
	role, own := p.roles[f.Role], p.models[statKey{f.Model, f.Role}]
	base := (RoleStrength*baseGain(f) + role.gain) / (RoleStrength + role.n)
	strength := modelStrength(f.Role)
	gain := (strength*base*lift(f.Role, f.Tier) + own.gain) / (strength + own.n)
	basis := BasisPrior
	switch {
	case own.n >= strength:
		basis = BasisLearned
	case role.n > 0:
		basis = BasisMixed
	}
	return research.Prediction{Gain: min(1, max(-1, gain)), Basis: basis}
}
