package embedded

import (
	"context"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
)

// step is one dispatch in progress: the task and the result as it grows.
type step struct {
	*Engine
	task     research.Task
	ledger   *research.Ledger
	tier     research.Tier
	guide    Guide               // nil when no language model takes part
	proposed map[string][]string // a guide's search wordings, by sub-question
	lead     *draft              // a guide's summary, nil for the engine's own
	tally    *tally              // of a guide's claims
	lang     phrases
	out      research.Result
	empty    bool // nothing useful came out, although artefacts did
}

func newStep(e *Engine, t research.Task, tier research.Tier) *step {
	return &step{Engine: e, task: t, ledger: t.Ledger, tier: tier, lang: phrasesFor(t.Ledger.Run.Language)}
}

// compute runs pure computation metered: its CPU time goes to the account of
// the context, and nothing is started once that is used up.
func (s *step) compute(ctx context.Context, fn func()) error {
	return energy.Do(ctx, fn)
}

// focus lists the open sub-questions of the task in plan order.
func (s *step) focus() []research.Subquestion {
	want := map[string]bool{}
	for _, id := range s.task.Focus {
		want[id] = true
	}
	var out []research.Subquestion
	for _, q := range s.ledger.Plan.Subquestions {
		if !q.GaveUp && (len(want) == 0 || want[q.ID]) {
			out = append(out, q)
		}
	}
	return out
}
