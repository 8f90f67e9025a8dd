package embedded

import (
	"context"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

func TestEstimatesRiseWithTheTier(t *testing.T) {
	t.Parallel()
	b := setup(t, "How does the Alba lighthouse work?", "en", lighthouses()...)
	b.run(SmallModel)
	for _, role := range research.Roles() {
		last := research.Micro(-1)
		for _, m := range b.engine.Models() {
			e := b.engine.Estimate(t.Context(), m.Name, research.Task{Role: role, Ledger: b.l, Limits: b.limits})
			if !e.Eligible || e.Tier != m.Tier || e.Model != m.Name {
				t.Errorf("%s %s: %+v", role, m.Name, e)
			}
			if *e.Expected.Joules < last || *e.Worst.Joules < *e.Expected.Joules || e.Worst.Seconds < e.Expected.Seconds {
				t.Errorf("%s %s: expected %v after %v, worst %v", role, m.Name, e.Expected.Joules, last, e.Worst.Joules)
			}
			if *e.Expected.Dollars != 0 {
				t.Errorf("%s costs dollars", m.Name)
			}
			last = *e.Expected.Joules
		}
	}
}

func TestEstimateFollowsWhatStepsTake(t *testing.T) {
	t.Parallel()
	b := setup(t, "How does the Alba lighthouse work?", "en", lighthouses()...)
	task := research.Task{Role: research.Reader, Ledger: b.l, Limits: b.limits}
	before := *b.engine.Estimate(t.Context(), LargeModel, task).Expected.Joules
	l := b.engine.loadOf(task, research.Large)
	for range 40 {
		b.engine.observeCost(task, research.Large, l, time.Duration(3*l.seconds()*float64(time.Second)))
	}
	after := *b.engine.Estimate(t.Context(), LargeModel, task).Expected.Joules
	if r := float64(after) / float64(before); r < 2.9 || r > 3.1 {
		t.Errorf("three times the time moved the estimate by %.2f", r)
	}
	if other := *b.engine.Estimate(t.Context(), SmallModel, task).Expected.Joules; other >= before {
		t.Errorf("the small tier moved too: %v", other)
	}
}

// Cheap steps of a role must not starve its dear ones, and a busy machine must
// not cut off what it could finish.
func TestWorstCaseCoversAColdStepOnABusyMachine(t *testing.T) {
	t.Parallel()
	b := setup(t, "How does the Alba lighthouse work?", "en", lighthouses()...)
	for _, role := range research.Roles() {
		task := research.Task{Role: role, Ledger: b.l, Limits: b.limits}
		for _, m := range b.engine.Models() {
			l := b.engine.loadOf(task, m.Tier)
			for range 40 {
				b.engine.observeCost(task, m.Tier, l, time.Microsecond)
			}
			e := b.engine.Estimate(t.Context(), m.Name, task)
			if got, least := float64(*e.Worst.Joules)/1e6, 1.5*l.seconds()*10; got < least {
				t.Errorf("%s %s: at worst %.2f J, a cold step takes up to %.2f J", role, m.Name, got, least)
			}
			if got, least := e.Worst.Seconds+e.Patience, 5*l.seconds(); got < least {
				t.Errorf("%s %s: %.1f s, with a fifth of a core it takes %.1f s", role, m.Name, got, least)
			}
		}
	}
}

func TestEstimateOfAnUnknownModel(t *testing.T) {
	t.Parallel()
	b := setup(t, "How?", "en")
	if e := b.engine.Estimate(context.Background(), "embedded/huge", research.Task{Ledger: b.l}); e.Eligible || e.WhyCode != "unknown_model" {
		t.Errorf("%+v", e)
	}
}

func TestReviewerRemovesWhatDoesNotHold(t *testing.T) {
	t.Parallel()
	b := setup(t, "When was the Alba lighthouse built?", "en", lighthouses()...)
	b.run(SmallModel)
	b.l.Report.Claims[0].Text = "The Alba lighthouse was built in 1999 by Maria Stein."
	id := b.l.Report.Claims[0].ID
	before := len(b.l.Report.Claims)
	b.do(t.Context(), SmallModel, research.Reviewer)
	if _, ok := b.l.Report.Claim(id); ok || len(b.l.Report.Claims) != before-1 {
		t.Errorf("a claim with an invented number stays: %+v", b.l.Report.Claims)
	}
	for _, s := range b.l.Report.Sections {
		if containsString(s.ClaimIDs, id) {
			t.Error("its section still names it")
		}
	}
	if containsString(b.l.Report.Summary, id) {
		t.Error("the summary still names it")
	}
}

func TestReviewerGivesUpAfterTheLastRound(t *testing.T) {
	t.Parallel()
	b := setup(t, "When was the Alba lighthouse built?", "en", lighthouses()...)
	b.run(SmallModel)
	b.l.Plan.Subquestions = append(b.l.Plan.Subquestions, research.Subquestion{ID: "q2", Text: "Who painted the fence?"})
	for range b.limits.ReviewRounds + 1 {
		b.l.Steps = append(b.l.Steps, research.Step{Index: len(b.l.Steps), Role: research.Searcher, Outcome: research.OutcomeEmpty, Focus: []string{"q2"}})
	}
	b.do(t.Context(), SmallModel, research.Reviewer)
	if q, _ := b.l.Subquestion("q2"); !q.GaveUp || !containsString(b.l.Report.NotFound, q.Text) {
		t.Errorf("%+v, not found %v", q, b.l.Report.NotFound)
	}
}
