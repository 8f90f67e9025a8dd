package say

import (
	"strings"
	"testing"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router/whatif"
)

func TestSavings(t *testing.T) {
	t.Parallel()
	b, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	step := func(spent, low, high, large float64, model string) research.Step {
		s := research.Step{
			Tier: research.Small, Model: model, Outcome: research.OutcomeOK, RouterJoules: amount(0.002),
			Energy:   research.Energy{Joules: amount(spent), Low: amount(low), High: amount(high), Method: research.MethodCPU},
			Decision: research.Decision{Candidates: []research.Candidate{{Model: "embedded/large", Tier: research.Large, Eligible: true, Expected: research.Cost{Joules: amount(large)}}}},
		}
		return s
	}
	unknown := step(1, 1, 1, 1, "x")
	unknown.Energy.Joules = nil
	for name, tt := range map[string]struct {
		steps  []research.Step
		en, ko string
	}{
		"saved":   {[]research.Step{step(50, 25, 100, 2000, "embedded/small"), unknown}, "saved 1.95 kJ (98%; between 975 J and 3.9 kJ): it took 50 J instead of 2 kJ, 2 mJ of it for routing itself. 1 step is not compared", "1.95 kJ(98%"},
		"lost":    {[]research.Step{step(50, 25, 100, 20, "embedded/small")}, "routing saved nothing: it took 50 J instead of an estimated 20 J, which is 30 J more", "아낀 것이 없습니다"},
		"open":    {[]research.Step{step(50, 25, 100, 60, "box/small")}, "is open: it took 50 J instead of an estimated 60 J, and the difference may be between −70 J and 95 J", "알 수 없습니다"},
		"even":    {[]research.Step{step(50, 50, 50, 50, "box/small")}, "as much as the large tier alone", "같은 50 J"},
		"nothing": {[]research.Step{unknown}, "Nothing can be said about the large tier alone", "말할 수 없습니다"},
	} {
		s := whatif.Against(research.Large, 0, tt.steps)
		if got := Savings(b.Localizer("en"), s); !strings.Contains(got, tt.en) {
			t.Errorf("%s: %q", name, got)
		}
		if got := Savings(b.Localizer("ko"), s); !strings.Contains(got, tt.ko) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func amount(j float64) *research.Micro { return research.Known(research.ToMicro(j)) }
