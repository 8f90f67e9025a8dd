package eval

import (
	"testing"

	"github.com/progrouter/progrouter/research"
)

func TestRowCountsWhatCallsReallyTookAndWhoWasChosen(t *testing.T) {
	t.Parallel()
	call := func(seconds float64, replayed bool) research.Action {
		return research.Action{Seconds: seconds, Call: &research.ModelCall{Replayed: replayed}}
	}
	l := &research.Ledger{Run: research.Run{ActiveSeconds: 2}, Steps: []research.Step{
		{Model: "a/large", Outcome: research.OutcomeOK, Decision: research.Decision{Chosen: "a/large"}, Actions: []research.Action{call(30, true), call(5, false), {Seconds: 9}}},
		{Model: "b/large", Outcome: research.OutcomeOK, Decision: research.Decision{Chosen: "a/large"}, Actions: []research.Action{call(4, true)}},
		{Model: "a/small", Outcome: research.OutcomeOK},
	}}
	r := Row{Decisions: map[string]int{}}
	r.charge(l)
	if r.Seconds != 36 {
		t.Errorf("%g s, want the run's 2 and the 34 of the calls that were replayed", r.Seconds)
	}
	if r.Decisions["a/large"] != 2 || r.Decisions["b/large"] != 0 || r.Decisions["a/small"] != 1 {
		t.Errorf("decisions %v", r.Decisions)
	}
}
