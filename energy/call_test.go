package energy

import (
	"math"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func micro(v float64) *research.Micro { return research.Known(research.ToMicro(v)) }

func TestCallEnergy(t *testing.T) {
	t.Parallel()
	c := research.Coefficients{Load: 100, Call: 1, Prefill: 0.01, Decode: 0.5, Low: 0.5, High: 2, Method: research.MethodCPU}
	tests := []struct {
		name      string
		c         research.Coefficients
		u         CallUse
		joules    float64
		low, high float64
	}{
		{name: "warm", c: c, u: CallUse{Input: 1000, Output: 20}, joules: 21, low: 10.5, high: 42},
		{name: "cold adds the load", c: c, u: CallUse{Input: 1000, Output: 20, Cold: true}, joules: 121, low: 60.5, high: 242},
		{name: "cached input is free", c: c, u: CallUse{Input: 1000, Cached: 900, Output: 20}, joules: 12, low: 6, high: 24},
		{name: "more cached than read", c: c, u: CallUse{Input: 10, Cached: 900}, joules: 1, low: .5, high: 2},
		{name: "no factors are no range", c: research.Coefficients{Call: 3, Method: research.MethodModel}, joules: 3, low: 3, high: 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := CallEnergy(tt.c, tt.u)
			if e.Joules == nil || *e.Joules != research.ToMicro(tt.joules) || *e.Low != research.ToMicro(tt.low) || *e.High != research.ToMicro(tt.high) {
				t.Errorf("energy = %v (%v to %v), want %v (%v to %v)", e.Joules, e.Low, e.High, tt.joules, tt.low, tt.high)
			}
			if e.Method != research.MethodModel { // also by coefficients that a meter gave
				t.Errorf("method = %q", e.Method)
			}
		})
	}
}

func TestUnknownCoefficientsAreNotZero(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]research.Coefficients{
		"none":        {},
		"no method":   {Decode: 1},
		"unknown":     {Decode: 1, Method: research.MethodUnknown},
		"all of zero": {Method: research.MethodModel},
	} {
		if e := CallEnergy(c, CallUse{Input: 5, Output: 5}); e.Joules != nil || e.Low != nil || e.High != nil || e.Method != research.MethodUnknown {
			t.Errorf("%s: %+v, want unknown", name, e)
		}
	}
}

func TestFasterAnswersBoundTheHost(t *testing.T) {
	t.Parallel()
	c := research.Coefficients{Decode: 2, Host: 1, Method: research.MethodModel, Seconds: research.SpeedFit{Decode: 0.1}}
	for _, tt := range []struct{ writing, joules float64 }{{0, 200}, {10, 200}, {100, 200}, {5, 150}, {0.001, 100.01}} {
		e := CallEnergy(c, CallUse{Output: 100, Writing: tt.writing})
		if got := e.Joules.Units(); math.Abs(got-tt.joules) > 1e-5 {
			t.Errorf("written in %v s: %v J, want %v", tt.writing, got, tt.joules)
		}
	}
}

func TestSum(t *testing.T) {
	t.Parallel()
	cpu := research.Energy{Joules: micro(2), Low: micro(1), High: micro(4), Method: research.MethodCPU}
	bare := research.Energy{Joules: micro(3), Method: research.MethodNVML}
	unknown := research.Energy{Method: research.MethodUnknown}
	tests := []struct {
		name string
		a, b research.Energy
		want research.Energy
	}{
		{"same method", cpu, cpu, research.Energy{Joules: micro(4), Low: micro(2), High: micro(8), Method: research.MethodCPU}},
		{"mixed, and a missing range is the figure", cpu, bare, research.Energy{Joules: micro(5), Low: micro(4), High: micro(7), Method: research.MethodMixed}},
		{"unknown stays unknown", cpu, unknown, unknown},
		{"nothing changes nothing", research.Energy{}, cpu, cpu},
		{"nothing and nothing", research.Energy{}, research.Energy{}, research.Energy{}},
	}
	same := func(a, b *research.Micro) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
	for _, tt := range tests {
		for _, got := range []research.Energy{Sum(tt.a, tt.b), Sum(tt.b, tt.a)} {
			if !same(got.Joules, tt.want.Joules) || !same(got.Low, tt.want.Low) || !same(got.High, tt.want.High) || got.Method != tt.want.Method {
				t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
			}
		}
	}
}

func TestCarbon(t *testing.T) {
	t.Parallel()
	for region, want := range map[string]float64{"": .473, "World": .473, "USA": .384, "us": .384, " Germany ": .344, "fr": .044, "sweden": .036, "IND": .708, "0.12": .12, "0": 0} {
		if got, ok := Carbon(region); !ok || got != want {
			t.Errorf("Carbon(%q) = %v, %v, want %v", region, got, ok, want)
		}
	}
	for _, region := range []string{"atlantis", "-1", "NaN", "Inf", "384"} {
		if got, ok := Carbon(region); ok {
			t.Errorf("Carbon(%q) = %v, want unknown", region, got)
		}
	}
	for _, r := range Regions() {
		if _, ok := Carbon(r); !ok {
			t.Errorf("listed region %q is unknown", r)
		}
	}
}
