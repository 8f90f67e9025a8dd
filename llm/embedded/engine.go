package embedded

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/llm"
	"github.com/progrouter/progrouter/research"
)

// The models of the engine.
const (
	SmallModel  = "embedded/small"
	MediumModel = "embedded/medium"
	LargeModel  = "embedded/large"
)

// Finder searches for documents and opens them: library, given addresses and
// web behind one door. What it refuses comes back as discarded with a reason;
// an error is a fault of ours or the end of the context.
type Finder interface {
	Search(ctx context.Context, req research.Request, query string, limit int) (
		hits []research.Hit, queries []research.Query, notices []research.Note, discarded []research.Discarded, err error)
	Open(ctx context.Context, hit research.Hit) (research.Document, *research.Discarded, error)
}

// Ranked is a passage with how well it answers, 0 to 1. Lexical is the share of
// the question's weight that its words carry, Semantic the cosine with the
// question, 0 where no transformer looked.
type Ranked struct {
	research.Passage
	Score    float64
	Lexical  float64
	Semantic float64
}

// Ranker orders passages for a query with the means of a tier: words alone, a
// transformer over the best few, or over many. It meters its own work.
type Ranker interface {
	Passages(ctx context.Context, tier research.Tier, query, language string, found research.PassagesFound) ([]Ranked, error)
}

// Encoder turns sentences into vectors of length one. It meters its own work.
type Encoder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	Supports(language string) bool
	// Cost is how many tokens would be read for the texts, those whose vectors
	// are at hand left out.
	Cost(texts []string) int
}

// Config is what an Engine needs. Now and Watts have defaults.
type Config struct {
	Finder  Finder
	Ranker  Ranker
	Encoder Encoder
	Now     func() time.Time
	Watts   float64 // joules per CPU second, for estimates
}

// Engine serves the three embedded models. It is safe for concurrent use.
type Engine struct {
	finder  Finder
	ranker  Ranker
	encoder Encoder
	now     func() time.Time
	costs   *costs
	leaves  *leaves
}

var _ llm.Engine = (*Engine)(nil)

// New makes the engine.
func New(c Config) *Engine {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Watts <= 0 {
		c.Watts = 10
	}
	return &Engine{finder: c.Finder, ranker: c.Ranker, encoder: c.Encoder, now: c.Now, costs: newCosts(c.Watts), leaves: newLeaves()}
}

// Models lists the three models.
func (e *Engine) Models() []llm.Model {
	return []llm.Model{
		{Name: SmallModel, Tier: research.Small},
		{Name: MediumModel, Tier: research.Medium},
		{Name: LargeModel, Tier: research.Large},
	}
}

// ranksAs is the tier whose ranking of passages a tier uses. The medium tier
// ranks by words and lets the transformer read the best sentences instead of
// passages: for the same reading that found more (see docs/benchmarks.md).
func ranksAs(t research.Tier) research.Tier {
	if t == research.Medium {
		return research.Small
	}
	return t
}

// Owns says whether a model is one of this engine's.
func Owns(model string) bool {
	_, ok := tierOf(model)
	return ok
}

func tierOf(model string) (research.Tier, bool) {
	switch model {
	case SmallModel:
		return research.Small, true
	case MediumModel:
		return research.Medium, true
	case LargeModel:
		return research.Large, true
	}
	return "", false
}

// Do takes one step. When the deadline, the budget or a cancellation cuts it
// off, the result still holds what was found until then.
func (e *Engine) Do(ctx context.Context, t research.Task) (research.Result, error) {
	tier, ok := tierOf(t.Model)
	if !ok {
		return research.Result{}, research.Errorf(research.EInvalid, "unknown_model", "The embedded engine has no model %q.", t.Model)
	}
	return e.do(ctx, t, tier, nil)
}

func (e *Engine) do(ctx context.Context, t research.Task, tier research.Tier, g Guide) (research.Result, error) {
	if t.Ledger == nil {
		return research.Result{}, research.Errorf(research.EInternal, "", "a task without a ledger")
	}
	parent := ctx
	if !t.Until.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t.Until.Sub(e.now()))
		defer cancel()
	}
	before := energy.AccountFrom(ctx).Total()
	s := newStep(e, t, tier)
	s.guide = g
	l := e.loadOf(t, tier)
	err := s.run(ctx)
	took := energy.AccountFrom(ctx).Total() - before
	switch {
	case err == nil:
		e.observeCost(t, tier, l, took)
	case errors.Is(err, energy.ErrExhausted):
		e.costs.raise(t.Role, tier, l.seconds(), cutFactor*took)
	}
	return s.finish(parent, err)
}

// cutFactor is how much more than it was given a step that was cut off is taken
// to need, so that the next attempt gets enough.
const cutFactor = 4

func (s *step) run(ctx context.Context) error {
	switch s.task.Role {
	case research.Planner:
		return s.plan(ctx)
	case research.Searcher:
		return s.search(ctx)
	case research.Reader:
		return s.read(ctx)
	case research.Writer:
		return s.write(ctx)
	case research.Reviewer:
		return s.review(ctx)
	}
	return research.Errorf(research.EInvalid, "unknown_role", "The embedded engine knows no role %q.", s.task.Role)
}

// finish names the outcome. Running out of budget or time is not an error of
// the step: what it has is kept.
func (s *step) finish(parent context.Context, err error) (research.Result, error) {
	r := s.out
	r.Tokens = research.Tokens{Counted: "none"}
	r.Dollars = research.Known(0)
	switch {
	case err == nil:
	case parent.Err() != nil && errors.Is(parent.Err(), context.Canceled):
		r.Outcome, r.Note = research.OutcomeCancelled, "The step was cancelled."
		r.Notes = []research.Note{{Code: noteCancelled, Text: r.Note}}
		return r, nil
	case errors.Is(err, energy.ErrExhausted):
		cut(&r, noteCutBudget, "the budget of the step was used up")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		cut(&r, noteCutTime, "the time of the step was up")
	default:
		return r, fmt.Errorf("%s with %s: %w", s.task.Role, s.task.Model, err)
	}
	r.Outcome = research.OutcomeEmpty
	if r.Plan != nil || r.Report != nil || len(r.Hits)+len(r.Sources)+len(r.Evidence) > 0 {
		r.Outcome = research.OutcomeOK
	}
	if s.empty {
		r.Outcome = research.OutcomeEmpty
	}
	if err != nil && r.Outcome == research.OutcomeEmpty {
		r.Outcome = research.OutcomeError // it was cut off: nothing is known about what there is to find
	}
	return r, nil
}
