package llm

import (
	"testing"

	"github.com/progrouter/progrouter/research"
)

func TestStandbyMarksTheModelsNamed(t *testing.T) {
	t.Parallel()
	e := Standby(fake{[]Model{{"a/small", research.Small}, {"a/large", research.Large}}}, func(m Model) bool { return m.Tier == research.Large })
	for model, want := range map[string]bool{"a/small": false, "a/large": true} {
		if got := e.Estimate(t.Context(), model, research.Task{}); got.Standby != want || !got.Eligible {
			t.Errorf("%s: %+v", model, got)
		}
	}
}

func TestSwapServesTheLatestRegistry(t *testing.T) {
	t.Parallel()
	s := NewSwap(registry(t))
	if _, err := s.Do(t.Context(), research.Task{Model: "b/large"}); err != nil {
		t.Fatal(err)
	}
	next, err := NewRegistry(fake{[]Model{{"c/medium", research.Medium}}})
	if err != nil {
		t.Fatal(err)
	}
	s.Set(next)
	if m := s.Models(); len(m) != 1 || m[0].Name != "c/medium" {
		t.Errorf("models %v", m)
	}
	if es := s.Estimates(t.Context(), research.Task{}); len(es) != 1 || es[0].Model != "c/medium" {
		t.Errorf("estimates %+v", es)
	}
	if _, err := s.Do(t.Context(), research.Task{Model: "b/large"}); research.CodeOf(err) != research.EInvalid {
		t.Errorf("a model that was removed: %v", err)
	}
	if tier, ok := s.Tier("c/medium"); !ok || tier != research.Medium {
		t.Errorf("tier %v %v", tier, ok)
	}
}
