package research

import (
	"encoding/json"
	"time"
)

// Tokens counts what a language model consumed; zero for embedded engines.
type Tokens struct {
	Input     int    `json:"input"`
	Cached    int    `json:"cached"`
	Output    int    `json:"output"`
	Reasoning int    `json:"reasoning"`
	Counted   string `json:"counted"` // server, local, or none
}

// Energy is a joule figure with how it came about. Nil joules are unknown.
type Energy struct {
	Joules *Micro `json:"joules"`
	Low    *Micro `json:"low"`
	High   *Micro `json:"high"`
	Method string `json:"method"`
}

// ActionFetch is the kind of an action that opened a document; its detail is the
// address.
const ActionFetch = "fetch"

// Action is something an agent did inside a step: a search, a fetch, a ranking.
type Action struct {
	Kind   string `json:"kind"` // search, fetch, rank, embed, check …
	Detail string `json:"detail"`
	// Note says the detail in a form that can be translated; nil where the detail
	// is a name or somebody's own words.
	Note    *Note     `json:"detail_note,omitempty"`
	Start   time.Time `json:"start"`
	Seconds float64   `json:"seconds"`
	Error   string    `json:"error,omitempty"`
	// ErrorKey is the key of the error (see Error), for translation.
	ErrorKey string `json:"error_key,omitempty"`
	// Call is set for a call of a language model.
	Call *ModelCall `json:"call,omitempty"`
}

// Step is one agent dispatch. It is stored when its decision is made, before
// dispatch (outcome InFlight), and completed with its artefacts in one
// transaction.
type Step struct {
	Index           int        `json:"index"` // from 0
	Role            Role       `json:"role"`
	Tier            Tier       `json:"tier"`
	Model           string     `json:"model"` // the one that answered
	Outcome         Outcome    `json:"outcome"`
	Note            string     `json:"note"`            // what it did, or what went wrong, one sentence
	Notes           []Note     `json:"notes,omitempty"` // the same, sentence by sentence, for translation
	Focus           []string   `json:"focus"`           // sub-question ids it worked on
	StartedAt       time.Time  `json:"started_at"`
	FinishedAt      *time.Time `json:"finished_at"`
	Seconds         float64    `json:"seconds"`
	Dollars         *Micro     `json:"dollars"`
	Energy          Energy     `json:"energy"`
	RouterJoules    *Micro     `json:"router_joules"`
	RetrievalJoules *Micro     `json:"retrieval_joules"`
	Reserved        Cost       `json:"reserved"` // worst case held for it; charged when interrupted
	Tokens          Tokens     `json:"tokens"`
	ProgressBefore  float64    `json:"progress_before"`
	ProgressAfter   float64    `json:"progress_after"`
	Actions         []Action   `json:"actions"`
	Decision        Decision   `json:"decision"`
}

// Interrupted is a step in flight as a crash left it: it is charged its reserved
// worst case, since nobody knows how far it came, and at most the time until now.
func (s Step) Interrupted(now time.Time) Step {
	note := InterruptedNote()
	s.Outcome, s.FinishedAt, s.Note, s.Notes = OutcomeInterrupted, &now, note.Text, []Note{note}
	s.Seconds = min(max(0, s.Reserved.Seconds), max(0, now.Sub(s.StartedAt).Seconds()))
	s.Energy = Energy{Joules: s.Reserved.Joules, Low: s.Reserved.Joules, High: s.Reserved.Joules, Method: MethodModel}
	if s.Reserved.Joules == nil {
		s.Energy.Method = MethodUnknown
	}
	s.Dollars, s.ProgressAfter = s.Reserved.Dollars, s.ProgressBefore
	s.Decision.Realised = &Realised{Joules: s.Energy.Joules, Dollars: s.Dollars, Seconds: s.Seconds}
	return s
}

// Totals sums a run. Unknown joules and dollars are counted, not added as zero.
type Totals struct {
	Joules       Micro   `json:"joules"`
	Low          Micro   `json:"low"`
	High         Micro   `json:"high"`
	Method       string  `json:"method"`
	Dollars      Micro   `json:"dollars"`
	Seconds      float64 `json:"seconds"`
	UnknownSteps int     `json:"unknown_steps"`
	// UnpricedSteps are those whose dollars are unknown.
	UnpricedSteps int `json:"unknown_dollar_steps"`
}

// KnownDollars is the sum, nil where none of it is known: an unknown price is not
// a price of 0.
func (t Totals) KnownDollars() *Micro { return knownDollars(t.Dollars, t.UnpricedSteps) }

func knownDollars(sum Micro, unpriced int) *Micro {
	if sum == 0 && unpriced > 0 {
		return nil
	}
	return &sum
}

// Cost is an expected or worst-case price of a step. Nil is unknown.
type Cost struct {
	Joules  *Micro  `json:"joules"`
	Dollars *Micro  `json:"dollars"`
	Seconds float64 `json:"seconds"`
}

// ProgressView is the score g and the views it was made of (eq. 2).
type ProgressView struct {
	G          float64 `json:"g"`
	Regime     Regime  `json:"regime"`
	Completion float64 `json:"completion"` // r_t
	Trend      float64 `json:"trend"`      // d_t
	Quality    float64 `json:"quality"`    // e_t
}

// Prediction is the expected progress gain of a candidate (eqs. 3–6). Paths
// that have not been trained are nil. Gate is the weight of the semantic path, 0
// to 1; the structured one has the rest.
type Prediction struct {
	Structured *float64 `json:"structured"`
	Semantic   *float64 `json:"semantic"`
	Gate       *float64 `json:"gate"`
	Gain       float64  `json:"gain"`
	Basis      string   `json:"basis"` // prior, learned
	// Prior is what would be expected without the two paths; nil is not known.
	Prior *float64 `json:"prior,omitempty"`
}

// Terms are the signed parts of the routing score; their sum is the score.
type Terms struct {
	Value   float64 `json:"value"`
	Queue   float64 `json:"queue"`
	Energy  float64 `json:"energy"`
	Time    float64 `json:"time"`
	Dollars float64 `json:"dollars"`
}

// Sum is the score.
func (t Terms) Sum() float64 { return t.Value + t.Queue + t.Energy + t.Time + t.Dollars }

// Candidate is a model as the router saw it before a step.
type Candidate struct {
	Model     string     `json:"model"`
	Tier      Tier       `json:"tier"`
	Eligible  bool       `json:"eligible"`
	WhyNot    string     `json:"why_not"`
	WhyCode   string     `json:"why_code,omitempty"` // stable word for translation: language, joules, dollars, seconds, unknown_joules …
	Predicted Prediction `json:"predicted"`
	Expected  Cost       `json:"expected"`
	Worst     Cost       `json:"worst"`
	// Switching is the part of Expected.Joules that loads the model, 0 where it is
	// loaded; nil is not known.
	Switching *Micro `json:"switching_joules,omitempty"`
	// Believed is what the policy went by where that is not the prediction and the
	// estimate of this step.
	Believed *Belief `json:"believed,omitempty"`
	// Attempts is how many steps of this kind are expected when the model takes this
	// one, whoever takes those after it, until the run is done or no more may be
	// taken; the terms are of all of them. Left out where a step is taken once.
	Attempts float64 `json:"attempts,omitempty"`
	StandIn  bool    `json:"stand_in,omitempty"` // unknown cost replaced by the dearest known
	Standby  bool    `json:"standby,omitempty"`  // takes the step only when no other can
	Terms    Terms   `json:"terms"`
	Score    float64 `json:"score"`
}

// Belief is what a policy takes a model to bring and cost: a one-shot policy for
// the whole run, one that goes by the record on the mean of earlier steps.
type Belief struct {
	Gain  float64 `json:"gain"`
	Cost  Cost    `json:"cost"`
	Steps int64   `json:"steps,omitempty"` // how many earlier steps it rests on
}

// Realised is what a decision turned out to bring and cost.
type Realised struct {
	Gain    float64 `json:"gain"`
	Joules  *Micro  `json:"joules"`
	Dollars *Micro  `json:"dollars"`
	Seconds float64 `json:"seconds"`
}

// Decision is the router's choice before a step, with everything it saw.
type Decision struct {
	Policy     Policy       `json:"policy"`
	Chosen     string       `json:"chosen"`
	Explored   bool         `json:"explored"`
	Propensity float64      `json:"propensity"`
	Reason     string       `json:"reason"`            // one plain English sentence
	ReasonCode string       `json:"reason_code"`       // stable word pages translate by
	Rival      string       `json:"rival,omitempty"`   // the model the reason compares the chosen one with
	Decided    []string     `json:"decided,omitempty"` // terms the reason names, the weightiest first
	Progress   ProgressView `json:"progress"`
	Queue      float64      `json:"queue"` // Q in joules
	Allowance  float64      `json:"allowance_joules"`
	Spent      Cost         `json:"spent"`
	Remaining  Cost         `json:"remaining"`
	Candidates []Candidate  `json:"candidates"`
	Realised   *Realised    `json:"realised"`
	// Features are what was known of the state and of the chosen model, as the
	// predictor keeps them, without the words of the question. Whoever routes may
	// leave them out; the step is then not learned from.
	Features json.RawMessage `json:"features,omitempty"`
}
