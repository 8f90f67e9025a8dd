package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

// taught is a finished step that something can be learned from.
func taught(index int, gain float64) research.Step {
	s := finished(sampleStep(index), 1)
	p, structured, semantic, gate := 0.3, 0.25, 0.15, 0.5
	s.Decision.Candidates[0].Predicted = research.Prediction{Gain: 0.2, Basis: "mixed", Prior: &p, Structured: &structured, Semantic: &semantic, Gate: &gate}
	s.Decision.Features = json.RawMessage(fmt.Sprintf(`{"question":"","step":%d}`, index))
	s.Decision.Realised.Gain = gain
	return s
}

// teach finishes a step of a running run in this store.
func teach(ctx context.Context, s *Store, id string, step research.Step) error {
	if err := s.BeginStep(ctx, id, step); err != nil {
		return err
	}
	return s.FinishStep(ctx, id, step, research.Result{}, 1)
}

func (b bundle) running(t testing.TB, key string) string {
	t.Helper()
	id, err := b.s.CreateRunWithoutJob(t.Context(), sampleRequest(), research.Budget{}, key)
	must(t, err)
	must(t, b.s.StartRun(t.Context(), id))
	return id
}

func (b bundle) samples(t testing.TB, key string) []research.GainSample {
	t.Helper()
	list, err := b.s.GainSamples(t.Context(), key, SamplesKept)
	must(t, err)
	return list
}

func TestSamplesRoundTrip(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		id := b.running(t, "k")
		step := taught(0, 0.125)
		step.Decision.Explored, step.Decision.Propensity = true, 0.25
		must(t, teach(t.Context(), b.s, id, step))
		want := research.GainSample{
			Seq: 1, RunID: id, Step: 0, At: *step.FinishedAt, Features: step.Decision.Features, Question: sampleRequest().Question,
			Gain: 0.125, Predicted: step.Decision.Candidates[0].Predicted, Explored: true, Propensity: 0.25,
		}
		same(t, b.samples(t, "k"), []research.GainSample{want})
		l, err := b.s.Ledger(t.Context(), id)
		must(t, err)
		same(t, l.Steps[0].Decision.Features, step.Decision.Features)
		if len(b.samples(t, DefaultRouterKey)) != 0 {
			t.Error("a stream sees the samples of another")
		}
	})
}

func TestWhatTeachesNothing(t *testing.T) {
	t.Parallel()
	b := open(t, Config{DataDir: t.TempDir()})
	for name, spoil := range map[string]func(*research.Step){
		"interrupted":   func(s *research.Step) { s.Outcome = research.OutcomeInterrupted },
		"cancelled":     func(s *research.Step) { s.Outcome = research.OutcomeCancelled },
		"a substitute":  func(s *research.Step) { s.Model = "other" },
		"no features":   func(s *research.Step) { s.Decision.Features = nil },
		"not JSON":      func(s *research.Step) { s.Decision.Features = json.RawMessage(`{"a`) },
		"no candidates": func(s *research.Step) { s.Decision.Candidates = nil },
	} {
		t.Run(name, func(t *testing.T) {
			id := b.running(t, name)
			s := taught(0, 0.1)
			begun := s
			begun.Decision.Features = nil
			must(t, b.s.BeginStep(t.Context(), id, begun))
			spoil(&s)
			err := b.s.FinishStep(t.Context(), id, s, research.Result{}, 1)
			if err != nil && name != "not JSON" { // which no step row can hold either
				t.Fatal(err)
			}
			if got := b.samples(t, name); len(got) != 0 {
				t.Errorf("learned %+v", got)
			}
			q, err := b.s.PredictionQuality(t.Context(), name, time.Time{})
			if must(t, err); q.Total.N != 0 {
				t.Errorf("judged %+v", q)
			}
		})
	}
	for name, gain := range map[string]float64{"failed": -0.1, "none": 0} {
		id := b.running(t, name)
		s := taught(0, gain)
		s.Outcome = research.OutcomeError
		must(t, teach(t.Context(), b.s, id, s))
		if got := b.samples(t, name); len(got) != 1 || got[0].Gain != gain {
			t.Errorf("%s: learned %+v", name, got)
		}
	}
	// A run that ends over a step in flight closes it as interrupted.
	id := b.running(t, "ended")
	must(t, b.s.BeginStep(t.Context(), id, taught(0, 0.1)))
	must(t, b.s.FinishRun(t.Context(), id, research.Partial, "x", 1, FinishOptions{}))
	if got := b.samples(t, "ended"); len(got) != 0 {
		t.Errorf("learned from a step that was cut off: %+v", got)
	}
	if _, ok := research.Learnable(taught(0, math.NaN())); ok {
		t.Error("learned from a gain that is no number")
	}
}

// Several processes finish steps of one stream at once: every sample is there, in
// a row without gaps, and every sum counts every step.
func TestNoSampleIsLostBetweenProcesses(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		const writers, steps = 4, 12
		stores := []*Store{b.s, b.again(t)}
		var wg sync.WaitGroup
		errs := make(chan error, writers*steps)
		for w := range writers {
			id, s := b.running(t, "k"), stores[w%2]
			wg.Go(func() {
				for i := range steps {
					errs <- teach(t.Context(), s, id, taught(i, 0.01*float64(w)))
				}
			})
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			must(t, err)
		}
		list := b.samples(t, "k")
		seen := map[string]bool{}
		for i, g := range list {
			if g.Seq != int64(i+1) {
				t.Fatalf("sample %d has place %d", i, g.Seq)
			}
			seen[fmt.Sprint(g.RunID, g.Step)] = true
		}
		state, err := b.s.RouterState(t.Context(), "k")
		must(t, err)
		q, err := b.s.PredictionQuality(t.Context(), "k", time.Time{})
		must(t, err)
		if n := writers * steps; len(seen) != n || state.Samples != int64(n) || q.Total.N != int64(n) || q.Total.PathsN != int64(n) {
			t.Errorf("%d steps, %d counted, %d judged, want %d each", len(seen), state.Samples, q.Total.N, n)
		}
		if got, want := q.Total.Realised, 0.01*steps*(0+1+2+3); math.Abs(got-want) > 1e-9 {
			t.Errorf("realised %g, want %g", got, want)
		}
	})
}

func TestSamplesAreKeptToTheNewest(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		id := b.running(t, "k")
		must(t, teach(t.Context(), b.s, id, taught(0, 0.1)))
		must(t, b.s.db.Exec("UPDATE gain_samples SET seq = 5 WHERE key = 'k'").Error)
		must(t, b.s.db.Exec("UPDATE router_states SET samples = ? WHERE key = 'k'", SamplesKept+3).Error)
		must(t, teach(t.Context(), b.s, id, taught(1, 0.1))) // of place kept+4: place 4 and below go
		must(t, teach(t.Context(), b.s, id, taught(2, 0.1)))
		var places []int64
		for _, g := range b.samples(t, "k") {
			places = append(places, g.Seq)
		}
		if !slices.Equal(places, []int64{SamplesKept + 4, SamplesKept + 5}) {
			t.Errorf("kept %v", places)
		}
		newest, err := b.s.GainSamples(t.Context(), "k", 1)
		if must(t, err); len(newest) != 1 || newest[0].Seq != SamplesKept+5 {
			t.Errorf("newest %+v", newest)
		}
	})
}

// The words of a question are gone with its run; what was learned stays.
func TestDeletedRunsLeaveNoWords(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		id := b.running(t, "k")
		must(t, teach(ctx, b.s, id, taught(0, 0.1)))
		must(t, b.s.FinishRun(ctx, id, research.Partial, "x", 1, FinishOptions{}))
		must(t, b.s.DeleteRun(ctx, id))
		list := b.samples(t, "k")
		if len(list) != 1 || list[0].Question != "" || list[0].RunID != "" || list[0].Gain != 0.1 {
			t.Errorf("left %+v", list)
		}
		q, err := b.s.PredictionQuality(ctx, "k", time.Time{})
		if must(t, err); q.Total.N != 1 {
			t.Errorf("quality %+v", q.Total)
		}
		var features []string
		must(t, b.s.db.Raw("SELECT features FROM gain_samples").Scan(&features).Error)
		if strings.Contains(strings.Join(features, ""), "WAL") {
			t.Errorf("words are left: %s", features)
		}
	})
}

func TestBetterInformedPredictorWins(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		_, err := b.s.Predictor(ctx, "k")
		wantCode(t, err, research.ENotFound)
		other := b.again(t)
		save := func(s *Store, through int64, blob string, broken int64, want bool) {
			t.Helper()
			got, err := s.SavePredictor(ctx, research.TrainedPredictor{
				Key: "k", Through: through, Samples: 7, Format: 3, Blob: []byte(blob), TrainedAt: sampleTime, CPU: 1500 * time.Microsecond,
			}, 5, broken)
			must(t, err)
			if got != want {
				t.Fatalf("saved %v, want %v", got, want)
			}
		}
		save(b.s, 40, "first", 0, true)
		save(other, 80, "second", 0, true)
		save(b.s, 60, "late", 0, false)
		save(b.s, 80, "again", 0, false)
		save(b.s, 80, "other version", 1, false)
		got, err := b.s.Predictor(ctx, "k")
		must(t, err)
		want := research.TrainedPredictor{
			Key: "k", Version: 2, Through: 80, Samples: 7, Format: 3, Blob: []byte("second"), TrainedAt: sampleTime, CPU: 1500 * time.Microsecond,
		}
		same(t, got, want)
		save(b.s, 80, "repaired", 2, true)
		state, err := b.s.RouterState(ctx, "k")
		must(t, err)
		same(t, state, research.RouterState{Key: "k", TrainingJoules: 30, Version: 3, Through: 80, TrainedAt: &want.TrainedAt})
		must(t, b.s.AddTraining(ctx, "k", 4))
		must(t, b.s.AddTraining(ctx, "new", 4))
		if state, err = b.s.RouterState(ctx, "k"); err != nil || state.TrainingJoules != 34 {
			t.Errorf("%+v, %v", state, err)
		}
	})
}

// Two processes that save at once leave the better informed one, and the joules of
// both.
func TestPredictorsSavedAtOnce(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		stores := []*Store{b.s, b.again(t)}
		var wg sync.WaitGroup
		errs := make(chan error, 20)
		for i := range 20 {
			wg.Go(func() {
				through := int64((i*7)%20 + 1)
				_, err := stores[i%2].SavePredictor(t.Context(), research.TrainedPredictor{
					Key: "k", Through: through, Blob: []byte{byte(through)}, TrainedAt: sampleTime,
				}, 1, 0)
				errs <- err
			})
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			must(t, err)
		}
		p, err := b.s.Predictor(t.Context(), "k")
		must(t, err)
		state, err := b.s.RouterState(t.Context(), "k")
		must(t, err)
		if p.Through != 20 || p.Blob[0] != 20 || state.TrainingJoules != 20 {
			t.Errorf("kept %+v, %d millionths", p, state.TrainingJoules)
		}
	})
}

func TestQualityIsSummedByGroups(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		id := b.running(t, "k")
		first := taught(0, 0.1)
		second := taught(1, 0.5)
		second.Role = research.Writer
		p := &second.Decision.Candidates[0].Predicted
		p.Gain, p.Structured, p.Prior = 0.45, nil, nil
		later := second.FinishedAt.AddDate(0, 0, 1)
		second.FinishedAt = &later
		must(t, teach(ctx, b.s, id, first))
		must(t, teach(ctx, b.s, id, second))
		q, err := b.s.PredictionQuality(ctx, "k", time.Time{})
		must(t, err)
		near := func(name string, got, want float64) {
			t.Helper()
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: %g, want %g", name, got, want)
			}
		}
		near("used", q.Total.AbsError, 0.1+0.05)
		near("squares", q.Total.SquareError, 0.01+0.0025)
		near("prior", q.Total.PriorError, 0.2)
		near("structured", q.Total.StructuredError, 0.15)
		near("semantic", q.Total.SemanticError, 0.05)
		near("mean", q.Total.MeanError, 0.1)
		near("gate", q.Total.GateError, 0.1)
		near("bias", q.Total.Bias(), (0.65-0.6)/2)
		if q.Total.N != 2 || q.Total.PriorN != 1 || q.Total.PathsN != 1 {
			t.Errorf("counts %+v", q.Total)
		}
		for name, rows := range map[string][]research.QualityRow{"day": q.ByDay, "role": q.ByRole, "bin": q.ByBin} {
			sum := research.QualitySums{}
			for _, r := range rows {
				sum = sum.Plus(r.QualitySums)
			}
			if len(rows) != 2 || sum.N != 2 {
				t.Errorf("by %s: %+v", name, rows)
			}
		}
		if len(q.ByModel) != 1 || q.ByRole[0].Role != research.Reader || q.ByDay[1].Day != later.UTC().Format(time.DateOnly) || q.ByBin[1].Bin != research.BinOf(0.45) {
			t.Errorf("groups %+v", q)
		}
		total, err := b.s.PredictionTotals(ctx, "k", time.Time{})
		must(t, err)
		same(t, total, q.Total)
		since, err := b.s.PredictionQuality(ctx, "k", later)
		if must(t, err); since.Total.N != 1 || since.ByRole[0].Role != research.Writer {
			t.Errorf("since: %+v", since)
		}
	})
}

// A database of the schema before learning keeps its state and learns on.
func TestMigrationToLearning(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, c Config) {
		ctx := t.Context()
		c.SkipMigrations = true
		old := open(t, c)
		p, err := old.s.provider()
		must(t, err)
		_, err = p.UpTo(ctx, 3)
		must(t, err)
		must(t, old.s.db.Exec("INSERT INTO router_states (key, queue, decisions, runs) VALUES ('k', 5, 6, 7)").Error)
		must(t, old.s.db.Exec("INSERT INTO gain_stats (key, model, role, n, gain, joules, seconds, dollars) VALUES ('k', 'm', 'reader', 2, 0.5, 3, 1, 0)").Error)
		must(t, old.s.Close())
		c.SkipMigrations = false
		b := open(t, c)
		state, err := b.s.RouterState(ctx, "k")
		must(t, err)
		same(t, state, research.RouterState{Key: "k", Queue: 5, Decisions: 6, Runs: 7})
		stats, err := b.s.GainStats(ctx, "k")
		if must(t, err); len(stats) != 1 || stats[0].N != 2 {
			t.Errorf("gains %+v", stats)
		}
		must(t, teach(ctx, b.s, b.running(t, "k"), taught(0, 0.1)))
		if got := b.samples(t, "k"); len(got) != 1 || got[0].Seq != 1 {
			t.Errorf("samples %+v", got)
		}
	}
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); check(t, Config{DataDir: t.TempDir()}) })
	t.Run("postgres", func(t *testing.T) { t.Parallel(); check(t, Config{DatabaseURL: newDatabase(t)}) })
}
