package router

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/research"
)

func cost(j, usd, s float64) research.Cost {
	return research.Cost{Joules: research.Known(research.ToMicro(j)), Dollars: research.Known(research.ToMicro(usd)), Seconds: s}
}

func budget(j, usd, s float64) research.Budget {
	c := cost(j, usd, s)
	return research.Budget{Joules: c.Joules, Dollars: c.Dollars, Seconds: &c.Seconds}
}

func candidate(tier research.Tier, gain, j, usd, s float64) research.Candidate {
	return research.Candidate{
		Model: "embedded/" + string(tier), Tier: tier, Eligible: true,
		Predicted: research.Prediction{Gain: gain, Basis: "prior"},
		Expected:  cost(j, usd, s), Worst: cost(2*j, 2*usd, 2*s),
	}
}

// input is a reader's step at the start of a standard run with embedded tiers.
func input() Input {
	return Input{
		Params: testParams(),
		Policy: research.ProgRouter, Role: research.Reader,
		Progress: research.ProgressView{G: 0.2, Regime: research.RegimeRecoverable},
		Candidates: []research.Candidate{
			candidate(research.Small, 0.10, 0.3, 0, 0.05),
			candidate(research.Medium, 0.115, 10, 0, 1),
			candidate(research.Large, 0.13, 45, 0, 4),
		},
		Spent: cost(3, 0, 2), Budget: budget(1500, 0.25, 300), Reserve: cost(1, 0, 1),
		Allowance: research.ToMicro(150),
	}
}

func byModel(t *testing.T, d research.Decision, tier research.Tier) research.Candidate {
	t.Helper()
	for _, c := range d.Candidates {
		if c.Tier == tier {
			return c
		}
	}
	t.Fatalf("no %s candidate", tier)
	return research.Candidate{}
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	failed := func(role research.Role, tier research.Tier, o research.Outcome, gain float64) research.Step {
		return research.Step{Role: role, Tier: tier, Outcome: o, ProgressBefore: .2, ProgressAfter: .2 + gain}
	}
	unable := func(tier research.Tier) func(*Input) {
		return func(in *Input) {
			for i := range in.Candidates {
				if c := &in.Candidates[i]; c.Tier == tier {
					c.Eligible, c.WhyCode, c.WhyNot = false, "language", "It reads only English."
				}
			}
		}
	}
	steps := func(s ...research.Step) func(*Input) { return func(in *Input) { in.Steps = s } }
	for _, tc := range []struct {
		name   string
		policy research.Policy
		change func(*Input)
		want   research.Tier
		code   string
	}{
		{"a reader early in a run is worth a large model", research.ProgRouter, nil, research.Large, ReasonBestValue},
		{"not when energy is scarce", research.ProgRouter, func(in *Input) { in.Queue = research.ToMicro(100) }, research.Small, ReasonCheapestEnough},
		{"not near the end", research.ProgRouter, func(in *Input) { in.Progress.G = .9 }, research.Small, ReasonCheapestEnough},
		{"not when the promise is equal", research.ProgRouter, func(in *Input) {
			in.Candidates[1].Predicted.Gain, in.Candidates[2].Predicted.Gain = .1, .1
		}, research.Small, ReasonCheapestEnough},
		{"only one can", research.ProgRouter, func(in *Input) { unable(research.Small)(in); unable(research.Medium)(in) }, research.Large, ReasonOnlyFits},
		{"nobody can", research.ProgRouter, func(in *Input) {
			unable(research.Small)(in)
			unable(research.Medium)(in)
			unable(research.Large)(in)
		}, "", ReasonNothingFits},
		{"nobody is there", research.ProgRouter, func(in *Input) { in.Candidates = nil }, "", ReasonNothingFits},
		{"fixed", research.FixedMedium, nil, research.Medium, ReasonFixed},
		{"fixed to what cannot", research.FixedLarge, unable(research.Large), "", ReasonTierUnavailable},
		{"fixed to what is absent", research.FixedLarge, func(in *Input) { in.Candidates = in.Candidates[:2] }, "", ReasonTierUnavailable},
		{"cascade starts small", research.Cascade, nil, research.Small, ReasonStartedSmall},
		{"cascade starts with what can", research.Cascade, unable(research.Small), research.Medium, ReasonStartedSmall},
		{"cascade climbs after a failure", research.Cascade, steps(failed(research.Reader, research.Small, research.OutcomeEmpty, 0)), research.Medium, ReasonEscalated},
		{"cascade climbs after a stall", research.Cascade, steps(failed(research.Reader, research.Small, research.OutcomeOK, .001)), research.Medium, ReasonEscalated},
		{"cascade stays after progress", research.Cascade, steps(failed(research.Reader, research.Small, research.OutcomeOK, .1)), research.Small, ReasonStartedSmall},
		{"cascade climbs per role", research.Cascade, steps(failed(research.Writer, research.Small, research.OutcomeError, 0)), research.Small, ReasonStartedSmall},
		{"cascade ignores interruptions", research.Cascade, steps(failed(research.Reader, research.Small, research.OutcomeInterrupted, 0)), research.Small, ReasonStartedSmall},
		{"cascade does not climb down", research.Cascade, steps(
			failed(research.Reader, research.Medium, research.OutcomeInvalid, 0), failed(research.Reader, research.Large, research.OutcomeOK, .1),
		), research.Large, ReasonEscalated},
		{"cascade stays on top", research.Cascade, steps(failed(research.Reader, research.Large, research.OutcomeError, 0)), research.Large, ReasonEscalated},
		{"cascade is held back", research.Cascade, func(in *Input) {
			steps(failed(research.Reader, research.Medium, research.OutcomeError, 0))(in)
			unable(research.Large)(in)
		}, research.Medium, ReasonHeldBack},
		{"random without chance", research.Random, nil, research.Small, ReasonRandom},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			in := input()
			in.Policy = tc.policy
			if tc.change != nil {
				tc.change(&in)
			}
			d := Decide(in)
			want := ""
			if tc.want != "" {
				want = "embedded/" + string(tc.want)
			}
			if d.Chosen != want || d.ReasonCode != tc.code {
				t.Errorf("chose %q (%s), want %q (%s)", d.Chosen, d.ReasonCode, want, tc.code)
			}
			if d.Reason == "" || strings.Contains(d.Reason, "%!") || (d.Chosen != "") != (d.Propensity == 1) || d.Explored {
				t.Errorf("reason %q, propensity %v, explored %v", d.Reason, d.Propensity, d.Explored)
			}
			t.Log(d.Reason)
			if _, err := json.Marshal(d); err != nil {
				t.Error(err)
			}
		})
	}
}

// testParams weigh progress and energy so that the sample candidates compete;
// the defaults are tuned to what embedded steps really cost.
func testParams() Params {
	p := DefaultParams()
	p.V, p.QueueFloor = 4, 0
	return p
}

func TestReasons(t *testing.T) {
	t.Parallel()
	in := input()
	d := Decide(in)
	want := "The large tier is worth it here rather than the medium tier: it is expected to bring the report further (+0.130 against +0.115), which outweighs its higher use of energy (45 J against 10 J)."
	if d.Reason != want {
		t.Errorf("%s", d.Reason)
	}
	if d.Rival != "embedded/medium" || len(d.Decided) != 2 || d.Decided[0] != TermValue || d.Decided[1] != TermEnergy {
		t.Errorf("rival %s, decided by %v", d.Rival, d.Decided)
	}
	in.Queue = research.ToMicro(300)
	want = "The small tier is enough here, rather than the large tier: it saves energy (0.3 J against 45.0 J), of which earlier runs took more than their allowance, which outweighs the progress expected beyond that (+0.130 against +0.100)."
	if d = Decide(in); d.Reason != want {
		t.Errorf("%s", d.Reason)
	}
}

// While the queue is empty energy has its standing price, and no reason may say
// that earlier runs took too much.
func TestReasonsBlameEarlierRunsOnlyForWhatTheyOwe(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name         string
		v, floor     float64
		queue        float64
		blames, says string
	}{
		{"for, nothing owed", 0.5, 9, 0, "", "it takes less of the energy that a run is allowed on average (0.3 J against 45.0 J)"},
		{"for, owed", 0.5, 0, 300, "it saves energy (0.3 J against 45.0 J), of which earlier runs took more than their allowance", ""},
		{"against, nothing owed", 40, 3, 0, "", "that it takes more of the energy that a run is allowed on average (10.0 J against 0.3 J)"},
		{"against, owed", 40, 0, 100, "that it takes more energy (45 J against 10 J), of which earlier runs took more than their allowance", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			in, p := input(), DefaultParams()
			p.V, p.QueueFloor, p.QueueCap = tc.v, tc.floor, 1000
			in.Params, in.Queue = p, research.ToMicro(tc.queue)
			d := Decide(in)
			if !slices.Contains(d.Decided, TermQueue) {
				t.Fatalf("decided by %v: %s", d.Decided, d.Reason)
			}
			if strings.Contains(d.Reason, "earlier runs") != (tc.blames != "") || !strings.Contains(d.Reason, tc.blames+tc.says) {
				t.Error(d.Reason)
			}
		})
	}
}

func TestHardBudgets(t *testing.T) {
	t.Parallel()
	unknown := func(in *Input) { in.Candidates[2].Expected.Joules, in.Candidates[2].Worst.Joules = nil, nil }
	for _, tc := range []struct {
		name   string
		change func(*Input)
		code   string // of the large candidate, "" for eligible
		words  string
	}{
		{"fits", func(*Input) {}, "", ""},
		{"fits exactly", func(in *Input) { in.Budget.Joules = cost(94, 0, 0).Joules }, "", ""}, // 3 spent + 1 kept + 90
		{"one millionth too much", func(in *Input) { *in.Budget.Joules = research.ToMicro(94) - 1 }, WhyJoules,
			"It could need up to 90 J; 91 J are left, of which 1 J are kept for finishing the report."},
		{"too slow", func(in *Input) { *in.Budget.Seconds = 10 }, WhySeconds, "up to 8 s"},
		{"too dear", func(in *Input) { in.Candidates[2].Worst.Dollars = research.Known(260_000) }, WhyDollars, "$0.26"},
		{"no dollars at all", func(in *Input) { *in.Budget.Dollars = 0 }, "", ""},
		{"open budgets", func(in *Input) { in.Budget = research.Budget{} }, "", ""},
		{"unknown joules", unknown, "", ""},
		{"unknown joules under the user's budget", func(in *Input) { unknown(in); in.Given.Joules = in.Budget.Joules }, WhyUnknownJoules, "unknown"},
		{"unknown price under the user's budget", func(in *Input) {
			in.Candidates[2].Worst.Dollars, in.Given.Dollars = nil, in.Budget.Dollars
		}, WhyUnknownDollars, "unknown"},
		{"unknown price otherwise", func(in *Input) { in.Candidates[2].Worst.Dollars = nil }, "", ""},
		{"no number", func(in *Input) { in.Candidates[2].Worst.Seconds = math.NaN() }, WhySeconds, ""},
		{"overspent", func(in *Input) { in.Spent = cost(5000, 0, 2) }, WhyJoules, "0 J are left"},
		{"unable", func(in *Input) { in.Candidates[2].Eligible = false }, WhyUnable, "cannot"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			in := input()
			tc.change(&in)
			c := byModel(t, Decide(in), research.Large)
			if c.Eligible != (tc.code == "") || c.WhyCode != tc.code || (c.WhyNot == "") != c.Eligible {
				t.Errorf("eligible %v, code %q, why %q", c.Eligible, c.WhyCode, c.WhyNot)
			}
			if !strings.Contains(c.WhyNot, tc.words) {
				t.Errorf("why: %s", c.WhyNot)
			}
		})
	}
}

func TestUnknownCostsAreStoodInFor(t *testing.T) {
	t.Parallel()
	in := input()
	in.Candidates[0].Expected.Joules, in.Candidates[0].Worst.Joules = nil, nil
	d := Decide(in)
	small, large := byModel(t, d, research.Small), byModel(t, d, research.Large)
	if !small.StandIn || large.StandIn || small.Expected.Joules != nil {
		t.Errorf("stand-in %v and %v, stored %v", small.StandIn, large.StandIn, small.Expected.Joules)
	}
	if small.Terms.Energy != large.Terms.Energy {
		t.Errorf("energy terms %v and %v", small.Terms.Energy, large.Terms.Energy)
	}
	*in.Budget.Joules = research.ToMicro(50) // the stand-in's worst case of 90 J does not fit
	if c := byModel(t, Decide(in), research.Small); c.Eligible || c.WhyCode != WhyJoules {
		t.Errorf("eligible %v, code %s", c.Eligible, c.WhyCode)
	}
	for i := range in.Candidates {
		in.Candidates[i].Expected.Joules, in.Candidates[i].Worst.Joules = nil, nil
	}
	if c := byModel(t, Decide(in), research.Small); !c.Eligible || c.StandIn || c.Terms.Energy != 0 {
		t.Errorf("nothing is known: %+v", c)
	}
}

func TestInputIsNotChanged(t *testing.T) {
	t.Parallel()
	in := input()
	before, _ := json.Marshal(in.Candidates)
	Decide(in)
	if after, _ := json.Marshal(in.Candidates); string(after) != string(before) {
		t.Error("the input was changed")
	}
}

func TestModelsOfOneTier(t *testing.T) {
	t.Parallel()
	in := input()
	in.Policy = research.FixedSmall
	dear := candidate(research.Small, 0.10, 5, 0, 1)
	dear.Model = "hosted/small"
	in.Candidates = append([]research.Candidate{dear}, in.Candidates...)
	d := Decide(in)
	if d.Chosen != "embedded/small" || !strings.Contains(d.Reason, "embedded/small") {
		t.Errorf("chose %s: %s", d.Chosen, d.Reason)
	}
}

// drawInput makes any decision at all.
func drawInput(t *rapid.T) Input {
	amount := func(name string, top float64) *research.Micro {
		if rapid.IntRange(0, 5).Draw(t, name+" unknown") == 0 {
			return nil
		}
		return research.Known(research.ToMicro(rapid.Float64Range(0, top).Draw(t, name)))
	}
	price := func(name string) research.Cost {
		return research.Cost{Joules: amount(name+" joules", 100), Dollars: amount(name+" dollars", 1), Seconds: rapid.Float64Range(0, 20).Draw(t, name+" seconds")}
	}
	limits := func(name string) research.Budget {
		b := research.Budget{Joules: amount(name+" joules", 300), Dollars: amount(name+" dollars", 2)}
		if s := rapid.Float64Range(-10, 60).Draw(t, name+" seconds"); s > 0 {
			b.Seconds = &s
		}
		return b
	}
	in := Input{
		Policy: rapid.SampledFrom(append(research.Policies(), research.EvaluationPolicies()...)).Draw(t, "policy"), Role: research.Reader,
		Progress: research.ProgressView{G: rapid.Float64Range(0, 1).Draw(t, "g")},
		Spent:    price("spent"), Budget: limits("budget"), Reserve: price("reserve"),
		Queue:     research.ToMicro(rapid.Float64Range(0, 1e4).Draw(t, "queue")),
		Allowance: research.ToMicro(rapid.Float64Range(-1, 300).Draw(t, "allowance")),
		Decisions: rapid.Int64Range(0, 5000).Draw(t, "decisions"),
		Rand:      rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)),
	}
	if rapid.Bool().Draw(t, "given") {
		in.Given = in.Budget
	}
	for i := range rapid.IntRange(0, 9).Draw(t, "candidates") {
		in.Outlook = append(in.Outlook, rapid.Float64Range(-1, 2).Draw(t, "outlook"))
		in.Truth = append(in.Truth, rapid.Float64Range(-1, 1).Draw(t, "truth"))
		if rapid.Bool().Draw(t, "record") {
			in.Stats = append(in.Stats, research.GainStat{
				Model: string(rune('a' + i)), Role: research.Reader, N: rapid.Int64Range(0, 9).Draw(t, "n"),
				Gain: rapid.Float64Range(-9, 9).Draw(t, "sum"), Joules: research.ToMicro(rapid.Float64Range(0, 900).Draw(t, "sum of joules")),
			})
		}
		in.Candidates = append(in.Candidates, research.Candidate{
			Switching: amount("switching", 50),
			Model:     string(rune('a' + i)), Tier: rapid.SampledFrom(research.Tiers()).Draw(t, "tier"),
			Eligible:  rapid.IntRange(0, 4).Draw(t, "able") > 0,
			Predicted: research.Prediction{Gain: rapid.Float64Range(-1, 1).Draw(t, "gain")},
			Expected:  price("expected"), Worst: price("worst"),
		})
	}
	for range rapid.IntRange(0, 3).Draw(t, "steps") {
		in.Steps = append(in.Steps, research.Step{
			Role: research.Reader, Tier: rapid.SampledFrom(research.Tiers()).Draw(t, "step tier"),
			Outcome: rapid.SampledFrom([]research.Outcome{research.OutcomeOK, research.OutcomeError}).Draw(t, "outcome"),
		})
	}
	return in
}

// Whatever comes in: nothing eligible can break a budget or eat the reserve,
// the score is the sum of its terms and finite, and the choice is one of the
// eligible ones; exploiting means the best score.
func TestDecisionInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		d := Decide(in)
		best, chosen := math.Inf(-1), (*research.Candidate)(nil)
		for i := range d.Candidates {
			c := &d.Candidates[i]
			if c.Score != c.Terms.Sum() || math.IsNaN(c.Score) || math.IsInf(c.Score, 0) {
				t.Fatalf("score %v of %+v", c.Score, c.Terms)
			}
			if c.Model == d.Chosen {
				chosen = c
			}
			if !c.Eligible {
				if c.WhyNot == "" || c.WhyCode == "" {
					t.Fatalf("no reason why %s is ineligible", c.Model)
				}
				continue
			}
			best = max(best, c.Score)
			checkFits(t, in, *c)
		}
		if d.Reason == "" || d.ReasonCode == "" {
			t.Fatal("no reason")
		}
		if chosen == nil {
			if _, fixed := in.Policy.FixedTier(); !fixed && !math.IsInf(best, -1) {
				t.Fatal("nothing chosen though something fits")
			}
			return
		}
		if !chosen.Eligible || !(d.Propensity > 0 && d.Propensity <= 1) {
			t.Fatalf("chose %+v with propensity %v", chosen, d.Propensity)
		}
		if in.Policy == research.ProgRouter && !d.Explored && chosen.Score != best {
			t.Fatalf("exploited %v instead of %v", chosen.Score, best)
		}
		if tier, ok := in.Policy.FixedTier(); ok && chosen.Tier != tier {
			t.Fatalf("%s chose %s", in.Policy, chosen.Tier)
		}
	})
}

func checkFits(t *rapid.T, in Input, c research.Candidate) {
	for _, u := range []struct {
		name                         string
		worst, limit, spent, reserve *research.Micro
		given                        *research.Micro
	}{
		{"joules", c.Worst.Joules, in.Budget.Joules, in.Spent.Joules, in.Reserve.Joules, in.Given.Joules},
		{"dollars", c.Worst.Dollars, in.Budget.Dollars, in.Spent.Dollars, in.Reserve.Dollars, in.Given.Dollars},
	} {
		if u.worst == nil && u.given != nil {
			t.Fatalf("%s: unknown %s under a budget is eligible", c.Model, u.name)
		}
		// What costs nothing at worst cannot overrun, even when all is spent.
		if u.worst != nil && *u.worst > 0 && u.limit != nil &&
			*u.worst+research.OrZero(u.spent)+research.OrZero(u.reserve) > *u.limit {
			t.Fatalf("%s: %v %s do not fit", c.Model, *u.worst, u.name)
		}
	}
	if in.Budget.Seconds != nil && c.Worst.Seconds > 0 && c.Worst.Seconds+in.Reserve.Seconds > *in.Budget.Seconds-in.Spent.Seconds+1e-9 {
		t.Fatalf("%s: %v s do not fit", c.Model, c.Worst.Seconds)
	}
}

// Dearer never scores better, more promising never worse.
func TestScoreIsMonotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		in.Policy, in.Outlook, in.Truth, in.Stats = research.ProgRouter, nil, nil, nil
		a := candidate(research.Small, rapid.Float64Range(-1, 1).Draw(t, "gain"),
			rapid.Float64Range(0, 50).Draw(t, "j"), rapid.Float64Range(0, 1).Draw(t, "usd"), rapid.Float64Range(0, 9).Draw(t, "s"))
		more := rapid.Float64Range(0, 20).Draw(t, "more")
		b := a
		b.Expected = cost(a.Expected.Joules.Units()+more, a.Expected.Dollars.Units()+more, a.Expected.Seconds+more)
		c := a
		c.Predicted.Gain += more
		in.Candidates = []research.Candidate{a, b, c}
		d := Decide(in)
		if d.Candidates[1].Score > d.Candidates[0].Score {
			t.Fatalf("costing %v more raised the score from %v to %v", more, d.Candidates[0].Score, d.Candidates[1].Score)
		}
		if d.Candidates[2].Score < d.Candidates[0].Score {
			t.Fatalf("promising %v more lowered the score", more)
		}
	})
}

// A decision takes microseconds under every policy.
func BenchmarkDecideNineCandidates(b *testing.B) {
	for _, p := range research.Policies() {
		b.Run(string(p), func(b *testing.B) {
			in := input()
			in.Policy = p
			in.Candidates = nil
			for i := range 9 {
				c := candidate(research.Tiers()[i%3], 0.1+0.01*float64(i), 1+float64(i*i), 0, 1+float64(i))
				c.Model = string(rune('a' + i))
				in.Candidates = append(in.Candidates, c)
				for _, role := range research.Roles() {
					in.Stats = append(in.Stats, research.GainStat{Model: c.Model, Role: role, N: 50, Gain: 5, Joules: research.ToMicro(50)})
				}
			}
			in.Rand = rand.New(rand.NewPCG(1, 2))
			b.ReportAllocs()
			for b.Loop() {
				Decide(in)
			}
		})
	}
}
