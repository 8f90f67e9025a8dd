package store

import (
	"testing"

	"github.com/progrouter/progrouter/research"
)

// Whoever follows by Finished sees every step and every end once, in pages of any
// size, and nothing from before.
func TestFinishedIsFollowedInPages(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		one := func(status research.Status, steps int) {
			id := b.create(t)
			must(t, b.s.StartRun(ctx, id))
			for i := range steps {
				s := finished(b.begin(t, id, i), research.ToMicro(float64(i+1)))
				s.Actions = []research.Action{{Kind: "call", Call: &research.ModelCall{Model: "p/m", Finish: "stop", Tokens: research.Tokens{Input: 7}}}}
				must(t, b.s.FinishStep(ctx, id, s, research.Result{}, 1))
			}
			must(t, b.s.FinishRun(ctx, id, status, "x", 1, FinishOptions{}))
		}
		one(research.Failed, 1)
		start, err := b.s.LastEventID(ctx, "")
		must(t, err)
		one(research.Complete, 3)
		b.create(t)
		one(research.Partial, 1)

		var joules research.Micro
		var calls, pages int
		var ends []research.Status
		for cursor := start; ; pages++ {
			f, err := b.s.Finished(ctx, cursor, 2)
			must(t, err)
			for _, s := range f.Steps {
				joules += *s.Energy.Joules
				if len(s.Actions) == 1 && s.Actions[0].Call != nil && s.Actions[0].Call.Tokens.Input == 7 && s.Role != "" && s.Model != "" && s.Outcome != "" {
					calls++
				}
			}
			ends = append(ends, f.Runs...)
			if cursor = f.Last; !f.More {
				break
			}
		}
		if calls != 4 || joules != research.ToMicro(1+2+3+1) || pages != 3 {
			t.Errorf("%d calls, %v J in %d pages, want 4, 7 and 3", calls, joules, pages)
		}
		if len(ends) != 2 || ends[0] != research.Complete || ends[1] != research.Partial {
			t.Errorf("ends %v", ends)
		}
		counts, err := b.s.RunCounts(ctx)
		must(t, err)
		if counts[research.Queued] != 1 || counts[research.Complete] != 1 || counts[research.Failed] != 1 || len(counts) != 4 {
			t.Errorf("counts %v", counts)
		}
		last, err := b.s.Finished(ctx, 1<<60, 2)
		if must(t, err); last.Last != 1<<60 || last.More || len(last.Steps) > 0 {
			t.Errorf("after the end: %+v", last)
		}
	})
}
