package main

import (
	"context"

	"github.com/progrouter/progrouter/orchestrator"
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
)

// outlook is what a one-shot policy goes by when a run begins: for each model the
// gains expected of every role in turn, as seen from the empty ledger, and what a
// run of the same request on the model's tier alone is expected to cost. Other
// policies, and later steps, are given nothing.
func (r *runRouter) outlook(ctx context.Context, q orchestrator.Question, p progress.Predictor) (gains []float64, costs []research.Cost) {
	if q.Ledger.Run.Policy != research.OneShot || len(q.Ledger.Steps) > 0 {
		return nil, nil
	}
	byTier := map[research.Tier]research.Cost{}
	for _, e := range q.Estimates {
		gain := 0.0
		for _, role := range research.Roles() {
			gain += p.Predict(progress.FeaturesOf(q.Ledger, q.Progress, role, e.Model, e.Tier)).Gain
		}
		gains = append(gains, gain)
		if r.whole == nil {
			continue
		}
		if _, known := byTier[e.Tier]; !known {
			byTier[e.Tier] = r.whole(ctx, q.Ledger.Run.Request, e.Tier)
		}
		costs = append(costs, byTier[e.Tier])
	}
	return gains, costs
}

// wholeRun forecasts a request on one tier.
func wholeRun(agents orchestrator.Agents) func(context.Context, research.Request, research.Tier) research.Cost {
	return func(ctx context.Context, req research.Request, tier research.Tier) research.Cost {
		for _, p := range research.Policies() {
			if t, fixed := p.FixedTier(); fixed && t == tier {
				req.Policy = p
			}
		}
		return orchestrator.Forecaster{Agents: agents}.Forecast(ctx, req).Low
	}
}
