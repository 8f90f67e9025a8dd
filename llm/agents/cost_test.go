package agents

import (
	"math"
	"testing"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
)

// someGauge stands for one; what it measures does not matter here.
type someGauge struct{ energy.Gauge }

func TestMarginOverTheEstimate(t *testing.T) {
	t.Parallel()
	fit := func(samples int, p90, high float64) *research.Coefficients {
		return &research.Coefficients{Prefill: 0.1, Decode: 1, Samples: samples, P90: p90, High: high, Method: research.MethodCPU}
	}
	cases := []struct {
		name  string
		gauge energy.Gauge
		c     *research.Coefficients
		want  float64
	}{
		{"charged as estimated", nil, fit(0, 0, 4), 1},
		{"a guess", someGauge{}, fit(0, 0, 4), mostDoubt},
		{"given without a range", someGauge{}, fit(0, 0, 0), 1.3},
		{"a good fit", someGauge{}, fit(16, 0.05, 2.1), 1.3},
		{"a poor fit", someGauge{}, fit(16, 0.6, 3.2), 1.6},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := &model{Model: Model{Coefficients: c.c, Gauge: c.gauge}, learned: newLearned()}
			l := lessons{pace: 1, warm: true}
			usual, most := m.usually(100, 10, l), m.cost(100, 10, l)
			if got := float64(*most.Joules) / float64(*usual.Joules); math.Abs(got-c.want) > 1e-6 {
				t.Errorf("the worst case is %.2f of what is expected, want %.2f", got, c.want)
			}
			if *usual.Joules != research.ToMicro(20) {
				t.Errorf("expected %s J, want 20", *usual.Joules)
			}
		})
	}
}
