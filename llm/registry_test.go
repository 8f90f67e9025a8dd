package llm

import (
	"context"
	"testing"

	"github.com/progrouter/progrouter/research"
)

type fake struct{ models []Model }

func (f fake) Models() []Model { return f.models }

func (f fake) Estimate(_ context.Context, model string, _ research.Task) research.Estimate {
	return research.Estimate{Model: model, Eligible: true}
}

func (f fake) Do(_ context.Context, t research.Task) (research.Result, error) {
	return research.Result{Note: "by " + t.Model}, nil
}

func registry(t *testing.T) *Registry {
	t.Helper()
	r, err := NewRegistry(fake{[]Model{{"b/large", research.Large}}}, fake{[]Model{{"a/small", research.Small}, {"a/medium", research.Medium}}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRegistryFindsTheEngine(t *testing.T) {
	t.Parallel()
	r := registry(t)
	if m := r.Models(); len(m) != 3 || m[0].Name != "a/small" || m[2].Name != "b/large" {
		t.Errorf("models %v, want the cheapest tier first", m)
	}
	if tier, ok := r.Tier("a/medium"); !ok || tier != research.Medium {
		t.Errorf("tier %v %v", tier, ok)
	}
	if _, ok := r.Tier("nope"); ok {
		t.Error("tier of an unknown model")
	}
	res, err := r.Do(t.Context(), research.Task{Model: "b/large"})
	if err != nil || res.Note != "by b/large" {
		t.Errorf("%+v %v", res, err)
	}
	if es := r.Estimates(t.Context(), research.Task{}); len(es) != 3 || es[1].Model != "a/medium" || !es[1].Eligible {
		t.Errorf("estimates %+v", es)
	}
}

func TestRegistryRefuses(t *testing.T) {
	t.Parallel()
	r := registry(t)
	if _, err := r.Do(t.Context(), research.Task{Model: "nope"}); research.CodeOf(err) != research.EInvalid {
		t.Errorf("unknown model: %v", err)
	}
	if e := r.Estimate(t.Context(), "nope", research.Task{}); e.Eligible || e.WhyCode != "unknown_model" {
		t.Errorf("estimate of an unknown model: %+v", e)
	}
	if _, err := NewRegistry(fake{[]Model{{"a", research.Small}}}, fake{[]Model{{"a", research.Large}}}); research.CodeOf(err) != research.EInvalid {
		t.Errorf("one name twice: %v", err)
	}
}
