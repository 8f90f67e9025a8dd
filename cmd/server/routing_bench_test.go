package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/encoder"
	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
)

// fullMemory is a memory that costs no time: a stream that has learned.
type fullMemory struct {
	blank
	stats []research.GainStat
}

func (fullMemory) RouterState(context.Context, string) (research.RouterState, error) {
	return research.RouterState{Queue: 1_000_000, Decisions: 1000}, nil
}

func (m fullMemory) GainStats(context.Context, string) ([]research.GainStat, error) {
	return m.stats, nil
}

// inventedSamples are steps of a stream of research runs.
func inventedSamples(n int) []progress.Sample {
	r := rand.New(rand.NewPCG(5, 5))
	words := strings.Fields("energy sea moss light engine market river protein history battery glacier court vaccine orbit")
	es, roles := schoolEstimates(), research.Roles()
	var samples []progress.Sample
	for i := range n {
		m := es[r.IntN(len(es))]
		samples = append(samples, progress.Sample{
			ID: int64(i + 1), Gain: r.Float64() * 0.3, Propensity: 0.5,
			Features: progress.Features{
				Domain: progress.DomainResearch, Question: fmt.Sprintf("How does the %s change the %s, run %d?", words[r.IntN(len(words))], words[r.IntN(len(words))], i/10),
				Role: roles[r.IntN(len(roles))], Model: m.Model, Tier: m.Tier, Depth: research.Standard, Language: "en",
				Progress: research.ProgressView{G: r.Float64(), Regime: research.RegimePartial}, Step: i % 10, Open: r.IntN(5), Last: "ok",
			},
		})
	}
	return samples
}

// BenchmarkDecide is one decision among nine candidates with both paths, apart
// from the database, late in a deep run, in CPU time of its thread.
func BenchmarkDecide(b *testing.B) {
	e := encoder.NewStatic()
	l := newLearner(nil, e, nil, nil, slog.New(slog.DiscardHandler))
	l.streams["k"] = &knowledge{model: progress.Train(inventedSamples(5000), nil, e, progress.DefaultConfig())}
	var stats []research.GainStat
	for _, m := range schoolEstimates() {
		for _, role := range research.Roles() {
			stats = append(stats, research.GainStat{Model: m.Model, Role: role, N: 20, Gain: 2, Joules: 1_000_000, Seconds: 9})
		}
	}
	r := &runRouter{
		memory: fullMemory{stats: stats}, key: "k", allowance: func() research.Micro { return research.ToMicro(20) },
		params: router.DefaultParams(), learner: l, log: slog.New(slog.DiscardHandler),
	}
	s := &school{rng: rand.New(rand.NewPCG(1, 1))}
	q := s.question("moss", research.ProgRouter, nil)
	q.Ledger.Run.Question = strings.Repeat("How does the light of the moon change what moss and other plants do at night? ", 8)
	for i := range 6 {
		q.Ledger.Plan.Subquestions = append(q.Ledger.Plan.Subquestions, research.Subquestion{ID: fmt.Sprint("q", i), Text: "Why?"})
	}
	for i := range 30 {
		q.Ledger.Steps = append(q.Ledger.Steps, research.Step{Index: i, Role: research.Reader, Tier: research.Small, Model: "m0/small", Outcome: research.OutcomeOK})
		q.Ledger.Report.Claims = append(q.Ledger.Report.Claims, research.Claim{ID: fmt.Sprint("c", i), Subquestion: fmt.Sprint("q", i%6), Verdict: research.Weak})
	}
	q.Role = research.Reader
	var took []time.Duration
	for b.Loop() {
		account := energy.NewAccount(0)
		err := energy.Do(energy.WithAccount(context.Background(), account), func() {
			if d := r.Decide(context.Background(), q); d.Candidates[0].Predicted.Semantic == nil || len(d.Features) == 0 {
				b.Error("no semantic path")
			}
		})
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, account.Metered())
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-cpu-µs")
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-cpu-µs")
}

// sampleStore is a store of samples that forgets what is trained on them.
type sampleStore struct {
	blank
	rows  []research.GainSample
	saved research.TrainedPredictor
}

func (s *sampleStore) GainSamples(context.Context, string, int) ([]research.GainSample, error) {
	return s.rows, nil
}

func (s *sampleStore) Predictor(context.Context, string) (research.TrainedPredictor, error) {
	return s.saved, nil
}

func (s *sampleStore) SavePredictor(_ context.Context, p research.TrainedPredictor, _ research.Micro, _ int64) (bool, error) {
	s.saved = p
	return true, nil
}

func (*sampleStore) AddTraining(context.Context, string, research.Micro) error { return nil }

// BenchmarkLearn is a training on 5,000 samples as it happens in the background,
// apart from the database: samples decoded, paths and gate trained, the predictor
// encoded.
func BenchmarkLearn(b *testing.B) {
	st := &sampleStore{}
	for _, s := range inventedSamples(5000) {
		question := s.Features.Question
		st.rows = append(st.rows, research.GainSample{Seq: s.ID, Features: featuresFor(s.Features), Question: question, Gain: s.Gain, Propensity: s.Propensity})
	}
	l := newLearner(st, encoder.NewStatic(), energy.NewMeter(energy.MeterConfig{Watts: 10, Low: 5, High: 20}),
		func(*energy.Account) func() { return func() {} }, slog.New(slog.DiscardHandler))
	var cpu time.Duration
	n := 0
	for b.Loop() {
		if err := l.train(b.Context(), "k"); err != nil {
			b.Fatal(err)
		}
		cpu, n = cpu+st.saved.CPU, n+1
	}
	b.ReportMetric(float64(cpu.Milliseconds())/float64(n), "cpu-ms")
	b.ReportMetric(float64(len(st.saved.Blob))/1024, "kB")
}
