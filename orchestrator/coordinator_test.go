package orchestrator

import (
	"fmt"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

var testLimits = research.LimitsFor(research.Standard)

// planned is a ledger with two sub-questions.
func planned() *research.Ledger {
	return &research.Ledger{
		Plan: research.Plan{Subquestions: []research.Subquestion{{ID: "q1", Text: "main", Main: true}, {ID: "q2", Text: "facet"}}},
		Steps: []research.Step{
			{Index: 0, Role: research.Planner, Outcome: research.OutcomeOK},
		},
	}
}

func did(l *research.Ledger, r research.Role, o research.Outcome, focus ...string) int {
	i := len(l.Steps)
	l.Steps = append(l.Steps, research.Step{Index: i, Role: r, Outcome: o, Focus: focus})
	return i
}

func found(l *research.Ledger, step int, sub string) {
	l.Hits = append(l.Hits, research.Hit{Subquestion: sub, URL: "u-" + sub, StepIndex: step})
}

func quoted(l *research.Ledger, step int, sub string) {
	l.Evidence = append(l.Evidence, research.Evidence{ID: "e", Subquestion: sub, StepIndex: step})
}

func drafted(l *research.Ledger, reviewed bool, verdicts map[string]research.Verdict) {
	l.Report = research.Report{Draft: 1, Reviewed: reviewed, EvidenceSeen: len(l.Evidence)}
	for _, q := range []string{"q1", "q2"} {
		if v, ok := verdicts[q]; ok {
			l.Report.Claims = append(l.Report.Claims, research.Claim{ID: "c" + q, Subquestion: q, Verdict: v, EvidenceIDs: []string{"e"}})
		}
	}
}

func TestNextFollowsTheCourseOfARun(t *testing.T) {
	t.Parallel()
	l := &research.Ledger{}
	expect := func(want Move) {
		t.Helper()
		got := Next(l, testLimits, false)
		if got.Role != want.Role || got.Finish != want.Finish || got.Rewrite != want.Rewrite || got.Stop != want.Stop {
			t.Fatalf("after %d steps: got %+v, want %+v", len(l.Steps), got, want)
		}
		if want.Focus != nil && (len(got.Focus) != len(want.Focus) || got.Focus[0] != want.Focus[0]) {
			t.Fatalf("focus: got %v, want %v", got.Focus, want.Focus)
		}
	}
	expect(Move{Role: research.Planner})
	l = planned()
	expect(Move{Role: research.Searcher, Focus: []string{"q1", "q2"}})
	s := did(l, research.Searcher, research.OutcomeOK, "q1", "q2")
	found(l, s, "q1")
	found(l, s, "q2")
	expect(Move{Role: research.Reader, Focus: []string{"q1"}})
	quoted(l, did(l, research.Reader, research.OutcomeOK, "q1"), "q1")
	expect(Move{Role: research.Reader, Focus: []string{"q2"}})
	did(l, research.Reader, research.OutcomeEmpty, "q2")
	l.Discarded = append(l.Discarded, research.Discarded{URL: "u-q2"})
	expect(Move{Role: research.Writer})
	did(l, research.Writer, research.OutcomeOK)
	drafted(l, false, map[string]research.Verdict{"q1": research.Unreviewed})
	expect(Move{Role: research.Reviewer})
	did(l, research.Reviewer, research.OutcomeOK)
	drafted(l, true, map[string]research.Verdict{"q1": research.Supported})
	expect(Move{Role: research.Searcher, Focus: []string{"q2"}, Rewrite: true})
	found(l, did(l, research.Searcher, research.OutcomeOK, "q2"), "q2")
	expect(Move{Role: research.Reader, Focus: []string{"q2"}})
	quoted(l, did(l, research.Reader, research.OutcomeOK, "q2"), "q2")
	expect(Move{Role: research.Writer})
	did(l, research.Writer, research.OutcomeOK)
	drafted(l, true, map[string]research.Verdict{"q1": research.Supported, "q2": research.Supported})
	expect(Move{Finish: true, Stop: StopDone})
}

// pages proposes n pages for a sub-question in one step.
func pages(l *research.Ledger, step int, sub string, n int) (urls []string) {
	for i := range n {
		u := fmt.Sprintf("https://example.org/%s/%d", sub, i)
		l.Hits = append(l.Hits, research.Hit{Subquestion: sub, URL: u, StepIndex: step})
		urls = append(urls, u)
	}
	return urls
}

// opened is a reader step that opened pages, as sources, under another address
// (as after a redirect) or discarded.
func opened(l *research.Ledger, o research.Outcome, sub string, urls ...string) int {
	i := did(l, research.Reader, o, sub)
	for n, u := range urls {
		l.Steps[i].Actions = append(l.Steps[i].Actions, research.Action{Kind: research.ActionFetch, Detail: u})
		switch n % 3 {
		case 0:
			l.Sources = append(l.Sources, research.Source{URL: u, StepIndex: i})
		case 1:
			l.Sources = append(l.Sources, research.Source{URL: u + "#moved", StepIndex: i})
		case 2:
			l.Discarded = append(l.Discarded, research.Discarded{URL: u, Code: "timeout", StepIndex: i})
		}
	}
	return i
}

func TestNextReadsOnWhileNothingCameOfIt(t *testing.T) {
	t.Parallel()
	l := planned()
	urls := pages(l, did(l, research.Searcher, research.OutcomeOK, "q1", "q2"), "q1", 12)
	expect := func(role research.Role) {
		t.Helper()
		if m := Next(l, testLimits, false); m.Role != role {
			t.Fatalf("got %+v, want the %s", m, role)
		}
	}
	expect(research.Reader)
	opened(l, research.OutcomeEmpty, "q1", urls[:8]...)
	expect(research.Reader) // four are unread
	quoted(l, opened(l, research.OutcomeOK, "q1", urls[8:]...), "q1")
	expect(research.Writer)
}

func TestNextReadsAllThatWasGiven(t *testing.T) {
	t.Parallel()
	l := planned()
	urls := pages(l, did(l, research.Searcher, research.OutcomeOK, "q1", "q2"), "q1", 12)
	quoted(l, opened(l, research.OutcomeOK, "q1", urls[:8]...), "q1")
	if m := Next(l, testLimits, false); m.Role != research.Writer {
		t.Fatalf("found pages are read on although quotes were found: %+v", m)
	}
	l.Run.URLs = urls
	if m := Next(l, testLimits, false); m.Role != research.Reader || m.Focus[0] != "q1" {
		t.Fatalf("given pages stay unread: %+v", m)
	}
}

// Reading that leaves pages unread again and again comes to an end.
func TestNextBoundsReadingOn(t *testing.T) {
	t.Parallel()
	l := planned()
	l.Run.URLs = pages(l, did(l, research.Searcher, research.OutcomeOK, "q1", "q2"), "q1", 12)
	n := 0
	for ; Next(l, testLimits, false).Role == research.Reader; n++ {
		did(l, research.Reader, research.OutcomeEmpty, "q1")
	}
	if n < 2 || n > 1+testLimits.Sources/testLimits.PerQuestion {
		t.Fatalf("read %d times", n)
	}
}

// A part whose pages were found looks into the sources even when there is no
// room for more.
func TestNextReadsFacetWithoutRoom(t *testing.T) {
	t.Parallel()
	l := planned()
	s := did(l, research.Searcher, research.OutcomeOK, "q1", "q2")
	found(l, s, "q1")
	found(l, s, "q2")
	quoted(l, did(l, research.Reader, research.OutcomeOK, "q1"), "q1")
	for range testLimits.Sources {
		l.Sources = append(l.Sources, research.Source{URL: "x"})
	}
	if m := Next(l, testLimits, false); m.Role != research.Reader || m.Focus[0] != "q2" {
		t.Fatalf("got %+v", m)
	}
	did(l, research.Reader, research.OutcomeEmpty, "q2")
	if m := Next(l, testLimits, false); m.Role != research.Writer {
		t.Fatalf("got %+v", m)
	}
}

func TestNextStopsSearchingInVain(t *testing.T) {
	t.Parallel()
	l := planned()
	for n := 0; n < 10; n++ {
		m := Next(l, testLimits, false)
		if m.Finish {
			if m.Stop != StopDone && m.Stop != StopStalled {
				t.Fatalf("stop = %q", m.Stop)
			}
			if n > 3 {
				t.Fatalf("searched %d times for nothing", n)
			}
			return
		}
		did(l, m.Role, research.OutcomeEmpty, m.Focus...)
	}
	t.Fatal("a search that finds nothing never ends")
}

func TestNextPassesOverWorkThatKeepsFailing(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		outcome research.Outcome
		times   int
	}{{"errors", research.OutcomeError, maxFailures}, {"invalid", research.OutcomeInvalid, maxFailures}, {"crashes", research.OutcomeInterrupted, maxInterrupted}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := planned()
			s := did(l, research.Searcher, research.OutcomeOK, "q1", "q2")
			found(l, s, "q1")
			found(l, s, "q2")
			for range c.times {
				if m := Next(l, testLimits, false); m.Role != research.Reader || m.Focus[0] != "q1" {
					t.Fatalf("gave up early: %+v", m)
				}
				did(l, research.Reader, c.outcome, "q1")
			}
			if m := Next(l, testLimits, false); m.Role != research.Reader || m.Focus[0] != "q2" {
				t.Fatalf("did not pass on to q2: %+v", m)
			}
		})
	}
}

func TestNextEndsWhenThePlanKeepsFailing(t *testing.T) {
	t.Parallel()
	for _, o := range []research.Outcome{research.OutcomeError, research.OutcomeEmpty, research.OutcomeInvalid} {
		l := &research.Ledger{}
		for range maxFailures {
			did(l, research.Planner, o)
		}
		if m := Next(l, testLimits, false); !m.Finish || m.Stop != StopErrors {
			t.Fatalf("%s: got %+v", o, m)
		}
	}
}

func TestNextWritesUpWhenTheBudgetIsSpent(t *testing.T) {
	t.Parallel()
	l := planned()
	s := did(l, research.Searcher, research.OutcomeOK, "q1", "q2")
	found(l, s, "q1")
	quoted(l, did(l, research.Reader, research.OutcomeOK, "q1"), "q1")
	if m := Next(l, testLimits, true); m.Role != research.Writer {
		t.Fatalf("got %+v, want the writer", m)
	}
	did(l, research.Writer, research.OutcomeOK)
	drafted(l, false, map[string]research.Verdict{"q1": ""})
	if m := Next(l, testLimits, true); m.Role != research.Reviewer {
		t.Fatalf("got %+v, want the reviewer", m)
	}
	drafted(l, true, map[string]research.Verdict{"q1": research.Supported})
	if m := Next(l, testLimits, true); !m.Finish || m.Stop != StopBudget {
		t.Fatalf("got %+v, want the end", m)
	}
}

func TestNextCapsSteps(t *testing.T) {
	t.Parallel()
	l := planned()
	for len(l.Steps) < testLimits.Steps {
		did(l, research.Searcher, research.OutcomeOK, "q1")
	}
	if m := Next(l, testLimits, false); !m.Finish || m.Stop != StopSteps {
		t.Fatalf("got %+v", m)
	}
	quoted(l, 1, "q1")
	if m := Next(l, testLimits, false); m.Role != research.Writer {
		t.Fatalf("evidence at the cap is not written up: %+v", m)
	}
	for len(l.Steps) < testLimits.Steps+graceSteps {
		did(l, research.Reader, research.OutcomeOK, "q1")
	}
	if m := Next(l, testLimits, false); !m.Finish {
		t.Fatalf("no end past the grace steps: %+v", m)
	}
}

func TestConcludeReadsTheStatusFromEvidence(t *testing.T) {
	t.Parallel()
	sup := research.Supported
	cases := []struct {
		name     string
		verdicts map[string]research.Verdict
		stop     Stop
		want     research.Status
		code     string
	}{
		{"all supported", map[string]research.Verdict{"q1": sup, "q2": sup}, StopDone, research.Complete, "complete"},
		{"facet missing", map[string]research.Verdict{"q1": sup}, StopDone, research.Complete, "complete_gaps"},
		{"main missing", map[string]research.Verdict{"q2": sup}, StopDone, research.Partial, "main_open"},
		{"main disputed", map[string]research.Verdict{"q1": research.Contradicted, "q2": sup}, StopDone, research.Complete, "complete_disagree"},
		{"all disputed", map[string]research.Verdict{"q1": research.Contradicted, "q2": research.Contradicted}, StopDone, research.Complete, "complete_disagree"},
		{"disputed and a gap", map[string]research.Verdict{"q1": research.Contradicted}, StopDone, research.Complete, "complete_gaps"},
		{"budget, disputed", map[string]research.Verdict{"q1": research.Contradicted}, StopBudget, research.Partial, "budget"},
		{"budget", map[string]research.Verdict{"q1": sup}, StopBudget, research.Partial, "budget"},
		{"budget, nothing confirmed", map[string]research.Verdict{"q1": research.Weak}, StopBudget, research.Partial, "budget_unconfirmed"},
		{"budget, nothing at all", nil, StopBudget, research.Partial, "budget_empty"},
		{"nothing to search", nil, StopDone, research.NoEvidence, "nothing_to_search"},
		{"only weak", map[string]research.Verdict{"q1": research.Weak}, StopDone, research.NoEvidence, "no_evidence"},
		{"failed", nil, StopErrors, research.Failed, "errors"},
		{"failed late", map[string]research.Verdict{"q1": sup}, StopErrors, research.Partial, "errors"},
		{"steps", map[string]research.Verdict{"q1": sup}, StopSteps, research.Partial, "steps"},
		{"tier", nil, StopTier, research.Failed, "tier"},
		{"tier, late", map[string]research.Verdict{"q1": sup}, StopTier, research.Partial, "tier"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := planned()
			drafted(l, true, c.verdicts)
			got := Conclude(l, c.stop, "why")
			if got.Status != c.want || got.Code != c.code || got.Reason == "" {
				t.Fatalf("got %+v, want %s/%s", got, c.want, c.code)
			}
		})
	}
}

func TestConcludeNamesDisputesApartFromGaps(t *testing.T) {
	t.Parallel()
	l := planned()
	drafted(l, true, map[string]research.Verdict{"q1": research.Contradicted})
	if got := Conclude(l, StopDone, "").Reason; !strings.Contains(got, "sources: facet") || !strings.Contains(got, "disagree on: main") {
		t.Errorf("%q", got)
	}
	if gaps := Gaps(l); len(gaps) != 1 || gaps[0] != "q2" {
		t.Errorf("searched again: %v", gaps)
	}
	l.Report.Claims[0].EvidenceIDs = nil
	if got := Conclude(l, StopDone, ""); got.Status != research.NoEvidence {
		t.Errorf("a dispute without quotes counts: %+v", got)
	}
}

func TestConcludeSaysThatNoWordCouldBeSearched(t *testing.T) {
	t.Parallel()
	l := planned()
	l.Queries = []research.Query{{Text: "What is it about?"}}
	i := did(l, research.Searcher, research.OutcomeEmpty, "q1")
	l.Steps[i].Notes = []research.Note{{Code: research.NoteNoSearchWord}}
	if got := Conclude(l, StopDone, ""); got.Status != research.NoEvidence || got.Code != EndNoSearchWord || got.Reason == "" {
		t.Errorf("%+v", got)
	}
}

// A draft that stands although its model was of no use does not end a run, however
// often that happens; one that never comes about does.
func TestDraftsThatStandAreNoFailures(t *testing.T) {
	t.Parallel()
	for _, role := range []research.Role{research.Planner, research.Writer, research.Reviewer} {
		l := planned()
		for range 2 * maxFailures {
			did(l, role, research.OutcomeInvalid)
			did(l, research.Searcher, research.OutcomeOK, "q1")
		}
		if survey(l).hopeless {
			t.Errorf("%s: hopeless although the run went on", role)
		}
		for range maxFailures {
			did(l, role, research.OutcomeInvalid)
		}
		if !survey(l).hopeless {
			t.Errorf("%s: fails without end", role)
		}
	}
}

func TestWhatABadModelBroughtIsNotSoughtAgain(t *testing.T) {
	t.Parallel()
	for _, o := range []research.Outcome{research.OutcomeInvalid, research.OutcomeError} {
		l := planned()
		s := did(l, research.Searcher, o, "q1", "q2")
		if got := Next(l, testLimits, false); got.Role != research.Searcher {
			t.Errorf("%s search without a hit: next %+v", o, got)
		}
		found(l, s, "q1")
		if got := Next(l, testLimits, false); got.Role != research.Reader {
			t.Errorf("%s search with hits: next %+v", o, got)
		}
		r := did(l, research.Reader, o, "q1")
		if got := Next(l, testLimits, false); got.Role != research.Reader {
			t.Errorf("%s reading without a quote: next %+v", o, got)
		}
		quoted(l, r, "q1")
		if got := Next(l, testLimits, false); got.Role != research.Writer {
			t.Errorf("%s reading with quotes: next %+v", o, got)
		}
	}
}
