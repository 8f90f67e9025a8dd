package research

import "time"

// RunSummary is a run as lists show it.
type RunSummary struct {
	ID            string
	Question      string
	Language      string
	Depth         Depth
	Policy        Policy
	Status        Status
	StopReason    string
	StopCode      string
	CreatedAt     time.Time
	FinishedAt    *time.Time
	Budget        Budget
	Totals        Totals
	Steps         int
	Claims        int
	Sources       int
	Progress      float64 // g after the last step
	QueuePosition int     // 1 is next; 0 when not queued
}

// RunFilter selects runs for lists. Zero values do not filter.
type RunFilter struct {
	Text   string
	Status Status
	Policy Policy
	Limit  int
	Offset int
}

// Event says that something about a run changed. Readers re-read the ledger.
type Event struct {
	ID    int64 // increasing over all runs
	RunID string
	Kind  EventKind
	At    time.Time
	Step  int // index of the step it concerns, -1 for none
}

// EventKind is what changed.
type EventKind string

// Event kinds.
const (
	EventQueued   EventKind = "queued"
	EventStarted  EventKind = "started"
	EventDecided  EventKind = "decided"  // a step's decision is stored, work begins
	EventStepped  EventKind = "stepped"  // a step finished
	EventFinished EventKind = "finished" // the run reached a final status
	EventPaused   EventKind = "paused"
	EventResumed  EventKind = "resumed"
	EventChanged  EventKind = "changed" // budget raised, cancel or pause asked for
)

// RouterState is what the router remembers between runs of one policy stream.
type RouterState struct {
	Key            string `json:"key"`             // "default"; the bench uses one per policy and seed
	Queue          Micro  `json:"queue"`           // Q of the virtual queue, joules
	Decisions      int64  `json:"decisions"`       // so far, for the decay of ε
	Runs           int64  `json:"runs"`            // finished ones
	Samples        int64  `json:"samples"`         // finished steps that were ever learned from
	TrainingJoules Micro  `json:"training_joules"` // what learning from them cost
	// The stored predictor; zero while there is none.
	Version   int64      `json:"version"`         // changes with every training
	Through   int64      `json:"trained_through"` // of Samples
	TrainedAt *time.Time `json:"trained_at"`
}

// GainStat is the running record of what a model brought and cost in a role.
type GainStat struct {
	Model   string
	Role    Role
	N       int64
	Gain    float64 // sum of realised gains
	Joules  Micro   // sum over known
	Seconds float64
	Dollars Micro
}

// UsageRow is one cell of the dashboard: sums over steps.
type UsageRow struct {
	Day          string // YYYY-MM-DD, UTC
	Tier         Tier
	Role         Role
	Policy       Policy
	Steps        int
	Runs         int
	Joules       Micro
	Low, High    Micro
	Method       string
	Dollars      Micro
	Seconds      float64
	UnknownSteps int
	// UnpricedSteps are those whose dollars are unknown.
	UnpricedSteps int
}

// KnownDollars is the sum, nil where none of it is known.
func (r UsageRow) KnownDollars() *Micro { return knownDollars(r.Dollars, r.UnpricedSteps) }

// Usage is the dashboard: the same steps grouped four ways. Every grouping
// sums to Total exactly.
type Usage struct {
	Total    UsageRow
	ByDay    []UsageRow
	ByTier   []UsageRow
	ByRole   []UsageRow
	ByPolicy []UsageRow
	ByStatus map[Status]int // finished and open runs
}
