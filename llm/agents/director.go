package agents

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/llm/embedded"
	"github.com/progrouter/progrouter/research"
)

// director asks the models of one step: it is the engine's guide, keeps the
// purse, and remembers what was called and what went wrong.
type director struct {
	*Engine
	task     research.Task
	question string
	language string
	models   []*model // the chosen one, then those that may answer for it
	purse    purse
	live     *ticker

	calls    []research.Action
	notes    []research.Note
	outcome  research.Outcome // "" as long as nothing went wrong
	answered *model           // the one whose answer was used last
	idle     bool             // models are not asked any more in this step
}

var _ embedded.Guide = (*director)(nil)

func newDirector(e *Engine, m *model, t research.Task, own research.Estimate) *director {
	d := &director{
		Engine: e, task: t, question: plain(t.Ledger.Run.Question), language: t.Ledger.Run.Language,
		models: e.inPlaceOf(m), purse: newPurse(t, own), live: newTicker(t.Live, e.now),
	}
	if failedBefore(t) {
		d.idle = true
		d.note(noteLeftOut, args{"Model": m.Name}, fmt.Sprintf("%s failed at this work before and was not asked again.", m.Name))
	}
	return d
}

// failedBefore says whether a model failed at the very same work in the last
// step, or at the same role twice in a row. The engine then does the work alone:
// a run neither asks for what does not come nor ends over it.
func failedBefore(t research.Task) bool {
	failures, latest := 0, true
	for _, s := range slices.Backward(t.Ledger.Steps) {
		if s.Outcome == research.InFlight {
			continue
		}
		same := s.Role == t.Role && (s.Decision.Chosen == t.Model || s.Model == t.Model)
		bad := s.Outcome == research.OutcomeInvalid || s.Outcome == research.OutcomeError || s.Outcome == research.OutcomeEmpty && !mayFindNothing(s.Role)
		switch {
		case same && !bad:
			return false
		case same && latest && slices.Equal(s.Focus, t.Focus):
			return true
		case same:
			failures++
		}
		if latest = false; failures == 2 {
			return true
		}
	}
	return false
}

// mayFindNothing says whether coming back with nothing is an honest end of a
// role's step.
func mayFindNothing(r research.Role) bool { return r == research.Searcher || r == research.Reader }

func (d *director) note(code string, a args, text string) {
	d.notes = append(d.notes, research.Note{Code: code, Args: a, Text: text})
}

// failed marks the step: the worst that happened is its outcome.
func (d *director) failed(o research.Outcome) {
	rank := map[research.Outcome]int{research.OutcomeEmpty: 1, research.OutcomeInvalid: 2, research.OutcomeError: 3}
	if rank[o] > rank[d.outcome] {
		d.outcome = o
	}
}

// close adds to what the engine brought what the models did and cost.
func (d *director) close(r *research.Result, cancelled bool) {
	d.live.stop()
	r.Tokens = research.Tokens{Counted: "none"}
	var used research.Energy
	dollars := research.Known(0)
	for i, a := range d.calls {
		c := a.Call
		if i == 0 {
			r.Tokens, used, dollars = c.Tokens, c.Energy, c.Dollars
			continue
		}
		r.Tokens = addTokens(r.Tokens, c.Tokens)
		used, dollars = energy.Sum(used, c.Energy), research.Add(dollars, c.Dollars)
	}
	r.Dollars = dollars
	if len(d.calls) > 0 {
		r.Energy = &used
	}
	r.Actions = append(r.Actions, d.calls...)
	slices.SortStableFunc(r.Actions, func(a, b research.Action) int { return a.Start.Compare(b.Start) })
	if d.answered != nil && d.answered.Name != d.task.Model {
		r.Model = d.answered.Name
	}
	if len(d.notes) > 0 {
		r.Notes = append(append([]research.Note{}, d.notes...), r.Notes...)
		r.Note = research.NoteText(r.Notes)
	}
	if d.outcome != "" && !cancelled && r.Outcome != research.OutcomeCancelled {
		r.Outcome = d.outcome
	}
}

func addTokens(a, b research.Tokens) research.Tokens {
	a.Input += b.Input
	a.Cached += b.Cached
	a.Output += b.Output
	a.Reasoning += b.Reasoning
	if b.Counted != a.Counted {
		a.Counted = "local" // part of it was counted here
	}
	return a
}

// canAnswer says why a model cannot take a role now, "" when it can.
func (m *model) canAnswer(role research.Role, least float64, now time.Time) (code, why string) {
	if len(m.Roles) > 0 && !slices.Contains(m.Roles, role) {
		return "role", fmt.Sprintf("%s is not set up to be a %s.", m.Name, role)
	}
	if until, e, resting := m.Caller.Resting(); resting {
		why = "it failed too often"
		if e != nil {
			why = e.Note(m.Name).Text
		}
		return "resting", fmt.Sprintf("%s rests until %s: %s", m.Name, until.UTC().Format("15:04:05 MST"), why)
	}
	if w := m.window(m.learned.lessons(now)); float64(w) < least {
		return "window", fmt.Sprintf("The window of %s is %d tokens; this step needs about %.0f.", m.Name, w, least)
	}
	return "", ""
}

// stopped is the context's error, the only one a guide ends a step with.
func stopped(ctx context.Context) error { return ctx.Err() }
