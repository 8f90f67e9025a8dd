package llm

import (
	"context"
	"sync/atomic"

	"github.com/progrouter/progrouter/research"
)

// Swap is a registry that can be exchanged while steps run. Steps in flight end
// with the models they began with.
type Swap struct{ now atomic.Pointer[Registry] }

// NewSwap starts with a registry.
func NewSwap(r *Registry) *Swap {
	s := &Swap{}
	s.now.Store(r)
	return s
}

// Set exchanges the registry.
func (s *Swap) Set(r *Registry) { s.now.Store(r) }

// Models lists every model, the cheapest tier first.
func (s *Swap) Models() []Model { return s.now.Load().Models() }

// Tier names the tier of a model.
func (s *Swap) Tier(model string) (research.Tier, bool) { return s.now.Load().Tier(model) }

// Estimate asks the model's engine.
func (s *Swap) Estimate(ctx context.Context, model string, t research.Task) research.Estimate {
	return s.now.Load().Estimate(ctx, model, t)
}

// Estimates asks every model, in the order of Models.
func (s *Swap) Estimates(ctx context.Context, t research.Task) []research.Estimate {
	return s.now.Load().Estimates(ctx, t)
}

// Do hands the task to the engine of its model. A model that was removed since it
// was chosen is an EInvalid error.
func (s *Swap) Do(ctx context.Context, t research.Task) (research.Result, error) {
	return s.now.Load().Do(ctx, t)
}
