package llm

import (
	"context"
	"fmt"
	"sort"

	"github.com/progrouter/progrouter/research"
)

// Model is a configured model as the settings page and the router see it.
type Model struct {
	Name string
	Tier research.Tier
}

// Engine serves one or more models: the embedded engine serves three, a
// provider of language models serves those that are configured.
type Engine interface {
	Models() []Model
	// Estimate says what the task would cost with the model and whether the
	// model can take it at all.
	Estimate(ctx context.Context, model string, t research.Task) research.Estimate
	// Do takes the step with the model named in the task. Work that was done
	// before a budget or deadline cut it off is in the result, not in the error.
	Do(ctx context.Context, t research.Task) (research.Result, error)
}

// Registry finds the engine behind a model's name.
type Registry struct {
	models  []Model
	engines map[string]Engine
}

// NewRegistry combines engines. Two models of one name are a mistake of the
// configuration and refused.
func NewRegistry(engines ...Engine) (*Registry, error) {
	r := &Registry{engines: map[string]Engine{}}
	for _, e := range engines {
		for _, m := range e.Models() {
			if _, taken := r.engines[m.Name]; taken {
				return nil, research.Errorf(research.EInvalid, "model_twice",
					"The model %q is configured twice. Give each model its own name.", m.Name).
					With(map[string]any{"Model": m.Name})
			}
			r.engines[m.Name] = e
			r.models = append(r.models, m)
		}
	}
	sort.SliceStable(r.models, func(a, b int) bool {
		return tierOrder(r.models[a].Tier) < tierOrder(r.models[b].Tier)
	})
	return r, nil
}

// Models lists every model, the cheapest tier first.
func (r *Registry) Models() []Model { return append([]Model(nil), r.models...) }

// Tier names the tier of a model.
func (r *Registry) Tier(model string) (research.Tier, bool) {
	for _, m := range r.models {
		if m.Name == model {
			return m.Tier, true
		}
	}
	return "", false
}

// Estimate asks the model's engine. An unknown model is ineligible.
func (r *Registry) Estimate(ctx context.Context, model string, t research.Task) research.Estimate {
	e, ok := r.engines[model]
	if !ok {
		return research.Estimate{
			Model: model, WhyCode: "unknown_model",
			WhyNot: fmt.Sprintf("No model named %q is configured.", model),
		}
	}
	t.Model = model
	return e.Estimate(ctx, model, t)
}

// Estimates asks every model, in the order of Models.
func (r *Registry) Estimates(ctx context.Context, t research.Task) []research.Estimate {
	out := make([]research.Estimate, 0, len(r.models))
	for _, m := range r.models {
		out = append(out, r.Estimate(ctx, m.Name, t))
	}
	return out
}

// Do hands the task to the engine of its model.
func (r *Registry) Do(ctx context.Context, t research.Task) (research.Result, error) {
	e, ok := r.engines[t.Model]
	if !ok {
		return research.Result{}, research.Errorf(research.EInvalid, "unknown_model",
			"No model named %q is configured. Choose one of the models on the settings page.", t.Model).
			With(map[string]any{"Model": t.Model})
	}
	return e.Do(ctx, t)
}

func tierOrder(t research.Tier) int {
	for i, u := range research.Tiers() {
		if t == u {
			return i
		}
	}
	return len(research.Tiers())
}
