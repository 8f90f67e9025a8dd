package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

// benchDatabases runs the benchmark on each database that is there.
func benchDatabases(b *testing.B, fill func(b *testing.B, x bundle), run func(b *testing.B, x bundle)) {
	b.Helper()
	for _, name := range []string{"sqlite", "postgres"} {
		c := Config{DataDir: b.TempDir()}
		if name == "postgres" {
			if os.Getenv(testDatabaseEnv) == "" {
				continue
			}
			c = Config{DatabaseURL: newDatabase(b)}
		}
		x := open(b, c)
		fill(b, x)
		b.Run(name, func(b *testing.B) { run(b, x) })
	}
}

// fillRuns stores 1,000 runs of ten steps with 8 sources of about 8 kB.
func fillRuns(b *testing.B, x bundle) {
	b.Helper()
	ctx := context.Background()
	for i := range 1000 {
		id, err := x.s.CreateRunWithoutJob(ctx, sampleRequest(), research.Budget{}, "bench")
		must(b, err)
		must(b, x.s.StartRun(ctx, id))
		for n := range 10 {
			s := sampleStep(n)
			must(b, x.s.BeginStep(ctx, id, s))
			must(b, x.s.FinishStep(ctx, id, finished(s, 1000), benchResult(i, n), float64(n)))
		}
		must(b, x.s.FinishRun(ctx, id, research.Complete, "Done.", 10, FinishOptions{}))
	}
}

func benchResult(run, step int) research.Result {
	r := research.Result{Outcome: research.OutcomeOK, Report: sampleResult().Report}
	if step >= 8 {
		return r
	}
	text := strings.Repeat(fmt.Sprintf("Sentence %d of a page that many runs read. ", run%50*10+step), 180)
	r.Sources = []research.Source{{ID: fmt.Sprintf("s%d", step), URL: "http://example.org/", Text: text, SHA256: research.HashText(text), FetchedAt: sampleTime}}
	for i := range 6 {
		r.Evidence = append(r.Evidence, research.Evidence{ID: fmt.Sprintf("e%d-%d", step, i), SourceID: r.Sources[0].ID, Quote: text[:40], End: 40})
		r.Hits = append(r.Hits, research.Hit{URL: "http://example.org/", Title: "A page", Snippet: text[:80]})
	}
	return r
}

// timed runs fn b.N times and reports the 95th percentile.
func timed(b *testing.B, fn func(i int)) {
	b.Helper()
	var took []time.Duration
	b.ResetTimer()
	for i := range b.N {
		began := time.Now()
		fn(i)
		took = append(took, time.Since(began))
	}
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

func BenchmarkRuns(b *testing.B) {
	benchDatabases(b, fillRuns, func(b *testing.B, x bundle) {
		ctx := context.Background()
		list, _, err := x.s.ListRuns(ctx, research.RunFilter{Limit: 1000})
		must(b, err)
		b.Run("ListRuns", func(b *testing.B) {
			timed(b, func(int) { _, _, err := x.s.ListRuns(ctx, research.RunFilter{}); must(b, err) })
		})
		b.Run("ListRunsText", func(b *testing.B) {
			timed(b, func(int) {
				_, _, err := x.s.ListRuns(ctx, research.RunFilter{Text: "wal", Status: research.Complete})
				must(b, err)
			})
		})
		b.Run("Ledger", func(b *testing.B) {
			timed(b, func(i int) { _, err := x.s.Ledger(ctx, list[i%len(list)].ID); must(b, err) })
		})
		b.Run("Usage", func(b *testing.B) {
			timed(b, func(int) { _, err := x.s.Usage(ctx, time.Time{}, time.Time{}); must(b, err) })
		})
	})
}

func BenchmarkSteps(b *testing.B) {
	benchDatabases(b, func(*testing.B, bundle) {}, func(b *testing.B, x bundle) {
		ctx := context.Background()
		id := x.create(b)
		must(b, x.s.StartRun(ctx, id))
		timed(b, func(i int) {
			s := sampleStep(i)
			must(b, x.s.BeginStep(ctx, id, s))
			must(b, x.s.FinishStep(ctx, id, finished(s, 1), research.Result{}, 1))
		})
	})
}

// benchWord has the skew of real text: a few words are everywhere.
func benchWord(r *rand.Rand) string {
	return fmt.Sprintf("word%d", int(float64(20000)*pow4(r.Float64())))
}

func pow4(x float64) float64 { return x * x * x * x }

func BenchmarkFindPassages(b *testing.B) {
	const docs, each, size = 1000, 20, 100
	fill := func(b *testing.B, x bundle) {
		r := rand.New(rand.NewPCG(1, 2))
		var ds []research.Document
		var ps [][]research.IndexedPassage
		for d := range docs {
			var paragraphs []string
			for range each {
				words := make([]string, size)
				for i := range words {
					words[i] = benchWord(r)
				}
				paragraphs = append(paragraphs, strings.Join(words, " "))
			}
			doc, passages := document(fmt.Sprintf("library:%d", d), benchWord(r), paragraphs...)
			ds, ps = append(ds, doc), append(ps, passages)
		}
		began := time.Now()
		must(b, x.s.PutDocuments(context.Background(), "a", ds, ps))
		b.Logf("%d passages indexed in %v", docs*each, time.Since(began))
	}
	benchDatabases(b, fill, func(b *testing.B, x bundle) {
		for _, q := range []research.PassageQuery{{}, {Collections: []string{"a"}}} {
			b.Run(fmt.Sprintf("collections=%d", len(q.Collections)), func(b *testing.B) {
				r := rand.New(rand.NewPCG(3, 4))
				timed(b, func(int) {
					q.Limit, q.Terms = 60, nil
					for range 6 {
						q.Terms = append(q.Terms, fmt.Sprintf("word%d", 20+r.IntN(3000)))
					}
					_, err := x.s.FindPassages(context.Background(), q)
					must(b, err)
				})
			})
		}
	})
}

func BenchmarkQueueLatency(b *testing.B) {
	benchDatabases(b, func(*testing.B, bundle) {}, func(b *testing.B, x bundle) {
		began := make(chan time.Time, 1)
		x.start(b, QueueConfig{ID: "w"}, func(ctx context.Context, id string) error {
			began <- time.Now()
			return x.complete(ctx, id)
		})
		var waits []time.Duration
		b.ResetTimer()
		for range b.N {
			id := x.create(b)
			at := time.Now()
			waits = append(waits, (<-began).Sub(at))
			x.awaitStatus(b, id, research.Complete)
		}
		slices.Sort(waits)
		b.ReportMetric(float64(waits[len(waits)*95/100].Microseconds())/1000, "p95-ms")
	})
}
