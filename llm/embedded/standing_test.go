package embedded

import (
	"testing"

	"github.com/progrouter/progrouter/research"
)

func standingStep() *step {
	e := New(Config{})
	l := &research.Ledger{Hits: []research.Hit{
		{Subquestion: "q1", URL: "a", Provider: "library", Score: 0.4, StepIndex: 1},
		{Subquestion: "q1", URL: "b", Provider: "library", Score: 0.1, StepIndex: 1},
		{Subquestion: "q1", URL: "w", Provider: "web", Score: 0.02, StepIndex: 1},
		{Subquestion: "q1", URL: "b", Provider: "library", Score: 0.8, StepIndex: 4},
		{Subquestion: "q2", URL: "a", Provider: "library", Score: 0.9, StepIndex: 1},
		{Subquestion: "q3", URL: "u", Provider: "urls"},
	}}
	return newStep(e, research.Task{Ledger: l}, research.Large)
}

func TestStandingsAreShares(t *testing.T) {
	t.Parallel()
	s := standingStep()
	got := s.standings("q1")
	for url, want := range map[string]float64{"a": 0.5, "b": 1, "w": 1, "missing": 0} {
		if got[url] != want {
			t.Errorf("standing of %s is %v, want %v", url, got[url], want)
		}
	}
	if got := s.standings("q3"); len(got) != 0 {
		t.Errorf("hits without a score stand at %v", got)
	}
}

func TestFirstScoreIsOfTheFirstLibrarySearch(t *testing.T) {
	t.Parallel()
	s := standingStep()
	if got, ok := s.firstScore("q1"); !ok || got != 0.4 {
		t.Errorf("q1: %v %v, want 0.4 of the first search", got, ok)
	}
	if _, ok := s.firstScore("q3"); ok {
		t.Error("q3 was never searched in the library")
	}
}

func TestLargeTierReadsMoreDocuments(t *testing.T) {
	t.Parallel()
	l := research.LimitsFor(research.Standard)
	if s, b := perQuestion(l, research.Medium), perQuestion(l, research.Large); s != l.PerQuestion || b != 12 {
		t.Errorf("medium reads %d, large %d", s, b)
	}
}

func TestSurroundingsHoldTitleHeadingAndNeighbours(t *testing.T) {
	t.Parallel()
	pg := &page{source: research.Source{Title: "Alba"}}
	a := &sentence{page: pg, clean: "First.", heading: "Keepers"}
	b := &sentence{page: pg, clean: "Second.", heading: "Keepers", prev: a}
	c := &sentence{page: pg, clean: "Third.", heading: "Keepers", prev: b}
	p := &pool{picks: []*choice{{sentence: c}, {sentence: b}, {sentence: a}}}
	got := p.surroundings(p.picks)
	for i, want := range []string{"Alba. Keepers. Second. Third.", "Alba. Keepers. First. Second. Third.", "Alba. Keepers. First. Second."} {
		if got[i] != want {
			t.Errorf("%d: %q, want %q", i, got[i], want)
		}
	}
}
