package reckon

import (
	"fmt"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
)

func known(j float64) *research.Micro { return research.Known(research.ToMicro(j)) }

func moment(minute int) time.Time {
	return time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC).Add(time.Duration(minute) * time.Minute)
}

// step is one of 5 J, 0.1 J of them for routing, on a tier; the tiers were
// expected to take 1, 10 and 100 J.
func step(role research.Role, tier research.Tier, minute int) research.Step {
	end := moment(minute)
	s := research.Step{
		Index: minute, Role: role, Tier: tier, Model: "embedded/" + string(tier), Outcome: research.OutcomeOK, FinishedAt: &end, Seconds: 1,
		Energy: research.Energy{Joules: known(5), Low: known(2.5), High: known(10), Method: research.MethodCPU}, RouterJoules: known(0.1),
		Decision: research.Decision{
			Policy: research.ProgRouter, Chosen: "embedded/" + string(tier), Propensity: 0.9, Queue: 3, Allowance: 20,
			Progress: research.ProgressView{G: 0.3, Regime: research.RegimePartial}, Spent: research.Cost{Joules: known(4), Dollars: known(0)},
			Remaining: research.Cost{Joules: known(96), Dollars: known(1), Seconds: 100},
			Realised:  &research.Realised{Gain: 0.1, Joules: known(5)},
		},
	}
	for i, t := range research.Tiers() {
		cost := research.Cost{Joules: known([]float64{1, 10, 100}[i]), Dollars: known(0), Seconds: 1}
		s.Decision.Candidates = append(s.Decision.Candidates, research.Candidate{
			Model: "embedded/" + string(t), Tier: t, Eligible: true, Expected: cost, Worst: cost,
			Predicted: research.Prediction{Gain: 0.1 * float64(i), Basis: "prior"},
		})
	}
	return s
}

// many are the steps of runs of four steps each.
func many(runs int) []research.RoutedStep {
	var out []research.RoutedStep
	for i := range runs {
		for n := range 4 {
			s := step(research.Reader, research.Tiers()[(i+n)%3], 4*i+n)
			s.Decision.Propensity = 1.0 / 3
			out = append(out, research.RoutedStep{RunID: fmt.Sprintf("r%d", i), Step: s})
		}
	}
	return out
}

func BenchmarkOfPeriod(b *testing.B) {
	steps := many(MaxSteps / 4)
	for b.Loop() {
		OfPeriod(steps, Learning{})
	}
}

func BenchmarkOneStep(b *testing.B) {
	steps := many(MaxSteps / 4)
	for b.Loop() {
		OneStep(steps, router.DefaultParams())
	}
}
