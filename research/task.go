package research

import "time"

// Task is what a role agent is asked to do in one step.
type Task struct {
	Role   Role
	Model  string // the chosen model
	Ledger *Ledger
	Focus  []string // sub-question ids to work on; empty means all
	Limits Limits
	Step   int       // index of the step in flight
	Until  time.Time // deadline of the step
	// Rewrite asks the searcher for other wordings: earlier ones found nothing.
	Rewrite bool
	// Reserved is the most the step may cost. Work on this process is held to it
	// by the context's account; calls of other servers are sized by it.
	Reserved Cost
	// Own is the part of Reserved.Joules that is for work on this process; nil
	// means all of it.
	Own *Micro
	// Live tells whoever watches what the step is doing; nil when nobody does.
	Live func(Live)
}

// Result is what a role agent hands back. Only artefacts that are new are
// named; the ids of sources, evidence and claims are final. Plan and Report
// replace the earlier ones.
type Result struct {
	Outcome   Outcome
	Note      string // one sentence: what was done, or what went wrong and the cure
	Notes     []Note // the same, sentence by sentence, for translation
	Model     string // the model that answered, when it differs
	Plan      *Plan
	Queries   []Query
	Hits      []Hit
	Sources   []Source
	Discarded []Discarded
	Evidence  []Evidence
	Report    *Report
	Notices   []Note
	Actions   []Action
	Tokens    Tokens
	Dollars   *Micro
	// Energy is what servers of models used for the step; it comes on top of what
	// the context's account metered. Nil when no server was asked.
	Energy *Energy
}

// Estimate is what a model expects a task to cost.
type Estimate struct {
	Model    string
	Tier     Tier
	Eligible bool
	WhyNot   string // a sentence
	WhyCode  string
	Expected Cost
	// Worst is what must be free for the step. Its seconds are the least the step
	// needs; with more time to spare it may use up to Patience seconds more, for
	// waiting on the network or a busy machine.
	Worst    Cost
	Patience float64
	// Switching is the part of Expected.Joules that loads the model; nil is not
	// known.
	Switching *Micro
	// Own is the part of Worst.Joules that is for work on this process; nil means
	// all of it.
	Own *Micro
	// Standby models take a step only when no other can, and none of a fixed
	// policy.
	Standby bool
}

// Limits is what a depth allows.
type Limits struct {
	Subquestions  int // including the main one
	Sources       int // documents read per run
	PerQuestion   int // documents read per sub-question and round
	Evidence      int // quotes kept per sub-question; generous, since a report is measured in words and sentences may be short
	ReviewRounds  int // how often gaps may be searched again
	SearchResults int // hits asked for per query
	Steps         int // cap on steps of a run
}

// LimitsFor returns what a depth allows.
func LimitsFor(d Depth) Limits {
	switch d {
	case Quick:
		return Limits{Subquestions: 2, Sources: 8, PerQuestion: 5, Evidence: 10, ReviewRounds: 1, SearchResults: 8, Steps: 14}
	case Deep:
		return Limits{Subquestions: 6, Sources: 40, PerQuestion: 10, Evidence: 20, ReviewRounds: 3, SearchResults: 20, Steps: 60}
	default:
		return Limits{Subquestions: 4, Sources: 20, PerQuestion: 8, Evidence: 16, ReviewRounds: 2, SearchResults: 12, Steps: 34}
	}
}

// DefaultBudget is what an open budget becomes at a depth. With language models
// connected it leaves room for tens of calls at the energy of hosted models
// (about a kilojoule each) or at the pace of small ones on a processor.
func DefaultBudget(d Depth, languageModels bool) Budget {
	b := func(j, usd, s float64) Budget {
		return Budget{Joules: Known(ToMicro(j)), Dollars: Known(ToMicro(usd)), Seconds: &s}
	}
	switch {
	case d == Quick && languageModels:
		return b(15_000, 0.10, 600)
	case d == Deep && languageModels:
		return b(150_000, 2, 5400)
	case languageModels:
		return b(50_000, 0.50, 1800)
	case d == Quick:
		return b(400, 0.05, 90)
	case d == Deep:
		return b(4000, 1, 900)
	default:
		return b(1500, 0.25, 300)
	}
}
