package llm

import (
	"context"

	"github.com/progrouter/progrouter/research"
)

// Standby returns the engine with those of its models standing by for which on
// says so: they take steps only where no other model can.
func Standby(e Engine, on func(Model) bool) Engine {
	s := standby{Engine: e, on: map[string]bool{}}
	for _, m := range e.Models() {
		s.on[m.Name] = on(m)
	}
	return s
}

type standby struct {
	Engine
	on map[string]bool
}

func (s standby) Estimate(ctx context.Context, model string, t research.Task) research.Estimate {
	e := s.Engine.Estimate(ctx, model, t)
	e.Standby = s.on[model]
	return e
}
