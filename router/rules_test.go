package router

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/research"
)

func name(tier research.Tier) string { return "embedded/" + string(tier) }

func refuse(tier research.Tier) func(*Input) {
	return func(in *Input) {
		for i := range in.Candidates {
			if c := &in.Candidates[i]; c.Tier == tier {
				c.Eligible, c.WhyCode, c.WhyNot = false, "language", "It reads only English."
			}
		}
	}
}

// first is a run's first step by a tier.
func first(tier research.Tier) []research.Step {
	return []research.Step{{Role: research.Planner, Tier: tier, Model: name(tier), Decision: research.Decision{Chosen: name(tier)}}}
}

func TestOneShot(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*Input)
		want   research.Tier
		code   string
		words  string
	}{
		{"by the outlook", func(in *Input) { in.Outlook = []float64{0.9, 0.2, 0.1} }, research.Small, ReasonAssessed, "by the question alone"},
		{"by the outlook, otherwise", func(in *Input) { in.Outlook = []float64{0.3, 0.4, 0.9} }, research.Large, ReasonAssessed, "(+0.900 against +0.400)"},
		{"what the outlook costs counts", func(in *Input) {
			in.Outlook = []float64{0.3, 0.4, 0.9}
			in.OutlookCost = []research.Cost{cost(3, 0, 1), cost(100, 0, 1), cost(1400, 0, 1)}
		}, research.Medium, ReasonAssessed, "100 J against 3 J"},
		{"blind to the state of the run", func(in *Input) { in.Outlook, in.Progress.G = []float64{0.3, 0.4, 0.9}, 1 }, research.Large, ReasonAssessed, ""},
		{"without an outlook, by the first step", nil, research.Large, ReasonAssessed, ""},
		{"kept, whatever the outlook says now", func(in *Input) { in.Outlook, in.Steps = []float64{0.1, 0.2, 0.9}, first(research.Small) }, research.Small, ReasonKept, "takes every step"},
		{"kept, whatever is predicted", func(in *Input) { in.Steps = first(research.Medium) }, research.Medium, ReasonKept, ""},
		{"the nearest below", func(in *Input) { in.Steps = first(research.Large); refuse(research.Large)(in) }, research.Medium, ReasonNearest, "It reads only English."},
		{"the smaller of two as near", func(in *Input) { in.Steps = first(research.Medium); refuse(research.Medium)(in) }, research.Small, ReasonNearest, "the small tier"},
		{"the only one left", func(in *Input) {
			in.Steps = first(research.Small)
			refuse(research.Small)(in)
			refuse(research.Medium)(in)
		}, research.Large, ReasonOnlyFits, ""},
		{"another model of the tier", func(in *Input) { in.Steps = first(research.Small); in.Candidates[0].Model = "hosted/small" }, "", ReasonKept, "the small tier"},
	} {
		in := input()
		in.Policy = research.OneShot
		if tt.change != nil {
			tt.change(&in)
		}
		want := name(tt.want)
		if tt.want == "" {
			want = "hosted/small"
		}
		if d := Decide(in); d.Chosen != want || d.ReasonCode != tt.code || !strings.Contains(d.Reason, tt.words) || d.Propensity != 1 {
			t.Errorf("%s: %s (%s): %s", tt.name, d.Chosen, d.ReasonCode, d.Reason)
		}
	}
}

// Whatever the first decision of a run was, drawn or not, the others keep it.
func TestOneShotKeepsWhatItDrew(t *testing.T) {
	t.Parallel()
	drawn := map[string]bool{}
	for seed := range uint64(60) {
		in := input()
		in.Policy, in.Rand = research.OneShot, rand.New(rand.NewPCG(seed, 3))
		in.Params.EpsilonMin = 0.9
		d := Decide(in)
		drawn[d.Chosen] = true
		if d.Explored != (d.ReasonCode == ReasonExplored) || !d.Explored && d.Propensity <= 0.1 || d.Explored && !strings.Contains(d.Reason, "of the runs") {
			t.Fatalf("%+v", d)
		}
		for _, c := range d.Candidates {
			if c.Model == d.Chosen {
				in.Steps = []research.Step{{Tier: c.Tier, Model: c.Model, Decision: d}}
			}
		}
		if again := Decide(in); again.Chosen != d.Chosen || again.Propensity != 1 || again.Explored {
			t.Fatalf("began with %s, went on with %s (%v)", d.Chosen, again.Chosen, again.Propensity)
		}
	}
	if len(drawn) != 3 {
		t.Errorf("drew only %v", drawn)
	}
}

func record(tier research.Tier, n int64, gain, j float64) research.GainStat {
	return research.GainStat{
		Model: name(tier), Role: research.Reader, N: n, Gain: gain * float64(n),
		Joules: research.ToMicro(j) * research.Micro(n), Seconds: float64(n),
	}
}

func TestEducated(t *testing.T) {
	t.Parallel()
	all := func(small, medium, large float64) []research.GainStat {
		return []research.GainStat{record(research.Small, 50, small, 1), record(research.Medium, 50, medium, 12), record(research.Large, 50, large, 60)}
	}
	for _, tt := range []struct {
		name   string
		change func(*Input)
		want   research.Tier
		code   string
		words  string
	}{
		{"nothing was tried: the cheapest", nil, research.Small, ReasonUntried, "0 so far, 3 are needed"},
		{"then the next", func(in *Input) { in.Stats = []research.GainStat{record(research.Small, 3, .1, 1)} }, research.Medium, ReasonUntried, "the medium tier"},
		{"the least tried", func(in *Input) {
			in.Stats = []research.GainStat{record(research.Small, 2, .1, 1), record(research.Medium, 1, .1, 1), record(research.Large, 1, .1, 90)}
		}, research.Medium, ReasonUntried, "1 so far"},
		{"what cannot is not tried", func(in *Input) {
			refuse(research.Large)(in)
			in.Stats = []research.GainStat{record(research.Small, 9, .3, 1), record(research.Medium, 9, .1, 10)}
		}, research.Small, ReasonBestRecord, ""},
		{"the best record", func(in *Input) { in.Stats = all(.1, .15, .4) }, research.Large, ReasonBestRecord, "(+0.400 against +0.150)"},
		{"…otherwise", func(in *Input) { in.Stats = all(.2, .15, .2) }, research.Small, ReasonBestRecord, "better record"},
		{"a dear record is not worth it", func(in *Input) { in.Stats = all(.1, .101, .102) }, research.Small, ReasonBestRecord, ""},
		{"records of other roles do not count", func(in *Input) {
			in.Stats = all(.1, .15, .4)
			for i := range in.Stats {
				in.Stats[i].Role = research.Writer
			}
		}, research.Small, ReasonUntried, ""},
		{"a long queue counts", func(in *Input) { in.Stats, in.Queue = all(.1, .15, .4), research.ToMicro(900) }, research.Small, ReasonBestRecord, "saves energy"},
	} {
		in := input()
		in.Policy = research.Educated
		if tt.change != nil {
			tt.change(&in)
		}
		if d := Decide(in); d.Chosen != name(tt.want) || d.ReasonCode != tt.code || !strings.Contains(d.Reason, tt.words) {
			t.Errorf("%s: %s (%s): %s", tt.name, d.Chosen, d.ReasonCode, d.Reason)
		}
	}
}

// Neither how far the run is, nor what it has spent, nor what is predicted moves a
// policy that goes by the record.
func TestEducatedIsBlindToTheRun(t *testing.T) {
	t.Parallel()
	in := input()
	in.Policy = research.Educated
	in.Stats = []research.GainStat{record(research.Small, 50, .1, 1), record(research.Medium, 50, .2, 12), record(research.Large, 50, .25, 60)}
	before := Decide(in)
	in.Progress.G, in.Spent = 0.95, cost(900, .1, 100)
	in.Candidates[0].Predicted.Gain, in.Steps = 0.9, first(research.Small)
	after := Decide(in)
	for i := range before.Candidates {
		if before.Candidates[i].Terms != after.Candidates[i].Terms {
			t.Errorf("%s: %+v became %+v", before.Candidates[i].Model, before.Candidates[i].Terms, after.Candidates[i].Terms)
		}
	}
}

// It still has a chance to try anything, or it could never be wrong for good.
func TestEducatedExplores(t *testing.T) {
	t.Parallel()
	in := input()
	in.Policy, in.Rand = research.Educated, rand.New(rand.NewPCG(1, 1))
	in.Stats = []research.GainStat{record(research.Small, 50, .1, 1), record(research.Medium, 50, .2, 12), record(research.Large, 50, .25, 60)}
	seen := map[string]bool{}
	for range 300 {
		d := Decide(in)
		seen[d.Chosen] = true
		if d.Propensity <= 0 || d.Propensity >= 1 {
			t.Fatalf("propensity %v", d.Propensity)
		}
	}
	if len(seen) != 3 {
		t.Errorf("tried only %v", seen)
	}
}

func TestGreedy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*Input)
		want   research.Tier
	}{
		{"the cheap one yields most, though more is needed", nil, research.Small},
		{"unless the dear one brings as much more", func(in *Input) { in.Candidates[2].Predicted.Gain = 100 }, research.Large},
		{"progress for nothing", func(in *Input) { *in.Candidates[1].Expected.Joules = 0 }, research.Medium},
		{"more of it for nothing", func(in *Input) { *in.Candidates[1].Expected.Joules, *in.Candidates[2].Expected.Joules = 0, 0 }, research.Large},
		{"no progress: not the dearest", func(in *Input) {
			for i := range in.Candidates {
				in.Candidates[i].Predicted.Gain = -0.1
			}
		}, research.Small},
		{"little progress before none", func(in *Input) {
			in.Candidates[0].Predicted.Gain, in.Candidates[1].Predicted.Gain, in.Candidates[2].Predicted.Gain = 0, -1, 0.001
		}, research.Large},
		{"no energy known: by price", func(in *Input) {
			for i := range in.Candidates {
				in.Candidates[i].Expected.Joules, in.Candidates[i].Expected.Dollars = nil, research.Known(research.Micro(900-400*i))
			}
		}, research.Large},
		{"nothing known: by time", func(in *Input) {
			for i := range in.Candidates {
				in.Candidates[i].Expected = research.Cost{Seconds: float64(9 - 4*i)}
			}
		}, research.Large},
	} {
		in := input()
		in.Policy = research.Greedy
		if tt.change != nil {
			tt.change(&in)
		}
		if d := Decide(in); d.Chosen != name(tt.want) || d.ReasonCode != ReasonGainPerCost || d.Rival == "" || d.Rival == d.Chosen {
			t.Errorf("%s: %s (%s, rival %s): %s", tt.name, d.Chosen, d.ReasonCode, d.Rival, d.Reason)
		}
	}
	want := "The policy takes the most expected progress for each joule, whatever the run needs: the small tier (+0.100 for 0.3 J) comes before the medium tier (+0.115 for 10 J)."
	in := input()
	in.Policy = research.Greedy
	if d := Decide(in); d.Reason != want {
		t.Errorf("%s", d.Reason)
	}
}

func TestOracleKnowsAndDoesNotExplore(t *testing.T) {
	t.Parallel()
	in := input()
	in.Policy, in.Truth, in.Rand = research.Oracle, []float64{0.1, 0.9, 0.1}, rand.New(rand.NewPCG(1, 1))
	in.Params.EpsilonMin = 1
	for range 20 {
		if d := Decide(in); d.Chosen != name(research.Medium) || d.Propensity != 1 || d.Explored || d.ReasonCode != ReasonTruth || math.Abs(d.Candidates[1].Terms.Value-4*0.8*0.9) > 1e-12 {
			t.Fatalf("%s (%s): %s", d.Chosen, d.ReasonCode, d.Reason)
		}
	}
	in.Truth = nil
	if d := Decide(in); d.ReasonCode == ReasonTruth || d.Candidates[0].Believed != nil {
		t.Errorf("an oracle that was told nothing: %s", d.Reason)
	}
}

// Truth and outlook move nobody but those who are meant to have them.
func TestNobodyElseIsToldTheTruth(t *testing.T) {
	t.Parallel()
	for _, p := range append(research.Policies(), research.EvaluationPolicies()...) {
		in := input()
		in.Policy = p
		plain := Decide(in)
		in.Truth = []float64{-1, 5, -1}
		told := Decide(in)
		if p != research.Oracle && plain.Reason != told.Reason {
			t.Errorf("%s: %q became %q", p, plain.Reason, told.Reason)
		}
		in.Truth, in.Outlook = nil, []float64{-1, 5, -1}
		if d := Decide(in); p != research.OneShot && plain.Reason != d.Reason {
			t.Errorf("%s looks at the outlook", p)
		}
	}
}

func TestAblationsLeaveTheirTermOut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		decide := func(p research.Policy) research.Decision {
			in.Policy, in.Rand = p, nil
			return Decide(in)
		}
		full, queue, penalty := decide(research.ProgRouter), decide(research.NoQueue), decide(research.NoPenalty)
		for i, c := range full.Candidates {
			want := c.Terms
			want.Queue = 0
			if queue.Candidates[i].Terms != want {
				t.Fatalf("without the queue %+v, want %+v", queue.Candidates[i].Terms, want)
			}
			if got := penalty.Candidates[i].Terms; got != (research.Terms{Value: c.Terms.Value, Queue: c.Terms.Queue}) {
				t.Fatalf("without penalties %+v of %+v", got, c.Terms)
			}
			// Budgets stay hard all the same.
			if queue.Candidates[i].Eligible != c.Eligible || penalty.Candidates[i].Eligible != c.Eligible {
				t.Fatal("an ablation admits what the budget does not")
			}
		}
		for _, p := range []research.Policy{research.NoPredictor, research.NoScorer, research.StructuredOnly, research.SemanticOnly, research.MeanOfPaths} {
			if d := decide(p); d.Chosen != full.Chosen {
				t.Fatalf("%s: what differs is what the caller predicts, and it chose %s instead of %s", p, d.Chosen, full.Chosen)
			}
		}
	})
}

func TestWeights(t *testing.T) {
	t.Parallel()
	in := input()
	in.Queue = research.ToMicro(50)
	plain := Decide(in)
	in.Params.Weights = Weights{Queue: 2, Energy: 3, Time: 0, Dollars: 1}
	heavy := Decide(in)
	in.Params.Weights = Weights{}
	if unset := Decide(in); unset.Candidates[1].Terms != plain.Candidates[1].Terms {
		t.Error("weights that are not set are not 1")
	}
	for i, c := range plain.Candidates {
		h := heavy.Candidates[i].Terms
		if h.Queue != 2*c.Terms.Queue || h.Energy != 3*c.Terms.Energy || h.Time != 0 || math.Signbit(h.Time) || h.Value != c.Terms.Value {
			t.Errorf("%+v became %+v", c.Terms, h)
		}
	}
}

func TestParamsAreValidated(t *testing.T) {
	t.Parallel()
	if err := DefaultParams().Validate(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Params){
		"value":         func(p *Params) { p.V = 0 },
		"weight_queue":  func(p *Params) { p.Weights.Queue = -1 },
		"weight_energy": func(p *Params) { p.Weights.Energy = math.NaN() },
		"weight_time":   func(p *Params) { p.Weights.Time = math.Inf(1) },
		"All weights":   func(p *Params) { p.Weights = Weights{} },
		"epsilon":       func(p *Params) { p.EpsilonMin = 0.5 },
		"epsilon_decay": func(p *Params) { p.Decay = 0 },
		"stall_gain":    func(p *Params) { p.StallGain = 1 },
	} {
		p := DefaultParams()
		change(&p)
		if err := p.Validate(); research.CodeOf(err) != research.EInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestLoadingIsNamedWhereItDecides(t *testing.T) {
	t.Parallel()
	load := func(in *Input, small, medium, large float64) {
		for i, j := range []float64{small, medium, large} {
			c := &in.Candidates[i]
			c.Switching = research.Known(research.ToMicro(j))
			c.Expected.Joules = research.Known(*c.Expected.Joules + *c.Switching)
			c.Worst.Joules = research.Known(*c.Worst.Joules + *c.Switching)
		}
	}
	in := input()
	load(&in, 0, 0, 500)
	in.Candidates = []research.Candidate{in.Candidates[0], in.Candidates[2]}
	want := "The small tier is enough here, rather than the large tier: it is ready, while the large tier would first have to be loaded (500 J), which outweighs the progress expected beyond that (+0.130 against +0.100)."
	d := Decide(in)
	if d.Reason != want || len(d.Decided) != 2 || d.Decided[0] != TermSwitching {
		t.Errorf("%v: %s", d.Decided, d.Reason)
	}
	in = input()
	in.Candidates[2].Predicted.Gain = 0.3
	load(&in, 0, 0, 200)
	if d = Decide(in); d.Chosen != name(research.Large) || !strings.Contains(d.Reason, "which outweighs that it first has to be loaded (200 J)") {
		t.Errorf("%s", d.Reason)
	}
	in = input()
	load(&in, 1, 1, 1) // all alike
	if d = Decide(in); strings.Contains(d.Reason, "loaded") {
		t.Errorf("%s", d.Reason)
	}
	in.Candidates[1].Switching = nil
	if d = Decide(in); strings.Contains(d.Reason, "loaded") {
		t.Errorf("unknown: %s", d.Reason)
	}
}
