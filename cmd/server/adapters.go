package main

import (
	"context"
	"log/slog"

	"github.com/progrouter/progrouter/llm/embedded"
	"github.com/progrouter/progrouter/orchestrator"
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/rank"
	"github.com/progrouter/progrouter/router"
	"github.com/progrouter/progrouter/store"
)

// ledgerStore is the store as the orchestrator declares it.
type ledgerStore struct {
	*store.Store
	allowance func() research.Micro
}

var _ orchestrator.Store = ledgerStore{}

func (s ledgerStore) FinishRun(ctx context.Context, id string, end orchestrator.Ending, active float64) error {
	return s.Store.FinishRun(ctx, id, end.Status, end.Reason, active, store.FinishOptions{Allowance: s.allowance(), Code: end.Code})
}

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
	log       *slog.Logger
	// whole is what a run on one tier alone is expected to cost; nil: not known.
	whole func(context.Context, research.Request, research.Tier) research.Cost
}

var _ orchestrator.Router = (*runRouter)(nil)

// Decide never fails: without its memory the router decides from its prior.
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
	predictor := progress.NewPrior(stats, tiersOf(q.Estimates))
	gains, costs := r.outlook(ctx, q, predictor)
	return router.Decide(router.Input{
		Policy: q.Ledger.Run.Policy, Role: q.Role, Progress: q.Progress,
		Candidates: candidates(q, predictor),
		Spent:      q.Spent, Budget: q.Ledger.Run.Budget, Given: q.Ledger.Run.Given, Reserve: q.Reserve,
		Queue: state.Queue, Allowance: r.allowance(), Steps: q.Ledger.Steps, Decisions: state.Decisions,
		Rand: q.Rand, Params: r.params, Stats: stats, Outlook: gains, OutlookCost: costs,
	})
}

// warn logs a trouble that stops nobody. What fails because its asker has left
// is none.
func warn(ctx context.Context, log *slog.Logger, what string, err error) {
	if ctx.Err() == nil {
		log.WarnContext(ctx, what, "err", err)
	}
}

func tiersOf(es []research.Estimate) map[string]research.Tier {
	out := make(map[string]research.Tier, len(es))
	for _, e := range es {
		out[e.Model] = e.Tier
	}
	return out
}

// candidates puts what the models estimate beside what the predictor expects.
func candidates(q orchestrator.Question, p progress.Predictor) []research.Candidate {
	out := make([]research.Candidate, 0, len(q.Estimates))
	for _, e := range q.Estimates {
		out = append(out, research.Candidate{
			Model: e.Model, Tier: e.Tier, Eligible: e.Eligible, WhyNot: e.WhyNot, WhyCode: e.WhyCode,
			Expected: e.Expected, Worst: e.Worst, Standby: e.Standby, Switching: e.Switching,
			Predicted: p.Predict(progress.FeaturesOf(q.Ledger, q.Progress, q.Role, e.Model, e.Tier)),
		})
	}
	return out
}

// tierRanker ranks as deeply as a tier allows.
type tierRanker struct{ ranker *rank.Ranker }

var _ embedded.Ranker = tierRanker{}

func (t tierRanker) Passages(ctx context.Context, tier research.Tier, query, language string, found research.PassagesFound) ([]embedded.Ranked, error) {
	scored, err := t.ranker.Passages(ctx, level(tier), query, language, found)
	if err != nil {
		return nil, err
	}
	out := make([]embedded.Ranked, len(scored))
	for i, s := range scored {
		out[i] = embedded.Ranked{Passage: s.Passage, Score: s.Score, Lexical: s.Lexical, Semantic: s.Semantic}
	}
	return out, nil
}

func level(t research.Tier) rank.Level {
	switch t {
	case research.Medium:
		return rank.Rerank
	case research.Large:
		return rank.Deep
	}
	return rank.Lexical
}
