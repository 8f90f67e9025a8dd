package router

import (
	"math"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func TestFiguresThatAreComparedAgreeInDecimals(t *testing.T) {
	t.Parallel()
	j := func(f float64) *research.Micro { return research.Known(research.ToMicro(f)) }
	for _, tt := range []struct{ got, want string }{
		{againstJoules(j(5), j(0.2)), "5.0 J against 0.2 J"},
		{againstJoules(j(0.2), j(5)), "0.2 J against 5.0 J"},
		{againstJoules(j(45), j(10)), "45 J against 10 J"},
		{againstJoules(j(0.0702), j(0.281)), "0.070 J against 0.281 J"},
		{againstJoules(j(0), j(2)), "0 J against 2 J"},
		{againstJoules(j(0), j(0)), "0 J against 0 J"},
		{againstJoules(nil, j(2.5)), "an unknown number of joules against 2.5 J"},
		{againstGains(0.13, 0.115), "+0.130 against +0.115"},
		{againstGains(0.11042, 0.11017), "+0.1104 against +0.1102"},
		{againstGains(0.5, 0.5), "+0.50000 against +0.50000"},
		{againstSeconds(1.5, 0.25), "1.50 s against 0.25 s"},
		{againstSeconds(math.Inf(1), 1), "+Inf s against 1.0 s"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestOnlyOneFitsIsSaidOnce(t *testing.T) {
	t.Parallel()
	in := input()
	for i := range in.Candidates {
		if in.Candidates[i].Tier != research.Small {
			in.Candidates[i].Eligible, in.Candidates[i].WhyCode = false, "language"
			in.Candidates[i].WhyNot = "MiniLM reads English only; this question is in Korean."
		}
	}
	want := "Only the small tier can take this step. The medium tier and the large tier cannot: MiniLM reads English only; this question is in Korean."
	if d := Decide(in); d.Reason != want || d.ReasonCode != ReasonOnlyFits {
		t.Errorf("%s: %q", d.ReasonCode, d.Reason)
	}
	in.Candidates[2].WhyNot = "It could need up to 9 J; 1 J is left."
	want = "Only the small tier can take this step. The medium tier cannot: MiniLM reads English only; this question is in Korean. The large tier cannot: it could need up to 9 J; 1 J is left."
	if d := Decide(in); d.Reason != want {
		t.Errorf("%q", d.Reason)
	}
}
