package handlers

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
	"github.com/progrouter/progrouter/store"
)

// BenchmarkPages measures pages over a database of 1,000 runs, one of them as
// large as a standard run gets, and reports the 95th percentile beside the mean.
func BenchmarkPages(b *testing.B) {
	with, db := withStore(b)
	id := fill(b, db)
	texts, err := i18n.New()
	if err != nil {
		b.Fatal(err)
	}
	m := newMemory()
	cfg := Config{Addr: "127.0.0.1:8080"}
	deps := Deps{Uploads: m, Estimates: m, Setup: m, Models: &m.connected, Texts: texts, Log: slog.New(slog.DiscardHandler)}
	with(&cfg, &deps)
	deps.Decided = keyed{db, "bench"}
	srv := New(cfg, deps)
	for _, path := range []string{"/", "/runs", "/runs?page=20", "/runs?q=archived", "/runs/" + id, "/runs/" + id + "/timeline", routingPath, "/dashboard", "/api/v1/router", "/api/v1/runs/" + id} {
		b.Run(strings.ReplaceAll(path, id, "ID"), func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, nil)
				r.Host = "localhost"
				w := httptest.NewRecorder()
				srv.Handler().ServeHTTP(w, r)
				if _, err := io.Copy(io.Discard, w.Body); err != nil || w.Code != http.StatusOK {
					b.Fatalf("%s: status %d, %v", path, w.Code, err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}

// keyed is what was decided in a policy stream of the database.
type keyed struct {
	db  *store.Store
	key string
}

func (s keyed) RoutedSteps(ctx context.Context, since time.Time, limit int) ([]research.RoutedStep, error) {
	return s.db.RoutedSteps(ctx, s.key, since, limit)
}

func (keyed) Routing() (router.Params, research.Micro) { return router.DefaultParams(), 20_000_000 }

// weighed is a step with three candidates; each run has an hour of its own.
func weighed(run, index int, outcome research.Outcome) research.Step {
	d := &decided{}
	d.add("x", index, noon().Add(time.Duration(run-1000)*time.Hour+time.Duration(index)*time.Second))
	s := d.steps[0].Step
	if outcome == research.InFlight {
		s.Outcome, s.FinishedAt = outcome, nil
	}
	return s
}

// fill stores 1,000 runs and returns the id of the large one.
func fill(b *testing.B, db *store.Store) string {
	b.Helper()
	var id string
	for i := range 1000 {
		r := finished("x").Run.Request
		r.Question = fmt.Sprintf("Question %d: how are WAL files archived?", i)
		var err error
		id, err = db.CreateRunWithoutJob(b.Context(), r, r.EffectiveBudget(false), "bench")
		check(b, err)
		check(b, db.StartRun(b.Context(), id))
		steps := 8
		if i == 999 {
			steps = 30
		}
		for n := range steps {
			check(b, db.BeginStep(b.Context(), id, weighed(i, n, research.InFlight)))
			var result research.Result
			if n == steps-1 {
				result = large(steps)
			}
			check(b, db.FinishStep(b.Context(), id, weighed(i, n, research.OutcomeOK), result, float64(n)))
		}
		check(b, db.FinishRun(b.Context(), id, research.Complete, "Done.", 2, store.FinishOptions{RouterKey: "bench"}))
	}
	return id
}

// large is 20 sources of 20 kB with two quotes and claims each.
func large(steps int) research.Result {
	l := finished("x")
	if steps < 30 {
		return research.Result{Plan: &l.Plan, Sources: l.Sources, Evidence: l.Evidence, Report: &l.Report}
	}
	l.Sources, l.Evidence, l.Report.Claims, l.Report.Sections[0].ClaimIDs = nil, nil, nil, nil
	for i := range 20 {
		text := fmt.Sprintf("Source %d. ", i) + strings.Repeat("Some words of a page that was read. ", 560)
		l.Sources = append(l.Sources, research.Source{ID: fmt.Sprintf("s%d", i), URL: fmt.Sprintf("https://example.org/%d", i), Title: "Page", Text: text, SHA256: research.HashText(text), FetchedAt: noon()})
		for j := range 2 {
			eid, cid := fmt.Sprintf("e%d_%d", i, j), fmt.Sprintf("c%d_%d", i, j)
			l.Evidence = append(l.Evidence, research.Evidence{ID: eid, SourceID: fmt.Sprintf("s%d", i), Subquestion: "q1", Quote: "Some words of a page that was read.", Start: 11, End: 46})
			l.Report.Claims = append(l.Report.Claims, research.Claim{ID: cid, Subquestion: "q1", Text: "Some words of a page that was read.", EvidenceIDs: []string{eid}, Verdict: research.Supported})
			l.Report.Sections[0].ClaimIDs = append(l.Report.Sections[0].ClaimIDs, cid)
		}
	}
	l.Report.Summary = []string{"c0_0"}
	return research.Result{Plan: &l.Plan, Sources: l.Sources, Evidence: l.Evidence, Report: &l.Report}
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
