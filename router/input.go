package router

import (
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
	// Again is how often a step like this may still be taken in this run where it
	// does not finish it, this one included; 0 and 1 mean once. See courses.
	Again int
	// After is what each candidate is expected to gain after one, two … further steps
	// that brought nothing, were they its own; the last row stands for all later ones,
	// and Progress for the state they leave. Where it is empty the predictions of now
	// do, and so they do where a policy does not go by predictions.
	After [][]float64
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
