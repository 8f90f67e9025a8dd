package orchestrator

import (
	"context"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

// slowAgents is one model on every tier whose steps are dear at worst.
type slowAgents struct{ Agents }

func (slowAgents) Estimates(context.Context, research.Task) []research.Estimate {
	c := research.Cost{Joules: research.Known(research.ToMicro(9000.4)), Dollars: research.Known(research.ToMicro(0.05)), Seconds: 200}
	return []research.Estimate{{Model: "slow", Tier: research.Small, Eligible: true, Expected: c, Worst: c}}
}

func TestOpenLimitsAreWhatTheModelsNeed(t *testing.T) {
	t.Parallel()
	r := research.Request{Question: "How so?", Language: "en", Depth: research.Quick, Policy: research.FixedSmall, Library: true}
	f := Forecaster{Agents: slowAgents{}}.Forecast(t.Context(), r)
	b := f.Widen(r.Given, r.EffectiveBudget(true))
	if *b.Joules < *f.Minimum.Joules || *b.Seconds < f.Minimum.Seconds {
		t.Errorf("open limits %v J, %v s; needed %v J, %v s", b.Joules, *b.Seconds, f.Minimum.Joules, f.Minimum.Seconds)
	}
	if *b.Dollars != *r.EffectiveBudget(true).Dollars {
		t.Errorf("dollars were raised to %v without being asked for", b.Dollars)
	}
	if err := f.CheckBudget(b); research.CodeOf(err) != research.EInvalid || err.(*research.Error).Field != "dollars" { //nolint:errorlint // its own error
		t.Errorf("dollars that do not suffice: %v", err)
	}
	asked, seconds := research.Known(research.ToMicro(100)), 10.0
	r.Given = research.Budget{Joules: asked, Seconds: &seconds}
	if b := f.Widen(r.Given, r.EffectiveBudget(true)); *b.Joules != *asked || *b.Seconds != seconds {
		t.Errorf("limits that were asked for became %v J, %v s", b.Joules, *b.Seconds)
	}
	err := f.CheckBudget(r.Given)
	if err == nil || strings.Contains(err.Error(), ".4") || !strings.Contains(err.Error(), "100 J") {
		t.Errorf("%v", err)
	}
	wide := research.Budget{Joules: research.Known(research.ToMicro(1e6)), Dollars: research.Known(research.ToMicro(10))}
	if b := f.Widen(research.Budget{}, wide); *b.Joules != *wide.Joules || b.Seconds != nil {
		t.Errorf("a wide budget became %v", b)
	}
}
