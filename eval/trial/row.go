package trial

import (
	"github.com/progrouter/progrouter/research"
)

// Row is one run: what it brought and what it cost.
type Row struct {
	Policy   research.Policy
	Seed     int
	Suite    string
	Item     string
	Kind     string
	Position int  // in the stream, from 0
	Steady   bool // behind the settling part of the stream

	Solved  bool
	Share   float64 // of the checks, by the best attempt
	Stopped string  // why it ended
	Units   float64
	Low     float64 // bounds of the units where the world knows them
	High    float64
	Dollars float64
	Seconds float64
	// Overrun tells that the run used more than its budget, Beyond how many
	// attempts cost more than the worst case the world had given for them.
	Overrun bool
	Beyond  int
	Queue   float64 // Q after the run, units
	Steps   []StepRow
	// Graded is the quality of a run that is not all or nothing; nil otherwise.
	Graded *float64
}

// Why a run ended.
const (
	StopSolved   = "solved"
	StopAttempts = "attempts" // the limit of attempts is reached
	StopBudget   = "budget"   // no attempt that may be made fits what is left
)

// StepRow is one attempt: what was thought before it and what came of it.
type StepRow struct {
	Model     string
	Verdict   string
	Explored  bool
	Predicted research.Prediction
	Gain      float64
	Units     float64
	Expected  float64
}

// Quality of a run is 1 when solved, else 0, unless it is graded.
func (r Row) Quality() float64 {
	if r.Graded != nil {
		return *r.Graded
	}
	if r.Solved {
		return 1
	}
	return 0
}
