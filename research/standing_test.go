package research

import (
	"math"
	"testing"
	"time"
)

func TestBudgetLeft(t *testing.T) {
	t.Parallel()
	ten := 10.0
	b := Budget{Joules: Known(10), Seconds: &ten}
	for _, c := range []struct {
		name            string
		spent           Cost
		joules          Micro
		seconds         float64
		dollarsAreKnown bool
	}{
		{"nothing", Cost{}, 10, 10, false},
		{"some", Cost{Joules: Known(4), Seconds: 2.5}, 6, 7.5, false},
		{"all", Cost{Joules: Known(10), Seconds: 10}, 0, 0, false},
		{"more", Cost{Joules: Known(11), Seconds: 11, Dollars: Known(5)}, 0, 0, false},
		{"negative", Cost{Joules: Known(-5), Seconds: -5}, 10, 10, false},
		{"no number", Cost{Seconds: math.NaN()}, 10, 10, false},
	} {
		left := b.Left(c.spent)
		if left.Joules == nil || *left.Joules != c.joules || left.Seconds != c.seconds || left.Dollars != nil {
			t.Errorf("%s: %v J, %v s, dollars %v", c.name, left.Joules, left.Seconds, left.Dollars)
		}
	}
	if open := (Budget{}).Left(Cost{Joules: Known(5), Seconds: 5}); open != (Cost{Seconds: NoLimitSeconds}) {
		t.Errorf("open budget leaves %+v", open)
	}
	if below := (Budget{Joules: Known(-1)}).Left(Cost{}); *below.Joules != 0 {
		t.Errorf("negative limit leaves %v", *below.Joules)
	}
}

func TestInterruptedStepIsChargedItsReserve(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	s := Step{StartedAt: begun, ProgressBefore: .3, Reserved: Cost{Joules: Known(7), Dollars: Known(2), Seconds: 5}}
	got := s.Interrupted(begun.Add(time.Minute))
	if got.Outcome != OutcomeInterrupted || *got.Energy.Joules != 7 || *got.Dollars != 2 || got.Seconds != 5 || got.ProgressAfter != .3 {
		t.Errorf("%+v", got)
	}
	if r := got.Decision.Realised; r == nil || r.Gain != 0 || *r.Joules != 7 || got.FinishedAt == nil || len(got.Notes) != 1 {
		t.Errorf("%+v", got)
	}
	s.Reserved.Joules = nil
	soon := s.Interrupted(begun.Add(time.Second))
	if soon.Seconds != 1 || soon.Energy.Joules != nil || soon.Energy.Method != MethodUnknown {
		t.Errorf("%+v", soon)
	}
	if early := s.Interrupted(begun.Add(-time.Hour)); early.Seconds != 0 { // the clock was set back
		t.Errorf("%g s", early.Seconds)
	}
}

// A contradicted claim with quotes answers its part; one without does not.
func TestOpenLeavesOutWhatIsAnsweredOrGivenUp(t *testing.T) {
	t.Parallel()
	l := &Ledger{Plan: Plan{Subquestions: []Subquestion{{ID: "q1"}, {ID: "q2"}, {ID: "q3"}, {ID: "q4", GaveUp: true}, {ID: "q5"}}}}
	l.Report.Claims = []Claim{
		{Subquestion: "q1", Verdict: Supported},
		{Subquestion: "q2", Verdict: Contradicted, EvidenceIDs: []string{"e1"}},
		{Subquestion: "q3", Verdict: Contradicted},
		{Subquestion: "q5", Verdict: Weak, EvidenceIDs: []string{"e1"}},
	}
	open := l.Open()
	if len(open) != 2 || open[0].ID != "q3" || open[1].ID != "q5" {
		t.Errorf("open %+v", open)
	}
}
