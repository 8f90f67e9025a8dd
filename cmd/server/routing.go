package main

import (
	"context"
	"log/slog"

	"github.com/progrouter/progrouter/orchestrator"
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
)

// memory is what the router remembers between runs.
type memory interface {
	RouterState(ctx context.Context, key string) (research.RouterState, error)
	BumpDecisions(ctx context.Context, key string) (int64, error)
	GainStats(ctx context.Context, key string) ([]research.GainStat, error)
}

// runRouter answers the orchestrator's questions with the router package and
// what was remembered under one key.
type runRouter struct {
	memory    memory
	key       string
	allowance func() research.Micro
	params    router.Params
	learner   *learner // nil: the prior alone
	log       *slog.Logger
	// whole is what a run on one tier alone is expected to cost; nil: not known.
	whole func(context.Context, research.Request, research.Tier) research.Cost
}

var _ orchestrator.Router = (*runRouter)(nil)

// Decide never fails: without its memory the router decides from its prior. What
// the chosen model was expected to bring by is kept with the decision, to learn
// from.
func (r *runRouter) Decide(ctx context.Context, q orchestrator.Question) research.Decision {
	state, err := r.memory.RouterState(ctx, r.key)
	if err != nil {
		warn(ctx, r.log, "router state cannot be read", err)
	}
	stats, err := r.memory.GainStats(ctx, r.key)
	if err != nil {
		warn(ctx, r.log, "gain statistics cannot be read", err)
	}
	if _, err := r.memory.BumpDecisions(ctx, r.key); err != nil {
		warn(ctx, r.log, "decision cannot be counted", err)
	}
	p := r.predictors(ctx, q, state, stats)
	features := featuresOf(q)
	gains, costs := r.outlook(ctx, q, p.used)
	d := router.Decide(router.Input{
		Policy: q.Ledger.Run.Policy, Role: q.Role, Progress: q.Progress,
		Candidates: candidates(q, p, features),
		Spent:      q.Spent, Budget: q.Ledger.Run.Budget, Given: q.Ledger.Run.Given, Reserve: q.Reserve,
		Queue: state.Queue, Allowance: r.allowance(), Steps: q.Ledger.Steps, Decisions: state.Decisions,
		Rand: q.Rand, Params: r.params, Stats: stats, Outlook: gains, OutlookCost: costs,
	})
	for _, f := range features {
		if f.Model == d.Chosen {
			d.Features = featuresFor(f)
		}
	}
	return d
}

// predictors are what a decision goes by, and what it would go by without the
// learned paths.
type predictors struct {
	used  progress.Predictor
	prior *progress.Prior
}

// predictors depend on the policy where that leaves out a part of them.
func (r *runRouter) predictors(ctx context.Context, q orchestrator.Question, state research.RouterState, stats []research.GainStat) predictors {
	tiers, policy := tiersOf(q.Estimates), q.Ledger.Run.Policy
	if policy == research.NoPredictor {
		stats = nil // what is expected of any model before anything was seen
	}
	prior := progress.NewPrior(stats, tiers)
	if r.learner == nil || policy == research.NoPredictor {
		return predictors{prior, prior}
	}
	m := r.learner.model(ctx, r.key, state.Version)
	if m == nil {
		return predictors{prior, prior}
	}
	switch policy {
	case research.StructuredOnly:
		return predictors{m.Only(progress.PathStructured), prior}
	case research.SemanticOnly:
		return predictors{m.Only(progress.PathSemantic), prior}
	case research.MeanOfPaths:
		return predictors{m.Only(progress.PathMean), prior}
	}
	return predictors{m, prior}
}

// learns says whether a policy's choices depend on the learned predictor.
func learns(p research.Policy) bool {
	switch p {
	case research.ProgRouter, research.OneShot, research.Greedy, research.NoQueue, research.NoPenalty, research.NoScorer,
		research.StructuredOnly, research.SemanticOnly, research.MeanOfPaths:
		return true
	}
	return false
}

func tiersOf(es []research.Estimate) map[string]research.Tier {
	out := make(map[string]research.Tier, len(es))
	for _, e := range es {
		out[e.Model] = e.Tier
	}
	return out
}

// featuresOf reads the state for every candidate, in the order of the estimates.
func featuresOf(q orchestrator.Question) []progress.Features {
	out := make([]progress.Features, len(q.Estimates))
	for i, e := range q.Estimates {
		out[i] = progress.FeaturesOf(q.Ledger, q.Progress, q.Role, e.Model, e.Tier)
	}
	return out
}

// candidates puts what the models estimate beside what the predictor expects.
func candidates(q orchestrator.Question, p predictors, features []progress.Features) []research.Candidate {
	out := make([]research.Candidate, 0, len(q.Estimates))
	for i, e := range q.Estimates {
		predicted, before := p.used.Predict(features[i]), p.prior.Predict(features[i]).Gain
		predicted.Prior = &before
		out = append(out, research.Candidate{
			Model: e.Model, Tier: e.Tier, Eligible: e.Eligible, WhyNot: e.WhyNot, WhyCode: e.WhyCode,
			Expected: e.Expected, Worst: e.Worst, Standby: e.Standby, Switching: e.Switching, Predicted: predicted,
		})
	}
	return out
}
