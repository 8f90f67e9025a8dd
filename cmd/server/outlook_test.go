package main

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"testing"

	"github.com/progrouter/progrouter/orchestrator"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
)

// blank is a memory of nothing.
type blank struct{}

func (blank) RouterState(context.Context, string) (research.RouterState, error) {
	return research.RouterState{}, nil
}
func (blank) BumpDecisions(context.Context, string) (int64, error) { return 1, nil }
func (blank) GainStats(context.Context, string) ([]research.GainStat, error) {
	return nil, nil
}

// A one-shot run is judged by the cost of a whole run, not of its first step, and
// only when it begins.
func TestOneShotJudgesTheWholeRunOnce(t *testing.T) {
	t.Parallel()
	estimate := func(tier research.Tier) research.Estimate {
		c := research.Cost{Joules: research.Known(1_000_000), Dollars: research.Known(0), Seconds: 1}
		return research.Estimate{Model: "m/" + string(tier), Tier: tier, Eligible: true, Expected: c, Worst: c}
	}
	for _, dear := range []research.Tier{research.Small, research.Large} {
		asked := 0
		r := &runRouter{
			memory: blank{}, key: "k", allowance: func() research.Micro { return research.ToMicro(100) }, log: slog.New(slog.DiscardHandler),
			params: router.Params{V: 1},
			whole: func(_ context.Context, _ research.Request, tier research.Tier) research.Cost {
				asked++
				j := 1.0
				if tier == dear {
					j = 500
				}
				return research.Cost{Joules: research.Known(research.ToMicro(j)), Dollars: research.Known(0)}
			},
		}
		q := orchestrator.Question{
			Ledger: &research.Ledger{Run: research.Run{Request: research.Request{Policy: research.OneShot}, Budget: research.DefaultBudget(research.Standard, false)}},
			Role:   research.Planner, Estimates: []research.Estimate{estimate(research.Small), estimate(research.Large)},
		}
		first := r.Decide(t.Context(), q)
		if len(first.Candidates) != 2 || first.ReasonCode != router.ReasonAssessed || first.Chosen == "m/"+string(dear) || asked != 2 {
			t.Fatalf("%s is dear over the run: chose %s (%s), asked %d times", dear, first.Chosen, first.ReasonCode, asked)
		}
		for i, c := range first.Candidates {
			if c.Believed == nil || c.Believed.Gain < 0.5 || c.Expected != q.Estimates[i].Expected {
				t.Errorf("%s: %+v", c.Model, c.Believed)
			}
		}
		q.Ledger.Steps = []research.Step{{Role: research.Planner, Tier: first.Candidates[0].Tier, Model: first.Chosen, Decision: first}}
		q.Role, q.Rand = research.Reader, rand.New(rand.NewPCG(1, 1))
		if second := r.Decide(t.Context(), q); second.Chosen != first.Chosen || second.ReasonCode != router.ReasonKept || asked != 2 {
			t.Errorf("the second step takes %s (%s), asked %d times", second.Chosen, second.ReasonCode, asked)
		}
	}
}
