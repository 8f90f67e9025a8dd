package progress

import (
	"strings"

	"github.com/progrouter/progrouter/research"
)

// Solver is the one role of "attempt and verify". It is not among
// research.Roles: no research run has it.
const Solver research.Role = "solver"

// Verdicts of an attempt.
const (
	Passed  = "passed"
	Wrong   = "wrong"   // ran, or answered, and is not right
	Partly  = "partly"  // some checks passed
	Broken  = "broken"  // raised an error before anything could be checked
	Syntax  = "syntax"  // is no program
	Timeout = "timeout" // did not end in time, or took too much memory
	Missing = "missing" // holds no answer
	Failed  = "failed"  // the model gave no answer: its server failed
)

// Attempt is one finished try at a task with a checkable answer.
type Attempt struct {
	Verdict string  `json:"verdict"`
	Share   float64 `json:"share"`         // of the checks that passed, 1 when solved
	Cut     bool    `json:"cut,omitempty"` // the answer ended at its token limit
}

// Milestones of a task; they sum to 1. Only passing everything is worth much:
// an answer that fails its checks helps nobody, but shows that one can be had.
const (
	creditAnswered = 0.05 // an answer was given
	creditRuns     = 0.10 // …and could be checked
	creditShare    = 0.35 // the best share of the checks that passed
	creditSolved   = 0.50 // all of them
)

// ScoreAttempts scores a task from its finished attempts, in order, and the
// run's steps. Milestones are those of the best attempt so far, so a later
// failure takes none away.
func ScoreAttempts(history []Attempt, steps []research.Step) research.ProgressView {
	return Score(attemptState(history), steps)
}

// attemptState is a task as its finished attempts left it.
type attemptState []Attempt

var _ Domain = attemptState(nil)

// answered: there is something to check.
func (a Attempt) answered() bool {
	return a.Verdict != "" && a.Verdict != Missing && a.Verdict != Failed
}

// runs: it could be checked.
func (a Attempt) runs() bool {
	return a.Verdict == Passed || a.Verdict == Partly || a.Verdict == Wrong
}

// share of the checks that passed; only what runs has one.
func (a Attempt) share() float64 {
	switch {
	case a.Verdict == Passed:
		return 1
	case a.runs():
		return unit(a.Share)
	}
	return 0
}

// Completion is the credit of each milestone that any attempt reached.
func (h attemptState) Completion() float64 {
	answered, runs, solved, share := 0.0, 0.0, 0.0, 0.0
	for _, a := range h {
		if a.answered() {
			answered = creditAnswered
		}
		if a.runs() {
			runs = creditRuns
		}
		if a.Verdict == Passed {
			solved = creditSolved
		}
		share = max(share, a.share())
	}
	return answered + runs + solved + creditShare*share
}

// Regime is the outcome view, by rules over the best attempt:
//
//	invalid      no attempt gave an answer
//	recoverable  an answer, but no check passed
//	partial      some checks passed
//	complete     all of them
func (h attemptState) Regime() research.Regime {
	c := research.RegimeInvalid
	for _, a := range h {
		switch {
		case a.Verdict == Passed:
			return research.RegimeComplete
		case a.share() > 0:
			c = research.RegimePartial
		case a.answered() && c == research.RegimeInvalid:
			c = research.RegimeRecoverable
		}
	}
	return c
}

// LastTransition: how much of what was missing the last attempt brought, and
// how many of its checks passed.
func (h attemptState) LastTransition() Transition {
	if len(h) == 0 {
		return Transition{}
	}
	before, now := h[:len(h)-1].Completion(), h.Completion()
	t := Transition{Support: h[len(h)-1].share()}
	if before < 1 {
		t.Novelty = unit((now - before) / (1 - before))
	}
	return t
}

// Task is what is known of a task with a checkable answer before any attempt.
type Task struct {
	Kind     string // code, mathematics …: what verifies it, not how hard it is
	Text     string // its words
	Language string
}

// AttemptFeatures reads the features of a task's state for one candidate.
// history holds the finished attempts and steps the run's steps, both in order;
// v is ScoreAttempts of them.
func AttemptFeatures(t Task, history []Attempt, steps []research.Step, v research.ProgressView, model string, tier research.Tier) Features {
	f := Features{
		Domain: DomainAttempt, Kind: t.Kind, Language: t.Language, Question: t.Text,
		Progress: v, Role: Solver, Model: model, Tier: tier,
		Open: 1, Failures: len(history),
	}
	if v.Regime == research.RegimeComplete {
		f.Open = 0
	}
	for _, s := range steps {
		if s.Outcome == research.InFlight {
			continue
		}
		f.Step++
		f.SameRole++
		if s.Tier == tier {
			f.SameTier++
		}
		if s.Model == model {
			f.SameModel++
		}
		f.LastGain = s.ProgressAfter - s.ProgressBefore
	}
	for i, a := range history {
		if a.Verdict == Passed {
			f.Failures = len(history) - 1 - i
		}
	}
	if n := len(history); n > 0 {
		f.Last = history[n-1].last()
	}
	return f
}

// AfterFailures is f after n further attempts by its model that brought nothing,
// with the progress taken as it is.
func (f Features) AfterFailures(n int) Features {
	f.Step += n
	f.SameRole += n
	f.SameTier += n
	f.SameModel += n
	f.Failures += n
	f.Last, f.LastGain = Wrong, 0
	return f
}

// cutSuffix marks a verdict on an answer that ended at its token limit.
const cutSuffix = " cut"

func (a Attempt) last() string {
	if a.Cut {
		return a.Verdict + cutSuffix
	}
	return a.Verdict
}

// verdictOf is the verdict of Features.Last.
func verdictOf(last string) (verdict string, cut bool) {
	return strings.CutSuffix(last, cutSuffix)
}
