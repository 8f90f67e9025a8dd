package research

import (
	"math"
	"testing"
)

func TestCarbonByTheRegionOfTheWork(t *testing.T) {
	t.Parallel()
	joules := func(kWh float64) Energy { return Energy{Joules: Known(ToMicro(kWh * joulesPerKWh))} }
	call := func(kWh, kg float64) Action { return Action{Call: &ModelCall{Energy: joules(kWh), KgPerKWh: kg}} }
	cases := []struct {
		name  string
		steps []Step
		want  float64 // grams
	}{
		{"nothing", nil, 0},
		{"own work", []Step{{Outcome: OutcomeOK, Energy: joules(2)}}, 1000},
		{"a server elsewhere", []Step{{Outcome: OutcomeOK, Energy: joules(3), Actions: []Action{call(1, 0.1), {Kind: "rank"}}}}, 1100},
		{"a server whose region nobody said", []Step{{Outcome: OutcomeOK, Energy: joules(3), Actions: []Action{call(1, 0)}}}, 1500},
		{"unknown and unfinished", []Step{{Outcome: OutcomeOK}, {Energy: joules(9)}}, 0},
		{"a call of unknown energy", []Step{{Outcome: OutcomeOK, Energy: joules(1), Actions: []Action{{Call: &ModelCall{KgPerKWh: 9}}}}}, 500},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := Ledger{Steps: c.steps}
			if got := l.CarbonGrams(0.5); math.Abs(got-c.want) > 1e-6 {
				t.Errorf("%g g, want %g", got, c.want)
			}
		})
	}
}
