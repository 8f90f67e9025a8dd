package trial

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/encoder"
	"github.com/progrouter/progrouter/eval/stats"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
)

// params of the tests: V is large enough for a solved task to be worth an attempt
// by the large model.
func params() router.Params {
	return router.Params{V: 5, Epsilon0: 0.1, EpsilonMin: 0.02, Decay: 400, StallGain: 0.01}
}

func play(t *testing.T, w World, o Options) *Result {
	t.Helper()
	if o.Params == (router.Params{}) {
		o.Params = params()
	}
	if o.Embedder == nil {
		o.Embedder = encoder.NewStatic()
	}
	res, err := Play(t.Context(), w, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func document(t *testing.T, r *Result) Document {
	t.Helper()
	d, err := r.Document()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (d Document) of(t *testing.T, p research.Policy) PolicyDocument {
	t.Helper()
	for _, x := range d.Policies {
		if x.Policy == p {
			return x
		}
	}
	t.Fatalf("%s is not in the document", p)
	return PolicyDocument{}
}

// The words tell which model solves a task, so who reads them can do what no
// fixed model can.
func TestProgRouterLearnsWhatTheWordsTell(t *testing.T) {
	t.Parallel()
	d := document(t, play(t, newDesk(160), Options{
		Policies: []research.Policy{research.ProgRouter, research.FixedSmall, research.FixedMedium, research.NoPredictor, research.Oracle},
		Seeds:    []int{101, 102},
	}))
	own := d.of(t, research.ProgRouter)
	if !own.AboveLine.Above(0) || !own.Steady.AboveLine.Above(0.05) {
		t.Errorf("above the fixed line by %+v, steady %+v", own.AboveLine, own.Steady.AboveLine)
	}
	if !own.KeptOnAverage || own.Overruns != 0 || len(own.BeatenBy) != 0 {
		t.Errorf("kept %t, %d overruns, beaten by %v", own.KeptOnAverage, own.Overruns, own.BeatenBy)
	}
	if x := own.Against[research.NoPredictor]; !(x.Quality.Low > 0) {
		t.Errorf("over the policy that does not learn: %+v", x)
	}
	if own.Headroom == nil || own.Headroom.Mean < 0.5 {
		t.Errorf("headroom %+v", own.Headroom)
	}
	p := own.Predictor
	if p == nil || p.Paths == nil || p.Paths.Steps == 0 || p.Paths.Steps >= p.Steps {
		t.Fatalf("predictions %+v", p)
	}
	if !(p.Paths.Gate.Mean < p.Paths.Structured.Mean) { // only words tell here
		t.Errorf("errors %+v", p.Paths)
	}
}

func TestTheOracleIsNotBeatenWithinTheAllowance(t *testing.T) {
	t.Parallel()
	d := document(t, play(t, newDesk(80), Options{Policies: everyPolicy(), Seeds: []int{101}}))
	oracle := d.of(t, research.Oracle)
	if !oracle.KeptOnAverage || len(oracle.BeatenBy) > 0 || len(oracle.DominatedBy) > 0 {
		t.Errorf("kept %t, beaten by %v, dominated by %v", oracle.KeptOnAverage, oracle.BeatenBy, oracle.DominatedBy)
	}
	for _, p := range d.Policies {
		if p.Policy == research.Oracle {
			continue
		}
		if p.Regret == nil || p.Headroom == nil {
			t.Errorf("%s: no regret or headroom", p.Policy)
		} else if p.KeptOnAverage && p.Regret.Quality.Mean < 0 {
			t.Errorf("%s has %+.3f less than nothing to regret", p.Policy, p.Regret.Quality.Mean)
		}
	}
}

func everyPolicy() []research.Policy {
	return append(research.Policies(), research.EvaluationPolicies()...)
}

func TestTheSameSeedGivesTheSameResult(t *testing.T) {
	t.Parallel()
	o := Options{Policies: []research.Policy{research.ProgRouter, research.OneShot, research.Random}, Seeds: []int{101, 102}, Sweep: []float64{0.4}}
	a, b := play(t, newDesk(60), o), play(t, newDesk(60), o)
	if !reflect.DeepEqual(a.Rows, b.Rows) || !reflect.DeepEqual(a.Sweep, b.Sweep) {
		t.Error("two plays differ")
	}
	if slices.EqualFunc(seedRows(a, 101), seedRows(a, 102), func(x, y Row) bool { return x.Item == y.Item }) {
		t.Error("two seeds have the same order")
	}
}

func seedRows(r *Result, seed int) []Row {
	return slices.DeleteFunc(slices.Clone(r.Rows), func(x Row) bool { return x.Seed != seed || x.Policy != research.ProgRouter })
}

// However a policy came to ask a model for the n-th time, it gets the same.
func TestOutcomesAreCommonToPolicies(t *testing.T) {
	t.Parallel()
	type asked struct {
		seed  int
		item  string
		model string
		n     int
	}
	res := play(t, newDesk(40), Options{Policies: everyPolicy(), Seeds: []int{101, 102}})
	seen, shared := map[asked]StepRow{}, 0
	for _, r := range res.Rows {
		n := map[string]int{}
		for _, s := range r.Steps {
			k := asked{r.Seed, r.Item, s.Model, n[s.Model]}
			n[s.Model]++
			first, ok := seen[k]
			if !ok {
				seen[k] = s
				continue
			}
			shared++
			if first.Verdict != s.Verdict || first.Units != s.Units {
				t.Fatalf("%+v: %s at %g and %s at %g", k, first.Verdict, first.Units, s.Verdict, s.Units)
			}
		}
	}
	if shared < 1000 {
		t.Errorf("only %d attempts in common", shared)
	}
}

func TestEveryPolicyHasTheSameStream(t *testing.T) {
	t.Parallel()
	res := play(t, newDesk(30), Options{Policies: everyPolicy(), Seeds: []int{101}, Limit: 12})
	by := map[research.Policy][]string{}
	for _, r := range res.Rows {
		if r.Position != len(by[r.Policy]) || r.Steady != (r.Position >= 4) { // .3 of 12 is 3.6
			t.Errorf("%s: place %d, steady %t", r.Policy, r.Position, r.Steady)
		}
		by[r.Policy] = append(by[r.Policy], r.Item)
	}
	for p, items := range by {
		if len(items) != 12 || !slices.Equal(items, by[research.FixedSmall]) {
			t.Errorf("%s: %v", p, items)
		}
	}
}

func TestTheAllowanceIsAShareOfFixedLarge(t *testing.T) {
	t.Parallel()
	res := play(t, newDesk(40), Options{Policies: []research.Policy{research.ProgRouter}, Seeds: []int{101}})
	large := mean(res.rows(research.FixedLarge), Row.units)
	if large == 0 || res.Allowance != AllowanceShare*large || res.Rows[0].Policy != research.FixedLarge {
		t.Errorf("allowance %g, fixed-large %g, first %s", res.Allowance, large, res.Rows[0].Policy)
	}
	res = play(t, newDesk(40), Options{Policies: []research.Policy{research.FixedSmall}, Seeds: []int{101}, Allowance: 7})
	if res.Allowance != 7 || len(res.Rows) != 40 {
		t.Errorf("allowance %g, %d rows", res.Allowance, len(res.Rows))
	}
}

func TestAModelThatAlwaysAnswersTheSameIsAskedOnce(t *testing.T) {
	t.Parallel()
	w := newDesk(30)
	w.once = true
	for _, r := range play(t, w, Options{Policies: everyPolicy(), Seeds: []int{101}}).Rows {
		if len(r.Steps) != 1 {
			t.Fatalf("%s: %d attempts where answers are taken as they are", r.Policy, len(r.Steps))
		}
	}
	res := play(t, w, Options{Policies: everyPolicy(), Seeds: []int{101}, MaxAttempts: 3})
	for _, r := range res.Rows {
		seen := map[string]bool{}
		for _, s := range r.Steps {
			if seen[s.Model] {
				t.Fatalf("%s asked %s twice", r.Policy, s.Model)
			}
			seen[s.Model] = true
		}
		if _, fixed := r.Policy.FixedTier(); fixed && len(r.Steps) != 1 {
			t.Errorf("%s made %d attempts", r.Policy, len(r.Steps))
		}
	}
}

func TestTheCascadeClimbsWhenNothingIsGained(t *testing.T) {
	t.Parallel()
	res := play(t, newDesk(40), Options{Policies: []research.Policy{research.Cascade}, Seeds: []int{101}, MaxAttempts: 5})
	climbed := false
	for _, r := range res.rows(research.Cascade) {
		if r.Steps[0].Model != "desk/small" {
			t.Errorf("%s began with %s", r.Item, r.Steps[0].Model)
		}
		last := r.Steps[len(r.Steps)-1].Model
		climbed = climbed || last == "desk/large"
	}
	if !climbed {
		t.Error("it never asked the large model")
	}
}

func TestSplitsPartTheItems(t *testing.T) {
	t.Parallel()
	w := newDesk(100)
	dev, rep := Options{Split: stats.Development}.items(w), Options{Split: stats.Reported}.items(w)
	if len(dev)+len(rep) != 100 || len(dev) < 10 || len(dev) > 45 {
		t.Errorf("%d and %d", len(dev), len(rep))
	}
	for _, it := range dev {
		if stats.SplitOf(it.ID) != stats.Development {
			t.Errorf("%s is of the other half", it.ID)
		}
	}
}

func TestWhatCannotBePlayedIsSaid(t *testing.T) {
	t.Parallel()
	w := newDesk(20)
	w.secret = true
	w.models = []Model{w.models[0], w.models[2]}
	d := document(t, play(t, w, Options{Policies: []research.Policy{research.FixedMedium, research.Oracle, research.Cascade}, Seeds: []int{101}}))
	if len(d.Skipped) != 2 || len(d.Policies) != 2 {
		t.Errorf("skipped %v, %d policies", d.Skipped, len(d.Policies))
	}
	for name, o := range map[string]Options{
		"no such split": {Policies: everyPolicy(), Split: "nothing"},
		"no policy":     {Policies: []research.Policy{research.FixedMedium}, Allowance: 1},
	} {
		var e *research.Error
		if _, err := Play(t.Context(), w, o); !errors.As(err, &e) || e.Code != research.EInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// breaking fails at its k-th attempt.
type breaking struct {
	*desk
	left *int
}

func (b breaking) Attempt(ctx context.Context, it Item, model string, n int, said string, r *rand.Rand) (Outcome, error) {
	if *b.left--; *b.left < 0 {
		return Outcome{}, errors.New("the server went away")
	}
	return b.desk.Attempt(ctx, it, model, n, said, r)
}

func TestWhatWasPlayedBeforeAnErrorIsKept(t *testing.T) {
	t.Parallel()
	left := 30
	res, err := Play(t.Context(), breaking{newDesk(40), &left}, Options{Policies: []research.Policy{research.FixedLarge}, Seeds: []int{101}, Params: params()})
	if err == nil || !strings.Contains(err.Error(), "fixed-large, seed 101") || res == nil || len(res.Rows) < 20 {
		t.Errorf("%v with %+v", err, res)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Play(ctx, newDesk(4), Options{Policies: everyPolicy()}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// arranged is a world that is another for each seed.
type arranged struct {
	*desk
	seed int
}

func (a arranged) ForSeed(seed int) World { return arranged{a.desk, seed} }

func (a arranged) Attempt(context.Context, Item, string, int, string, *rand.Rand) (Outcome, error) {
	return Outcome{Verdict: Passed, Share: 1, Cost: Cost{Units: float64(a.seed)}}, nil
}

func TestAWorldIsArrangedForEachSeed(t *testing.T) {
	t.Parallel()
	res := play(t, arranged{newDesk(5), -1}, Options{Policies: []research.Policy{research.FixedSmall}, Seeds: []int{3, 8}, Allowance: 1})
	for _, r := range res.Rows {
		if r.Units != float64(r.Seed) {
			t.Errorf("seed %d played in the world of %g", r.Seed, r.Units)
		}
	}
}

func BenchmarkStream(b *testing.B) {
	for _, p := range []research.Policy{research.FixedSmall, research.ProgRouter} {
		b.Run(string(p), func(b *testing.B) {
			w := newDesk(200)
			o := Options{Params: params(), Embedder: encoder.NewStatic()}.withDefaults()
			for b.Loop() {
				if _, err := newStream(w, o, p, 101, 60).play(context.Background(), inOrder(w.items, 101)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*200), "ms/run")
		})
	}
}
