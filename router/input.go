package router

import (
	"math"
	"math/rand/v2"

	"github.com/progrouter/progrouter/research"
)

// Input is everything a decision may look at.
type Input struct {
	Policy   research.Policy
	Role     research.Role
	Progress research.ProgressView
	// Candidates come with model, tier, predicted gain, expected and worst cost
	// and, where a model cannot do the task at all, Eligible false and why.
	Candidates []research.Candidate
	Spent      research.Cost
	Budget     research.Budget // effective: what the user gave, else the depth's default
	Given      research.Budget // what the user gave
	Reserve    research.Cost   // to be kept for finishing the report
	Queue      research.Micro  // Q, joules
	Allowance  research.Micro  // Ẽ, joules per run; 0 or less switches the queue term off
	Steps      []research.Step // of this run, for cascade and one-shot
	Decisions  int64           // decisions of this stream so far, for the decay of ε
	Rand       *rand.Rand      // nil never explores; the random policy then takes the first
	Params     Params          // the zero value means DefaultParams
	// Outlook is what one-shot goes by in a run's first decision: for each
	// candidate the gain of a whole run with it, expected from the question alone
	// (0 to 1). OutlookCost is what such a run is expected to cost. Either may be
	// empty: the prediction and the estimate of the first step stand in. Later
	// decisions do not look at them.
	Outlook     []float64
	OutlookCost []research.Cost
	// Stats is the record by model and role that educated goes by.
	Stats []research.GainStat
	// Truth is what the oracle goes by: for each candidate the true expected gain
	// of the step. No other policy may be given it.
	Truth []float64
}

// Params are the free parameters of the score and of the exploration.
type Params struct {
	// V weighs expected progress against cost. On the scales of the score a gain
	// of 0.1 at the start of a run is worth V/10, and a step that takes 1 % of
	// the run's energy budget costs 0.01 to 0.03.
	V float64
	// ε decays from Epsilon0 towards EpsilonMin as exp(−decisions/Decay).
	Epsilon0, EpsilonMin, Decay float64
	// StallGain is the realised gain below which the cascade calls a step
	// stalled.
	StallGain float64
}

// DefaultParams are the documented defaults. V was chosen by the bench on
// research suites (docs/evaluation.md): with V = 0.15 a reader's step at the
// start of a standard run (1,500 J) may cost about 7 J more for 0.05 more
// expected progress, while a planner's or searcher's small lift pays for well
// under a joule; the queue raises the price of energy when runs exceed their
// allowance.
func DefaultParams() Params {
	return Params{V: 0.15, Epsilon0: 0.10, EpsilonMin: 0.02, Decay: 400, StallGain: 0.01}
}

func (in *Input) params() Params {
	if in.Params == (Params{}) {
		return DefaultParams()
	}
	return in.Params
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
