package main

import (
	"context"
	"log/slog"

	"github.com/progrouter/progrouter/llm/embedded"
	"github.com/progrouter/progrouter/orchestrator"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/rank"
	"github.com/progrouter/progrouter/store"
)

// ledgerStore is the store as the orchestrator declares it.
type ledgerStore struct {
	*store.Store
	allowance func() research.Micro
	finished  func() // called after every finished step; nil: nobody waits for it
}

var _ orchestrator.Store = ledgerStore{}

func (s ledgerStore) FinishRun(ctx context.Context, id string, end orchestrator.Ending, active float64) error {
	return s.Store.FinishRun(ctx, id, end.Status, end.Reason, active, store.FinishOptions{Allowance: s.allowance(), Code: end.Code})
}

func (s ledgerStore) FinishStep(ctx context.Context, id string, step research.Step, r research.Result, active float64) error {
	err := s.Store.FinishStep(ctx, id, step, r, active)
	if err == nil && s.finished != nil {
		s.finished()
	}
	return err
}

// warn logs a trouble that stops nobody. What fails because its asker has left
// is none.
func warn(ctx context.Context, log *slog.Logger, what string, err error) {
	if ctx.Err() == nil {
		log.WarnContext(ctx, what, "err", err)
	}
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
