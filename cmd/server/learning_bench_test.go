package main

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/progrouter/progrouter/eval"
	"github.com/progrouter/progrouter/eval/suite"
	"github.com/progrouter/progrouter/research"
)

func smallSuite() *suite.Suite {
	s := &suite.Suite{Name: "small"}
	for i, what := range []string{"moss", "granite", "the tide", "a glacier", "an owl", "a violin"} {
		s.Questions = append(s.Questions, suite.Question{ID: fmt.Sprint(i), Question: "What does " + what + " need in winter, and why?"})
		s.Pages = append(s.Pages, suite.Page{
			URL: fmt.Sprintf("http://example.org/%d", i), Title: what,
			Text: fmt.Sprintf("In winter %s needs little light. The reason why %s needs it is that winter days are short. Nobody has measured more than that.", what, what),
		})
	}
	return s
}

// A stream of the bench learns between its runs, each from its own steps, and
// leaves nothing with the product.
func TestBenchStreamsLearn(t *testing.T) {
	t.Parallel()
	a, err := newApp(t.Context(), testConfig(t.TempDir()), slog.New(slog.DiscardHandler), hooks{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	l, s := &lab{a}, smallSuite()
	if _, err := l.Prepare(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	state := func(key string) research.RouterState {
		t.Helper()
		st, err := a.store.RouterState(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	var last *research.Ledger
	run := func(st eval.Stream, n int) (steps int) {
		t.Helper()
		for i := range n {
			if last, err = st.Run(t.Context(), s, s.Questions[i%len(s.Questions)], research.Quick, int64(i)); err != nil {
				t.Fatal(err)
			}
			steps += len(last.Steps)
		}
		return steps
	}
	steps := run(l.Stream(research.ProgRouter, 1, research.ToMicro(20)), 10)
	st := state("bench:progrouter:1")
	if st.Samples != int64(steps) || st.Through < 40 || st.Through > st.Samples || st.TrainingJoules <= 0 {
		t.Errorf("%d steps, state %+v", steps, st)
	}
	for _, step := range last.Steps {
		for _, c := range step.Decision.Candidates {
			if c.Predicted.Semantic == nil || c.Predicted.Prior == nil {
				t.Errorf("step %d predicts %+v after %d samples", step.Index, c.Predicted, st.Through)
			}
		}
	}
	run(l.Stream(research.FixedSmall, 1, research.ToMicro(20)), 2)
	if fixed := state("bench:fixed-small:1"); fixed.Samples == 0 || fixed.Version != 0 {
		t.Errorf("a fixed policy's stream is %+v", fixed)
	}
	if other := state("bench:progrouter:1"); other.Samples != st.Samples || other.Version != st.Version {
		t.Errorf("another stream changed this one to %+v", other)
	}
	if product := state(routerKey); product.Samples != 0 || product.Version != 0 || product.Decisions != 0 {
		t.Errorf("the product's stream is %+v", product)
	}
	learned, err := a.Learning(t.Context(), last.Run.CreatedAt)
	if err != nil || learned.Quality.Total.N != 0 {
		t.Errorf("%+v, %v", learned, err)
	}
}
