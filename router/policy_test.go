package router

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/research"
)

// The logged propensities are the true chances: they sum to 1 over the models
// and match how often each is chosen.
func TestPropensities(t *testing.T) {
	t.Parallel()
	for _, policy := range []research.Policy{research.ProgRouter, research.OneShot, research.Educated, research.Greedy, research.NoQueue, research.Random} {
		t.Run(string(policy), func(t *testing.T) {
			t.Parallel()
			const n = 20_000
			in := input()
			in.Policy, in.Rand = policy, rand.New(rand.NewPCG(7, 7))
			in.Params = DefaultParams()
			in.Params.Epsilon0 = 0.3
			count, logged := map[string]int{}, map[string]float64{}
			for range n {
				d := Decide(in)
				count[d.Chosen]++
				if p, ok := logged[d.Chosen]; ok && p != d.Propensity {
					t.Fatalf("%s logged with %v and %v", d.Chosen, p, d.Propensity)
				}
				logged[d.Chosen] = d.Propensity
			}
			sum := 0.0
			for model, p := range logged {
				sum += p
				// Six standard deviations of a share of n draws.
				if got := float64(count[model]) / n; math.Abs(got-p) > 6*math.Sqrt(p*(1-p)/n) {
					t.Errorf("%s: chosen %.4f of the time, logged %.4f", model, got, p)
				}
			}
			if len(logged) != 3 || math.Abs(sum-1) > 1e-12 {
				t.Errorf("%v sum to %v", logged, sum)
			}
		})
	}
}

func TestEpsilonDecays(t *testing.T) {
	t.Parallel()
	p := DefaultParams()
	if got := p.Epsilon(0); got != p.Epsilon0 {
		t.Errorf("first ε = %v", got)
	}
	if got := p.Epsilon(1 << 40); got != p.EpsilonMin {
		t.Errorf("late ε = %v", got)
	}
	if got := p.Epsilon(-5); got != p.Epsilon0 {
		t.Errorf("ε = %v for a negative count", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1e6).Draw(t, "n")
		if p.Epsilon(n+1) > p.Epsilon(n) {
			t.Fatalf("ε rises at %d", n)
		}
	})
	for name, p := range map[string]Params{
		"off": {V: 1}, "no decay": {V: 1, Epsilon0: 1}, "nonsense": {V: 1, Epsilon0: math.NaN(), EpsilonMin: -1, Decay: 5},
	} {
		if got := p.Epsilon(3); got != 0 {
			t.Errorf("%s: ε = %v", name, got)
		}
	}
	if got := (Params{Epsilon0: 7, Decay: 1}).Epsilon(0); got != 1 {
		t.Errorf("ε = %v, above 1", got)
	}
}

func TestExplorationIsReported(t *testing.T) {
	t.Parallel()
	in := input()
	in.Rand = rand.New(rand.NewPCG(1, 1))
	in.Params = Params{V: 4, EpsilonMin: 1}
	explored := map[string]string{}
	for range 50 {
		d := Decide(in)
		if !d.Explored || d.ReasonCode != ReasonExplored || math.Abs(d.Propensity-1.0/3) > 1e-12 {
			t.Fatalf("explored %v, %s, %v", d.Explored, d.ReasonCode, d.Propensity)
		}
		explored[d.Chosen] = d.Reason
	}
	if len(explored) != 3 {
		t.Errorf("explored only %v", explored)
	}
}

// The same state and the same seed decide the same.
func TestDecisionsRepeat(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		seed := rapid.Uint64().Draw(t, "again")
		in.Rand = rand.New(rand.NewPCG(seed, 0))
		a := Decide(in)
		in.Rand = rand.New(rand.NewPCG(seed, 0))
		b := Decide(in)
		if a.Chosen != b.Chosen || a.Reason != b.Reason {
			t.Fatalf("%s, then %s", a.Chosen, b.Chosen)
		}
	})
}

func TestQueue(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ q, spent, allowance, want research.Micro }{
		{0, 5, 10, 0},
		{0, 15, 10, 5},
		{5, 15, 10, 10},
		{5, 0, 10, 0},
		{-5, 3, 1, 2},
		{math.MaxInt64, math.MaxInt64, 0, math.MaxInt64},
	} {
		if got := UpdateQueue(tc.q, tc.spent, tc.allowance); got != tc.want {
			t.Errorf("UpdateQueue(%d, %d, %d) = %d, want %d", tc.q, tc.spent, tc.allowance, got, tc.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		q := UpdateQueue(research.Micro(rapid.Int64().Draw(t, "q")), research.Micro(rapid.Int64().Draw(t, "spent")), research.Micro(rapid.Int64().Draw(t, "allowance")))
		if q < 0 {
			t.Fatalf("Q = %d", q)
		}
	})
}

// A stream whose dear steps exceed the allowance is pushed back to it: the
// queue makes the router choose cheaper models until the mean keeps Ẽ.
func TestQueueKeepsTheAllowance(t *testing.T) {
	t.Parallel()
	in := input()
	in.Allowance = research.ToMicro(60)
	const runs, steps = 200, 4
	total := research.Micro(0)
	for range runs {
		used := research.Micro(0)
		for range steps {
			d := Decide(in)
			for _, c := range d.Candidates {
				if c.Model == d.Chosen {
					used += *c.Expected.Joules
				}
			}
		}
		in.Queue = UpdateQueue(in.Queue, used, in.Allowance)
		total += used
	}
	mean := total.Units() / runs
	if mean > 1.05*60 || mean < 0.3*60 {
		t.Errorf("mean %v J per run with an allowance of 60 J", mean)
	}
}

func TestStandbyModelsWaitUntilNothingElseCan(t *testing.T) {
	t.Parallel()
	model := func(name string, tier research.Tier, joules float64, standby bool) research.Candidate {
		c := research.Cost{Joules: research.Known(research.ToMicro(joules)), Dollars: research.Known(0), Seconds: 1}
		return research.Candidate{Model: name, Tier: tier, Eligible: true, Standby: standby, Expected: c, Worst: c}
	}
	cases := []struct {
		name   string
		policy research.Policy
		budget float64
		want   string
		why    string // of the substitute
	}{
		{"not needed", research.ProgRouter, 1000, "a/model", WhyStandby},
		{"the model does not fit", research.ProgRouter, 50, "embedded/small", ""},
		{"a fixed policy takes no substitute", research.FixedLarge, 50, "", WhyStandby},
		{"… but where its tier has nothing else", research.FixedSmall, 50, "embedded/small", WhyStandby},
		{"the cascade does", research.Cascade, 50, "embedded/small", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := Decide(Input{
				Policy: c.policy, Role: research.Reader, Budget: research.Budget{Joules: research.Known(research.ToMicro(c.budget))},
				Candidates: []research.Candidate{model("a/model", research.Large, 100, false), model("embedded/large", research.Large, 1, true), model("embedded/small", research.Small, 0.5, true)},
			})
			if d.Chosen != c.want {
				t.Errorf("chosen %q, want %q (%s)", d.Chosen, c.want, d.Reason)
			}
			if got := d.Candidates[1]; got.WhyCode != c.why || got.Eligible != (c.why == "") {
				t.Errorf("the substitute: eligible %v, code %q, want %q", got.Eligible, got.WhyCode, c.why)
			}
		})
	}
}

func TestAFixedTierThatCannotGivesTheReasonOfItsModel(t *testing.T) {
	t.Parallel()
	c := research.Cost{Joules: research.Known(0), Dollars: research.Known(0)}
	resting := research.Candidate{Model: "a/model", Tier: research.Small, WhyCode: "resting", WhyNot: "It rests after failures.", Expected: c, Worst: c}
	substitute := research.Candidate{Model: "embedded/small", Tier: research.Small, Eligible: true, Standby: true, Expected: c, Worst: c}
	for _, cs := range [][]research.Candidate{{resting, substitute}, {substitute, resting}} {
		d := Decide(Input{Policy: research.FixedSmall, Role: research.Reader, Candidates: slices.Clone(cs)})
		if d.Chosen != "" || !strings.Contains(d.Reason, "rests after failures") {
			t.Errorf("%q: %q", d.Chosen, d.Reason)
		}
	}
}
