package whatif

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
)

func amountOf(j float64) *research.Micro { return research.Known(research.ToMicro(j)) }

// bandit draws decisions whose true gains are known: a context x in [0, 1], in
// which the large model gains 0.1 + 0.3·x, the medium one 0.25 and the small one
// 0.2 − 0.1·x, each with noise.
type bandit struct {
	r       *rand.Rand
	epsilon float64
}

func truth(tier research.Tier, x float64) float64 {
	switch tier {
	case research.Large:
		return 0.1 + 0.3*x
	case research.Medium:
		return 0.25
	}
	return 0.2 - 0.1*x
}

func (b bandit) draw(run string) (Logged, float64) {
	x := b.r.Float64()
	in := router.Input{
		Policy: research.ProgRouter, Role: research.Reader, Rand: b.r,
		Progress: research.ProgressView{G: x},
		Budget:   research.Budget{Joules: amountOf(1000)},
		Params:   router.Params{V: 1, EpsilonMin: b.epsilon},
	}
	for i, tier := range research.Tiers() {
		j := math.Pow(4, float64(i))
		in.Candidates = append(in.Candidates, research.Candidate{
			Model: "m/" + string(tier), Tier: tier, Eligible: true,
			Predicted: research.Prediction{Gain: 0.1 + 0.05*float64(i)},
			Expected:  research.Cost{Joules: amountOf(j)}, Worst: research.Cost{Joules: amountOf(j)},
		})
	}
	d := router.Decide(in)
	for _, c := range d.Candidates {
		if c.Model == d.Chosen {
			d.Realised = &research.Realised{Gain: truth(c.Tier, x) + 0.1*b.r.NormFloat64(), Joules: c.Expected.Joules}
		}
	}
	return Logged{Run: run, Role: research.Reader, Decision: d}, x
}

// log draws n decisions and says what a tier would really have gained in them.
func (b bandit) log(n int, tier research.Tier) (log []Logged, would float64) {
	for i := range n {
		l, x := b.draw(fmt.Sprint(i / 5))
		log, would = append(log, l), would+truth(tier, x)/float64(n)
	}
	return log, would
}

func TestEstimatesAreRightOnAverageAndTheIntervalsHold(t *testing.T) {
	t.Parallel()
	const repeats = 60
	for _, tier := range research.Tiers() {
		bias, inside, n := 0.0, 0, 0
		for seed := range uint64(repeats) {
			b := bandit{r: rand.New(rand.NewPCG(seed, 11)), epsilon: 0.4}
			log, would := b.log(600, tier)
			e := Estimate(log, Always(tier))
			if e.Gain == nil || e.Support != 1 {
				t.Fatalf("%s: no estimate (%v), support %v", tier, e.Why, e.Support)
			}
			if math.Abs(e.Weight-1) > 0.5 {
				t.Errorf("%s: mean weight %v", tier, e.Weight)
			}
			if want := map[research.Tier]float64{research.Small: 1, research.Medium: 4, research.Large: 16}[tier]; math.Abs(e.Joules.Mean-want) > 1e-9 {
				t.Errorf("%s: %v J a step, want %v", tier, e.Joules.Mean, want)
			}
			bias += e.Gain.Mean - would
			n++
			if e.Gain.Low <= would && would <= e.Gain.High {
				inside++
			}
		}
		if bias /= float64(n); math.Abs(bias) > 0.005 {
			t.Errorf("%s: off by %.4f on average", tier, bias)
		}
		if share := float64(inside) / float64(n); share < 0.88 {
			t.Errorf("%s: %.0f %% of the 95 %% intervals hold the truth", tier, 100*share)
		}
	}
}

// The logged policy itself is estimated at what it brought, and so is taking what
// was taken where nothing was left to chance.
func TestTheLoggedPolicyIsItsPlainMean(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		epsilon float64
		target  Target
	}{"logging": {0.3, Logging()}, "no chance, logging": {0, Logging()}, "no chance, chosen": {0, Chosen()}} {
		log, _ := bandit{r: rand.New(rand.NewPCG(5, 5)), epsilon: tt.epsilon}.log(200, research.Small)
		sum := 0.0
		for _, l := range log {
			sum += l.Decision.Realised.Gain
		}
		e := Estimate(log, tt.target)
		if e.Gain == nil || math.Abs(e.Gain.Mean-sum/200) > 1e-12 || e.Gain.N != 200 || math.Abs(e.Gain.ESS-200) > 1e-6 {
			t.Errorf("%s: %+v, want the mean %v of 200", name, e.Gain, sum/200)
		}
		if !(e.Gain.Low < e.Gain.Mean && e.Gain.Mean < e.Gain.High) {
			t.Errorf("%s: interval %v to %v", name, e.Gain.Low, e.Gain.High)
		}
	}
}

func TestEstimateBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := bandit{r: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), epsilon: rapid.Float64Range(0, 1).Draw(t, "epsilon")}
		log, _ := b.log(rapid.IntRange(0, 300).Draw(t, "n"), research.Small)
		low, high := math.Inf(1), math.Inf(-1)
		for _, l := range log {
			low, high = min(low, l.Decision.Realised.Gain), max(high, l.Decision.Realised.Gain)
		}
		e := Estimate(log, Always(rapid.SampledFrom(research.Tiers()).Draw(t, "tier")))
		if (e.Gain == nil) != (e.Why != nil) || e.Support < 0 || e.Support > 1 || e.Note.Text == "" {
			t.Fatalf("%+v", e)
		}
		if g := e.Gain; g != nil && (g.ESS < MinSample || g.ESS > float64(g.N)+1e-9 || g.Mean < low || g.Mean > high || g.Low > g.Mean || g.High < g.Mean) {
			t.Fatalf("%+v, gains %v to %v", g, low, high)
		}
	})
}

func TestEstimatesAreRefusedWhereTooLittleIsKnown(t *testing.T) {
	t.Parallel()
	log, _ := bandit{r: rand.New(rand.NewPCG(2, 2)), epsilon: 0.4}.log(600, research.Small)
	deterministic, _ := bandit{r: rand.New(rand.NewPCG(2, 2))}.log(600, research.Small)
	deterministic = slices.DeleteFunc(deterministic, func(l Logged) bool { return l.Decision.Chosen == "m/large" })
	oneRun := slices.Clone(log)
	for i := range oneRun {
		oneRun[i].Run = "only"
	}
	uneven := slices.Clone(log)
	for i := range uneven {
		uneven[i].Decision.Propensity = 0.9
	}
	uneven[0].Decision.Propensity = 1e-6
	unknown := slices.Clone(log)
	for i := range unknown {
		unknown[i].Decision.Realised = nil
	}
	for _, tt := range []struct {
		name   string
		log    []Logged
		target Target
		code   string
	}{
		{"nothing", nil, Always(research.Small), NoteTooFew},
		{"few", log[:40], Always(research.Large), NoteTooFew},
		{"never done", deterministic, Always(research.Large), NoteTooFew},
		{"no outcomes", unknown, Chosen(), NoteTooFew},
		{"one run", oneRun, Logging(), NoteFewRuns},
		{"uneven", uneven, Chosen(), NoteTooUneven},
		{"a target that never decides", log, func(Logged) []float64 { return nil }, NoteTooFew},
		{"a target of other candidates", log, func(Logged) []float64 { return []float64{1} }, NoteTooFew},
	} {
		e := Estimate(tt.log, tt.target)
		if e.Gain != nil || e.Joules != nil || e.Why == nil || e.Why.Code != tt.code || e.Why.Text == "" {
			t.Errorf("%s: %+v, %+v", tt.name, e.Gain, e.Why)
		}
	}
}

func TestUnknownJoulesLeaveTheGain(t *testing.T) {
	t.Parallel()
	log, _ := bandit{r: rand.New(rand.NewPCG(2, 2)), epsilon: 0.4}.log(400, research.Small)
	for i := range log {
		log[i].Decision.Realised.Joules = nil
	}
	if e := Estimate(log, Logging()); e.Gain == nil || e.Joules != nil {
		t.Errorf("gain %v, joules %v", e.Gain, e.Joules)
	}
}

func TestPoliciesDecideAnewAsTheyDidThen(t *testing.T) {
	t.Parallel()
	b := bandit{r: rand.New(rand.NewPCG(4, 4))} // no chance
	same, err := ByPolicy(research.ProgRouter, router.Params{V: 1})
	if err != nil {
		t.Fatal(err)
	}
	thrifty, err := ByPolicy(research.ProgRouter, router.Params{V: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	moved := 0
	for i := range 200 {
		l, _ := b.draw(fmt.Sprint(i))
		if p := same(l); p[l.chosen()] != 1 {
			t.Fatalf("the same policy decides otherwise: %v, chosen %d", p, l.chosen())
		}
		if p := thrifty(l); p[0] != 1 {
			t.Fatalf("with V near 0 it takes %v", p)
		} else if l.chosen() != 0 {
			moved++
		}
	}
	if moved == 0 {
		t.Error("V makes no difference")
	}
	for _, p := range []research.Policy{research.Cascade, research.OneShot, research.Educated, research.Oracle, research.NoScorer} {
		if _, err := ByPolicy(p, router.Params{}); research.CodeOf(err) != research.EInvalid {
			t.Errorf("%s: %v", p, err)
		}
	}
	for _, p := range []research.Policy{research.Random, research.Greedy, research.FixedLarge, research.NoQueue, research.NoPenalty} {
		target, err := ByPolicy(p, router.Params{})
		if err != nil {
			t.Fatal(err)
		}
		l, _ := b.draw("x")
		sum := 0.0
		for _, c := range target(l) {
			sum += c
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%s: chances sum to %v", p, sum)
		}
	}
}

func TestLoggedOfLeavesOutWhatSaysNothing(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[research.Outcome]bool{
		research.OutcomeOK: true, research.OutcomeError: true, research.InFlight: false, research.OutcomeInterrupted: false, research.OutcomeCancelled: false,
	} {
		step := research.Step{Outcome: outcome, Role: research.Writer, Model: "a", Decision: research.Decision{Chosen: "a"}}
		if l, ok := LoggedOf("run", step); ok != want || ok && (l.Run != "run" || l.Role != research.Writer) {
			t.Errorf("%q: got %+v, %t", outcome, l, ok)
		}
		step.Model = "b" // answered in the place of a
		if _, ok := LoggedOf("run", step); ok {
			t.Errorf("%q: what another model brought is taken for the chosen one's", outcome)
		}
	}
}
