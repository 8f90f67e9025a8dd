package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/encoder"
	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/orchestrator"
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
	"github.com/progrouter/progrouter/store"
)

// school is a store with a learner and a router on one stream.
type school struct {
	*testing.T
	store  *store.Store
	learn  *learner
	router *runRouter
	logged *bytes.Buffer
	rng    *rand.Rand
	key    string
}

const schoolKey = "school"

// openSchool opens the folder as a process would after a start.
func openSchool(t *testing.T, dir string) *school {
	t.Helper()
	st, err := store.Open(t.Context(), store.Config{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return schoolOf(t, st, schoolKey)
}

func schoolOf(t *testing.T, st *store.Store, key string) *school {
	t.Helper()
	logged := &bytes.Buffer{}
	log := slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelWarn}))
	meter := energy.NewMeter(energy.MeterConfig{Watts: 10, Low: 5, High: 20})
	l := newLearner(st, encoder.NewStatic(), meter, energy.NewReconciler(nil).Track, log)
	return &school{
		T: t, store: st, learn: l, logged: logged, key: key, rng: rand.New(rand.NewPCG(1, 1)),
		router: &runRouter{
			memory: st, key: key, allowance: func() research.Micro { return research.ToMicro(20) },
			params: router.DefaultParams(), learner: l, log: log,
		},
	}
}

func schoolEstimates() []research.Estimate {
	var out []research.Estimate
	for i, tier := range research.Tiers() {
		for n := range 3 {
			c := research.Cost{Joules: research.Known(research.Micro(1+i) * 1_000_000), Dollars: research.Known(0), Seconds: 1}
			out = append(out, research.Estimate{Model: fmt.Sprintf("m%d/%s", n, tier), Tier: tier, Eligible: true, Expected: c, Worst: c})
		}
	}
	return out
}

func (s *school) question(id string, policy research.Policy, steps []research.Step) orchestrator.Question {
	req := research.Request{Question: "Why does " + id + " reflect light at night?", Language: "en", Depth: research.Standard, Policy: policy}
	l := &research.Ledger{Run: research.Run{ID: id, Request: req, Budget: research.DefaultBudget(research.Standard, false)}, Steps: steps}
	roles := research.Roles()
	return orchestrator.Question{
		Ledger: l, Role: roles[len(steps)%len(roles)], Estimates: schoolEstimates(), Rand: s.rng,
		Progress: research.ProgressView{G: min(0.9, 0.1*float64(len(steps))), Regime: research.RegimePartial},
	}
}

// lesson works on a run of so many steps; readers gain most with the large tier.
func (s *school) lesson(n int) {
	s.Helper()
	ctx := s.Context()
	req := research.Request{Question: "placeholder", Language: "en", Depth: research.Standard, Policy: research.ProgRouter}
	id, err := s.store.CreateRunWithoutJob(ctx, req, research.Budget{}, s.key)
	s.must(err)
	s.must(s.store.StartRun(ctx, id))
	var steps []research.Step
	for i := range n {
		q := s.question(id, research.ProgRouter, steps)
		d := s.router.Decide(ctx, q)
		step := research.Step{Index: i, Role: q.Role, Model: d.Chosen, Tier: chosenTier(d), StartedAt: time.Now(), Decision: d, ProgressBefore: q.Progress.G}
		s.must(s.store.BeginStep(ctx, id, step))
		step.Outcome, step.ProgressAfter = research.OutcomeOK, step.ProgressBefore+0.05+0.1*s.rng.Float64()
		if step.Role == research.Reader && step.Tier == research.Large {
			step.ProgressAfter += 0.2
		}
		step.Energy = research.Energy{Joules: research.Known(1), Method: research.MethodCPU}
		s.must(s.store.FinishStep(ctx, id, step, research.Result{}, float64(i)))
		steps = append(steps, step)
	}
	s.must(s.store.FinishRun(ctx, id, research.Partial, "x", 1, store.FinishOptions{RouterKey: s.key}))
}

func chosenTier(d research.Decision) research.Tier {
	for _, c := range d.Candidates {
		if c.Model == d.Chosen {
			return c.Tier
		}
	}
	return ""
}

func (s *school) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *school) state() research.RouterState {
	s.Helper()
	st, err := s.store.RouterState(s.Context(), s.key)
	s.must(err)
	return st
}

// predictions are those of a fixed state for every candidate.
func (s *school) predictions() []research.Prediction {
	s.Helper()
	steps := []research.Step{{Role: research.Planner, Tier: research.Small, Model: "m0/small", Outcome: research.OutcomeOK, ProgressAfter: 0.2}}
	var out []research.Prediction
	for _, c := range s.router.Decide(s.Context(), s.question("moss", research.ProgRouter, append(steps, steps[0]))).Candidates {
		out = append(out, c.Predicted)
	}
	return out
}

func TestStepsAreLearnedFrom(t *testing.T) {
	t.Parallel()
	s := openSchool(t, t.TempDir())
	s.lesson(10)
	s.must(s.learn.learn(t.Context(), schoolKey))
	for _, p := range s.predictions() {
		if p.Structured != nil || p.Prior == nil || *p.Prior != p.Gain {
			t.Fatalf("before there is enough to learn from: %+v", p)
		}
	}
	for range 6 {
		s.lesson(10)
	}
	s.must(s.learn.learn(t.Context(), schoolKey))
	state := s.state()
	if state.Samples != 70 || state.Through != 70 || state.TrainedAt == nil || state.TrainingJoules <= 0 {
		t.Errorf("state %+v", state)
	}
	for _, p := range s.predictions() {
		if p.Structured == nil || p.Semantic == nil || p.Gate == nil || p.Prior == nil || p.Basis == progress.BasisPrior {
			t.Fatalf("after learning: %+v", p)
		}
	}
	before := state.TrainingJoules
	s.must(s.learn.learn(t.Context(), schoolKey))
	if again := s.state(); again.Version != state.Version || again.TrainingJoules != before {
		t.Errorf("trained again for nothing: %+v", again)
	}
	list, err := s.store.GainSamples(t.Context(), schoolKey, 10)
	s.must(err)
	for _, g := range list {
		sample, ok := sampleOf(g)
		if !ok || sample.Features.Model == "" || sample.Features.Question != "placeholder" || strings.Contains(string(g.Features), "light") {
			t.Errorf("stored %s", g.Features)
		}
	}
	for _, o := range []research.Policy{research.StructuredOnly, research.SemanticOnly, research.MeanOfPaths, research.NoPredictor} {
		c := s.router.Decide(t.Context(), s.question("moss", o, nil)).Candidates[0].Predicted
		want := map[research.Policy]func() float64{
			research.StructuredOnly: func() float64 { return *c.Structured }, research.SemanticOnly: func() float64 { return *c.Semantic },
			research.MeanOfPaths: func() float64 { return (*c.Structured + *c.Semantic) / 2 }, research.NoPredictor: func() float64 { return *c.Prior },
		}[o]()
		if c.Gain != want || (o == research.NoPredictor) != (c.Structured == nil) {
			t.Errorf("%s predicts %+v, want %g", o, c, want)
		}
	}
}

// A start, here or in another process, predicts exactly as the process that
// learned.
func TestRestartLosesNoLearning(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openSchool(t, dir)
	for range 6 {
		s.lesson(10)
	}
	s.must(s.learn.learn(t.Context(), schoolKey))
	want := s.predictions()
	s.must(s.store.Close())
	again := openSchool(t, dir)
	if got := again.predictions(); !reflect.DeepEqual(got, want) {
		t.Errorf("after a restart %+v, before %+v", got[0], want[0])
	}
	other := openSchool(t, dir)
	for range 4 {
		again.lesson(10)
	}
	s.must(again.learn.learn(t.Context(), schoolKey))
	if got, want := other.predictions(), again.predictions(); !reflect.DeepEqual(got, want) {
		t.Error("another process goes by an older predictor")
	}
}

// A process that dies between a step and the training leaves all that was to be
// learned to the next one.
func TestNothingIsLostBeforeTraining(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dead := openSchool(t, dir)
	for range 5 {
		dead.lesson(10)
	}
	next := openSchool(t, dir)
	next.must(next.learn.learn(t.Context(), schoolKey))
	dead.must(dead.learn.learn(t.Context(), schoolKey)) // as if it had lived: nothing more to learn
	if st := next.state(); st.Samples != 50 || st.Through != 50 || st.Version != 1 {
		t.Errorf("state %+v", st)
	}
}

// An older trainer cannot put its predictor in the place of a newer one, and goes
// by the newer one itself.
func TestLateTrainingChangesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fast, slow := openSchool(t, dir), openSchool(t, dir)
	for range 5 {
		fast.lesson(10)
	}
	m, late, _, err := slow.learn.fit(t.Context(), schoolKey)
	slow.must(err)
	for range 5 {
		fast.lesson(10)
	}
	fast.must(fast.learn.learn(t.Context(), schoolKey))
	slow.must(slow.learn.keep(t.Context(), m, late, 7))
	if st := fast.state(); st.Through != 100 || st.Version != 1 {
		t.Errorf("state %+v", st)
	}
	if !reflect.DeepEqual(slow.predictions(), fast.predictions()) {
		t.Error("the late process goes by its own predictor")
	}
}

// What cannot be read is told once, does no harm and is trained anew.
func TestUnreadablePredictors(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]struct {
		format   int
		replaced bool
	}{"corrupt": {progress.Format, true}, "of an older program": {progress.Format - 1, true}, "of a newer program": {progress.Format + 1, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openSchool(t, t.TempDir())
			for range 5 {
				s.lesson(10)
			}
			_, err := s.store.SavePredictor(t.Context(), research.TrainedPredictor{
				Key: schoolKey, Through: 50, Format: p.format, Blob: []byte(`{"version":1,"domains":{"research":{}}}`), TrainedAt: time.Now(),
			}, 0, 0)
			s.must(err)
			for range 3 {
				if got := s.predictions()[0]; got.Structured != nil || got.Prior == nil {
					t.Errorf("predicted %+v", got)
				}
			}
			s.must(s.learn.learn(t.Context(), schoolKey))
			if got := s.predictions()[0]; got.Structured == nil {
				t.Errorf("was not trained anew: %+v", got)
			}
			kept, err := s.store.Predictor(t.Context(), schoolKey)
			s.must(err)
			if replaced := kept.Format == progress.Format && kept.Version == 2; replaced != p.replaced {
				t.Errorf("replaced: %v, want %v (%+v)", replaced, p.replaced, kept.Version)
			}
			s.must(s.learn.learn(t.Context(), schoolKey))
			if n := strings.Count(s.logged.String(), "trained anew"); n != 1 {
				t.Errorf("told %d times:\n%s", n, s.logged)
			}
		})
	}
}

// A sample that cannot be read is passed over; samples are still counted.
func TestUnreadableSamples(t *testing.T) {
	t.Parallel()
	for _, features := range []string{`{}`, `[]`, `"x"`, `{"step":"many"}`, `{"model":""}`} {
		if s, ok := sampleOf(research.GainSample{Features: json.RawMessage(features)}); ok {
			t.Errorf("%s became %+v", features, s)
		}
	}
}

// A stream learns from its own steps alone.
func TestStreamsLearnApart(t *testing.T) {
	t.Parallel()
	s := openSchool(t, t.TempDir())
	for range 5 {
		s.lesson(10)
	}
	s.must(s.learn.learn(t.Context(), schoolKey))
	s.must(s.learn.learn(t.Context(), routerKey))
	st, err := s.store.RouterState(t.Context(), routerKey)
	s.must(err)
	if st.Samples != 0 || st.Version != 0 || st.TrainingJoules != 0 {
		t.Errorf("the product's stream has %+v", st)
	}
	s.router.key = routerKey
	if p := s.predictions()[0]; p.Structured != nil {
		t.Errorf("predicted by another stream: %+v", p)
	}
}

// The background learner trains when it is poked, and what it has begun when it
// is stopped is kept.
func TestLearningInTheBackground(t *testing.T) {
	t.Parallel()
	s := openSchool(t, t.TempDir())
	for range 5 {
		s.lesson(10)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.learn.run(ctx, schoolKey)
	}()
	waitFor(t, func() bool { return s.state().Through == 50 })
	for range 4 {
		s.lesson(10)
	}
	s.learn.poke()
	s.learn.poke()
	waitFor(t, func() bool { return s.state().Through == 90 })
	cancel()
	<-done
	s.learn.poke() // nobody is there to hear it, and nobody waits
	s.learn.poke()
}

// The service learns at once from what an earlier process left, and stops cleanly.
func TestTheServiceLearns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st, err := store.Open(t.Context(), store.Config{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	s := schoolOf(t, st, routerKey)
	for range 5 {
		s.lesson(10)
	}
	ctx, stop := context.WithCancel(t.Context())
	err = serve(ctx, testConfig(dir), slog.New(slog.DiscardHandler), func(string) {
		defer stop()
		waitFor(t, func() bool { return s.state().Through == 50 })
	}, hooks{})
	s.must(err)
	if state := s.state(); state.TrainingJoules <= 0 {
		t.Errorf("state %+v", state)
	}
}

// A headless run that is due leaves a trained predictor behind.
func TestHeadlessRunsLearn(t *testing.T) {
	t.Parallel()
	a, err := newApp(t.Context(), testConfig(t.TempDir()), slog.New(slog.DiscardHandler), hooks{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	s := schoolOf(t, a.store, routerKey)
	for range 5 {
		s.lesson(10)
	}
	s.must(a.loadHandbook(t.Context()))
	req := research.Request{
		Question: "How does ProgRouter measure joules?", Language: "en", Depth: research.Quick, Policy: research.ProgRouter,
		Library: true, Collections: []string{handbookCollection},
	}
	id, err := a.store.CreateRun(t.Context(), req, req.EffectiveBudget(false))
	s.must(err)
	l, err := a.workOn(t.Context(), id, io.Discard)
	s.must(err)
	if state := s.state(); state.Through != 50+int64(len(l.Steps)) {
		t.Errorf("after %d steps more: %+v", len(l.Steps), state)
	}
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for range 1000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("did not come about")
}
