package reckon

import (
	"slices"
	"testing"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
	"github.com/progrouter/progrouter/router/whatif"
)

func TestOfPeriod(t *testing.T) {
	t.Parallel()
	steps := []research.RoutedStep{
		{RunID: "a", Step: step(research.Planner, research.Small, 0)},
		{RunID: "b", Step: step(research.Planner, research.Large, 1)},
		{RunID: "a", Step: step(research.Reader, research.Small, 2)},
		{RunID: "c", Step: step(research.Reader, research.Small, 3)},
	}
	steps[3].Step.Decision.Policy = research.FixedSmall // nothing was routed there
	l := Learning{Joules: research.ToMicro(8), Samples: 6}
	p := OfPeriod(steps, l)
	if p.Runs != 2 || p.Steps != 3 || !p.Whole || !p.From.Equal(moment(0)) || p.Training != research.ToMicro(4) {
		t.Errorf("%+v", p)
	}
	if s := p.Savings.Large; s.Spent != research.ToMicro(19) || s.Router != research.ToMicro(4.3) || s.Alternative != research.ToMicro(204.9) {
		t.Errorf("%+v", s)
	}
	by := ByRun(steps)
	if len(by) != 2 || by[0].RunID != "a" || !by[0].FinishedAt.Equal(moment(2)) || by[1].RunID != "b" {
		t.Fatalf("%+v", by)
	}
	sum := whatif.State(p.Training).Large.Saved
	for _, r := range by {
		sum += r.Savings.Large.Saved
	}
	if sum != p.Savings.Large.Saved {
		t.Errorf("runs and training save %s J, the period %s J", sum, p.Savings.Large.Saved)
	}
}

func TestTrainingIsSharedByTheStepsThatWereLearnedFrom(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		samples int64
		steps   int
		want    float64
	}{{0, 5, 0}, {10, 5, 5}, {10, 10, 10}, {3, 10, 10}, {10, 0, 0}} {
		if got := (Learning{research.ToMicro(10), tt.samples}).share(tt.steps); got != research.ToMicro(tt.want) {
			t.Errorf("%d of %d: %s J", tt.steps, tt.samples, got)
		}
	}
}

func TestPeriodsWithoutSteps(t *testing.T) {
	t.Parallel()
	p := OfPeriod(nil, Learning{Joules: 5, Samples: 9})
	if p.Runs != 0 || p.From != nil || p.Training != 0 || p.Savings.Small.Note.Code != whatif.NoteNothing {
		t.Errorf("%+v", p)
	}
	if by := ByRun(nil); by == nil || len(by) != 0 {
		t.Error("no list")
	}
	for _, o := range OneStep(nil, router.DefaultParams()) {
		if o.Gain != nil || o.Why == nil || o.Decisions != 0 {
			t.Errorf("%+v", o)
		}
	}
	if OfPeriod(many(MaxSteps/4), Learning{}).Whole {
		t.Error("as many steps as are read may not be all of them")
	}
}

func TestOneStep(t *testing.T) {
	t.Parallel()
	steps := many(60)
	cut := step(research.Reader, research.Small, 0)
	cut.Outcome = research.OutcomeInterrupted
	fixed := step(research.Reader, research.Small, 0)
	fixed.Decision.Policy = research.FixedSmall
	other := step(research.Reader, research.Small, 0)
	other.Model = "embedded/large" // took the step in the chosen one's place
	steps = append(steps, research.RoutedStep{RunID: "x", Step: cut}, research.RoutedStep{RunID: "y", Step: fixed}, research.RoutedStep{RunID: "z", Step: other})
	got := OneStep(steps, router.DefaultParams())
	names := make([]string, len(got))
	for i, o := range got {
		names[i] = o.Name
		if o.Decisions != 240 {
			t.Errorf("%s looks at %d decisions", o.Name, o.Decisions)
		}
		if o.Gain == nil || o.Note.Code != whatif.NoteOneStep {
			t.Errorf("%s: %+v", o.Name, o)
		}
	}
	if !slices.Equal(names, TargetNames()) {
		t.Errorf("rules %v", names)
	}
	if got[0].Gain.N != 240 || got[0].Weight != 1 || got[1].Gain.N != 80 {
		t.Errorf("recorded %+v, small %+v", got[0].Gain, got[1].Gain)
	}
	for _, o := range OneStep(many(8), router.DefaultParams())[1:] {
		if o.Gain != nil || o.Why == nil {
			t.Errorf("too few: %+v", o)
		}
	}
}
