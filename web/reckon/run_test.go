package reckon

import (
	"testing"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router/whatif"
)

func ledger(policy research.Policy, steps ...research.Step) *research.Ledger {
	return &research.Ledger{Run: research.Run{ID: "r", Request: research.Request{Policy: policy}}, Steps: steps}
}

func TestOfRun(t *testing.T) {
	t.Parallel()
	flying := step(research.Writer, research.Small, 3)
	flying.Outcome, flying.FinishedAt = research.InFlight, nil
	r := OfRun(ledger(research.ProgRouter, step(research.Planner, research.Small, 0), step(research.Reader, research.Medium, 1), flying))
	if r.Steps != 2 || !r.Routed || r.AsTaken.Joules != research.ToMicro(9.8) || r.AsTaken.Kept != 2 {
		t.Errorf("as taken: %+v", r.AsTaken)
	}
	if len(r.All) != 3 || r.All[2].Tier != research.Large || r.All[2].Joules != research.ToMicro(200) {
		t.Errorf("every step: %+v", r.All)
	}
	if len(r.ByRole) != 6 { // the step in flight brings no role in
		t.Fatalf("%d rows by role", len(r.ByRole))
	}
	if x := r.ByRole[5]; x.Role != research.Reader || x.Tier != research.Large || x.Joules != research.ToMicro(104.9) {
		t.Errorf("the reader alone on large: %+v", x)
	}
	if s := r.Savings; s == nil || s.Large.Saved != research.ToMicro(190) || s.Large.Router != research.ToMicro(0.2) || !s.Small.Lost {
		t.Errorf("savings %+v", s)
	}
}

func TestOfRunWithoutAnythingToCompare(t *testing.T) {
	t.Parallel()
	if r := OfRun(ledger(research.ProgRouter)); r.Savings != nil || r.All == nil || len(r.All) != 0 || r.ByRole == nil {
		t.Errorf("no steps: %+v", r)
	}
	if r := OfRun(ledger(research.FixedSmall, step(research.Planner, research.Small, 0))); r.Routed || r.Savings != nil || len(r.All) != 3 {
		t.Errorf("a fixed tier: %+v", r)
	}
	dark := step(research.Planner, research.Small, 0)
	dark.Energy, dark.RouterJoules = research.Energy{Method: research.MethodUnknown}, nil
	r := OfRun(ledger(research.Cascade, dark))
	if r.AsTaken.Unknown != 1 || r.Savings.Large.Note.Code != whatif.NoteNothing || r.Savings.Large.Unknown != 1 {
		t.Errorf("unknown energy: %+v", r)
	}
}
