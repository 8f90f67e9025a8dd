package progress

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/progrouter/progrouter/encoder"
	"github.com/progrouter/progrouter/research"
)

func train(samples []Sample) *Model {
	return Train(samples, nil, encoder.NewStatic(), DefaultConfig())
}

// TestColdStart: with no or too few samples of a domain the model is the prior.
func TestColdStart(t *testing.T) {
	t.Parallel()
	samples := newStream(101).samples(60)
	prior := NewPrior(nil, nil)
	for name, m := range map[string]*Model{
		"nothing":      train(nil),
		"few":          train(samples[:FirstFit-1]),
		"no embedder":  Train(samples, prior, nil, DefaultConfig()),
		"zero config":  Train(samples[:1], prior, encoder.NewStatic(), Config{}),
		"other domain": train(samples),
	} {
		f := samples[20].Features
		if name == "other domain" {
			f = Features{Role: research.Reader, Tier: research.Medium, Open: 2}
		}
		for _, p := range []Path{PathBoth, PathStructured, PathSemantic, PathMean} {
			if got, want := m.Only(p).Predict(f), prior.Predict(f); got != want {
				t.Errorf("%s, %s: %+v, want %+v", name, p, got, want)
			}
		}
	}
}

// TestFewSamplesStayNearThePrior: forty steps that gained what the prior says
// of other steps must not move it far, and the prediction says it is mixed.
func TestFewSamplesStayNearThePrior(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	samples := newStream(101).samples(FirstFit)
	prior := NewPrior(nil, nil)
	for i := range samples {
		samples[i].Gain = prior.Predict(samples[i].Features).Gain + 0.1*r.NormFloat64()
	}
	m, far := train(samples), 0.0
	fresh := newStream(102).samples(100)
	for _, s := range fresh {
		got, want := m.Predict(s.Features), prior.Predict(s.Features).Gain
		far += math.Abs(got.Gain-want) / float64(len(fresh))
		if math.Abs(got.Gain-want) > 0.1 || got.Basis != BasisMixed || got.Structured == nil || got.Semantic == nil || got.Gate == nil {
			t.Fatalf("%+v, prior %v", got, want)
		}
	}
	if far > 0.05 {
		t.Errorf("%.3f away on average", far)
	}
}

// TestTheGateIsBetter: predicted before each step and refitted on schedule, the
// gate errs less than either path and than the mean of both.
func TestTheGateIsBetter(t *testing.T) {
	t.Parallel()
	var sum maes
	for seed := range uint64(3) {
		sum.add(prequential(newStream(201+seed).samples(800), DefaultConfig()))
	}
	t.Log(sum)
	if !(sum.gate < sum.structured && sum.gate < sum.semantic && sum.gate < sum.mean && sum.mean < 0.85*sum.prior) {
		t.Error("it is not")
	}
	if !(sum.gateSquare < 1.02*sum.meanSquare) {
		t.Error("…and pays for it in squared error")
	}
}

// TestWhichModelPaysOnWhichTask: two kinds of task only the words tell apart,
// on each of which another model of the same tier is the better one.
func TestWhichModelPaysOnWhichTask(t *testing.T) {
	t.Parallel()
	for _, n := range []int{150, 400} {
		right, all := 0, 0
		for seed := range uint64(4) {
			samples, fresh := specialists(301+seed, n, true), specialists(401+seed, 100, true)
			m := train(samples)
			for i := 0; i+1 < len(fresh); i++ {
				a, b := fresh[i].Features, fresh[i].Features
				a.Model, b.Model = "x", "y"
				better := "x"
				if fresh[i].Explored { // marks the topic, for this test
					better = "y"
				}
				if (m.Predict(a).Gain > m.Predict(b).Gain) == (better == "x") {
					right++
				}
				all++
			}
		}
		share := float64(right) / float64(all)
		t.Logf("%d steps: %.2f right", n, share)
		if share < 0.75 || (n >= 400 && share < 0.85) {
			t.Errorf("after %d steps %.2f are right", n, share)
		}
	}
}

// specialists are first attempts by two models: x is good at geometry (0.8
// against 0.2), y at strings. Explored marks the strings. Without difference
// both solve one half of everything.
func specialists(seed uint64, n int, differ bool) []Sample {
	r := rand.New(rand.NewPCG(seed, 3))
	var out []Sample
	for i := range n {
		topic, model := 2*r.IntN(2), []string{"x", "y"}[r.IntN(2)]
		text := fmt.Sprintf("Task %d:", i)
		for range 12 {
			text += " " + topics[topic][r.IntN(len(topics[topic]))]
		}
		chance := 0.5
		if differ {
			chance = 0.2
			if (topic == 0) == (model == "x") {
				chance = 0.8
			}
		}
		a := Attempt{Verdict: Wrong}
		if r.Float64() < chance {
			a = Attempt{Verdict: Passed, Share: 1}
		}
		f := AttemptFeatures(Task{Text: text, Kind: "mixed"}, nil, nil, research.ProgressView{Regime: research.RegimeInvalid}, model, research.Medium)
		out = append(out, Sample{
			ID: int64(i + 1), Features: f, Propensity: 0.5, Explored: topic == 2,
			Gain: ScoreAttempts([]Attempt{a}, []research.Step{{Outcome: research.OutcomeOK}}).G,
		})
	}
	return out
}

// TestPreferenceIsNoMerit: of two models that are alike, the one a router tried
// first, or nearly always, must not look better.
func TestPreferenceIsNoMerit(t *testing.T) {
	t.Parallel()
	for _, share := range []float64{1, 0.95, 0.8} {
		tilt := 0.0
		const seeds = 6
		for seed := range uint64(seeds) {
			r := rand.New(rand.NewPCG(seed, 4))
			samples := specialists(501+seed, 300, false)
			for i := range samples {
				f := &samples[i].Features
				f.Model, samples[i].Propensity = "x", share
				if r.Float64() >= share {
					f.Model, samples[i].Propensity = "y", 1-share
				}
			}
			m := train(samples)
			a, b := samples[0].Features, samples[0].Features
			a.Model, b.Model = "x", "y"
			tilt += (m.Predict(a).Gain - m.Predict(b).Gain) / seeds
		}
		t.Logf("x in %v of the steps: ahead by %.3f", share, tilt)
		if math.Abs(tilt) > 0.05 || (share == 1 && tilt > 1e-9) {
			t.Errorf("x in %v of the steps is ahead by %v", share, tilt)
		}
	}
}

func TestTrainingIsDeterministic(t *testing.T) {
	t.Parallel()
	samples := newStream(101).samples(300)
	enc := func(c Config, s []Sample) []byte {
		b, err := Train(s, nil, encoder.NewStatic(), c).Encode()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	c := DefaultConfig()
	one := enc(c, samples)
	if !bytes.Equal(one, enc(c, slices.Clone(samples))) {
		t.Error("the same samples give another model")
	}
	other := c
	other.Seed++
	if bytes.Equal(one, enc(other, samples)) {
		t.Error("the seed makes no difference")
	}
	c.Window = 200
	short := Train(samples, nil, encoder.NewStatic(), c)
	if short.Samples() != 200 || short.Through() != 300 {
		t.Errorf("%d samples through %d", short.Samples(), short.Through())
	}
	if !bytes.Equal(enc(c, samples), enc(c, samples[100:])) {
		t.Error("samples before the window count")
	}
}

// TestBadSamples: what cannot be is ignored, and odd values do not break it.
func TestBadSamples(t *testing.T) {
	t.Parallel()
	samples := newStream(101).samples(120)
	want, err := train(samples[2:]).Encode()
	if err != nil {
		t.Fatal(err)
	}
	samples[0].Gain, samples[1].Gain = math.NaN(), math.Inf(1)
	m := train(samples)
	m.samples -= 2 // they count as seen
	if got, err := m.Encode(); err != nil || !bytes.Equal(got, want) {
		t.Error("gains that are no numbers count")
	}
	for i := range samples {
		samples[i].Features.Progress.G, samples[i].Features.LastGain = math.NaN(), math.Inf(1)
		samples[i].Propensity = []float64{math.NaN(), 0, -1, 2, 1e-300}[i%5]
		samples[i].Features.Question = ""
	}
	if p := train(samples).Predict(samples[3].Features); !(p.Gain >= -1 && p.Gain <= 1) {
		t.Errorf("%+v", p)
	}
}

func TestPathsAndRange(t *testing.T) {
	t.Parallel()
	samples := newStream(101).samples(400)
	m := train(samples)
	for _, s := range samples[:100] {
		p := m.Predict(s.Features)
		a, b, w := *p.Structured, *p.Semantic, *p.Gate
		if w < 0 || w > 1 || math.Abs(p.Gain-((1-w)*a+w*b)) > 1e-12 || p.Gain > 1-s.Features.Progress.G+1e-12 {
			t.Fatalf("%+v", p)
		}
		for path, want := range map[Path]float64{PathBoth: p.Gain, PathStructured: a, PathSemantic: b, PathMean: (a + b) / 2} {
			if got := m.Only(path).Predict(s.Features).Gain; got != want {
				t.Fatalf("%s: %v, want %v", path, got, want)
			}
		}
	}
	known, unknown := samples[0].Features, samples[0].Features
	unknown.Model = "never seen"
	if a, b := m.Predict(known).Basis, m.Predict(unknown).Basis; a != BasisLearned || b != BasisMixed {
		t.Errorf("known: %s, unknown: %s", a, b)
	}
}

func TestTwoDomains(t *testing.T) {
	t.Parallel()
	samples := newStream(101).samples(200)
	want := train(samples).Predict(samples[0].Features)
	both := slices.Clone(samples)
	for i := range 100 {
		both = append(both, Sample{ID: int64(201 + i), Gain: 0.5, Features: Features{Role: research.Reader, Tier: research.Small, Model: "m", Question: fmt.Sprint("what is ", i)}})
	}
	m := train(both)
	if got := m.Predict(samples[0].Features); *got.Gate != *want.Gate || got.Gain != want.Gain {
		t.Error("research changes what is thought of attempts")
	}
	if got := m.Predict(both[250].Features); math.Abs(got.Gain-0.5) > 0.1 {
		t.Errorf("research: %+v", got)
	}
	if got := m.Domains(); !slices.Equal(got, []string{DomainAttempt, DomainResearch}) {
		t.Errorf("%v", got)
	}
}

func TestConcurrentPredictions(t *testing.T) {
	t.Parallel()
	samples := newStream(101).samples(120)
	m := train(samples)
	want := make([]float64, len(samples))
	for i, s := range samples {
		want[i] = m.Predict(s.Features).Gain
	}
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			for i := range samples {
				at := (i*7 + k*31) % len(samples)
				if got := m.Predict(samples[at].Features).Gain; got != want[at] {
					t.Errorf("sample %d: %v, alone %v", at, got, want[at])
				}
			}
		})
	}
	wg.Wait()
}

func TestDueAt(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		samples, trained int
		due              bool
	}{{0, 0, false}, {39, 0, false}, {40, 0, true}, {64, 40, false}, {65, 40, true}, {1099, 1000, false}, {1100, 1000, true}, {10, 40, false},
		{5499, 5000, false}, {5500, 5000, true}, {100499, 100000, false}, {100500, 100000, true}} {
		if got := DueAt(tc.samples, tc.trained); got != tc.due {
			t.Errorf("%d samples, %d trained: %v", tc.samples, tc.trained, got)
		}
	}
}

func TestFoldsKeepQuestionsTogether(t *testing.T) {
	t.Parallel()
	var samples []Sample
	for i := range 100 {
		samples = append(samples, Sample{Features: Features{Question: fmt.Sprint((i * i) % 23)}})
	}
	at, used := map[string]int{}, map[int]int{}
	for i, f := range folds(samples, 4) {
		q := samples[i].Features.Question
		if was, ok := at[q]; ok && was != f {
			t.Fatalf("question %s is in folds %d and %d", q, was, f)
		}
		at[q] = f
		used[f]++
	}
	if len(used) != 4 {
		t.Errorf("%v", used)
	}
	for i := range samples {
		samples[i].Features.Question = "the same"
	}
	if got := folds(samples, 4); !slices.IsSorted(got) || got[0] != 0 || got[99] != 3 {
		t.Errorf("one question: %v", got)
	}
}
