package handlers

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/store"
)

// withStore puts a real database behind the server.
func withStore(t testing.TB) (func(*Config, *Deps), *store.Store) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(c *Config, d *Deps) {
		c.Now = time.Now
		d.Runs, d.Events, d.Usage, d.Library, d.Health = db, db, db, db, db
	}, db
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// work does one step of a run the way a worker does.
func (s *site) work(db *store.Store, id string, index int, r research.Result) {
	s.Helper()
	st := step(index, research.InFlight)
	s.must(db.BeginStep(s.Context(), id, st))
	done := step(index, research.OutcomeOK)
	s.must(db.FinishStep(s.Context(), id, done, r, float64(index+1)))
}

func product() research.Result {
	l := finished("x")
	return research.Result{Plan: &l.Plan, Sources: l.Sources, Evidence: l.Evidence, Report: &l.Report}
}

// The whole way of a run through HTTP with the real database: ask, watch, read,
// export, delete.
func TestRunWithTheRealStore(t *testing.T) {
	t.Parallel()
	with, db := withStore(t)
	s := setup(t, with)
	a := s.post("/runs", url.Values{"question": {"How are WAL files archived?"}, "library": {"on"}, "depth": {"quick"}})
	s.want(a, 303)
	path := a.Header.Get("Location")
	id := strings.TrimPrefix(path, "/runs/")
	page := s.get(path)
	s.want(page, 200)
	stream := s.doc(page).Find("[sse-connect]").AttrOr("sse-connect", "")
	l := s.listen(stream, "")
	s.must(db.StartRun(t.Context(), id))
	l.until("sync")
	s.work(db, id, 0, product())
	got := l.until("sync")
	for !strings.Contains(got["report"].data, "WAL files are archived.") {
		got = l.until("sync")
	}
	seen := l.lastID
	l.close()

	s.work(db, id, 1, research.Result{})
	s.must(db.FinishRun(t.Context(), id, research.Complete, "Done.", 2, store.FinishOptions{}))
	again := s.listen(stream, seen)
	if got := again.until("close"); got["steps"].data == "" {
		t.Errorf("missed events are not replayed: %v", keys(got))
	}
	for _, p := range []string{path, path + "/timeline", path + "/sources/s1", "/runs", "/dashboard", "/library", "/", "/?again=" + id, "/compare?a=" + id + "&b=" + id} {
		s.want(s.get(p), 200)
	}
	run := object(t, s.get("/api/v1/runs/"+id).body)
	validate(t, "Run", run)
	if run["status"] != "complete" || len(run["steps"].([]any)) != 2 {
		t.Errorf("run %v with %d steps", run["status"], len(run["steps"].([]any)))
	}
	usage := object(t, s.get("/api/v1/usage").body)
	validate(t, "Usage", usage)
	if sum := usage["total"].(map[string]any)["joules"]; sum != run["totals"].(map[string]any)["joules"] {
		t.Errorf("dashboard says %v J, the run %v", sum, run["totals"])
	}
	for _, f := range []string{"md", "html", "json", "cost.csv", "cost.json"} {
		s.want(s.get(path+"/export?format="+f), 200)
	}
	s.want(s.post(path+"/cancel", nil), 409)
	s.want(s.post(path+"/delete", nil), 303)
	s.want(s.get(path), 404)
	s.want(s.get("/api/v1/runs/"+id), 404)
}

func TestCancelPauseResumeAndRaiseWithTheRealStore(t *testing.T) {
	t.Parallel()
	with, db := withStore(t)
	s := setup(t, with)
	form := url.Values{"question": {"What is a write-ahead log?"}, "library": {"on"}, "joules": {"5"}}
	path := s.post("/runs", form).Header.Get("Location")
	id := strings.TrimPrefix(path, "/runs/")
	status := func() research.Status {
		r, err := db.Run(t.Context(), id)
		s.must(err)
		return r.Status
	}
	s.want(s.post(path+"/pause", nil), 303)
	if got := status(); got != research.Paused {
		t.Errorf("after pause: %s", got)
	}
	s.want(s.post(path+"/resume", nil), 303)
	if got := status(); got != research.Queued {
		t.Errorf("after resume: %s", got)
	}
	s.must(db.StartRun(t.Context(), id))
	s.must(db.FinishRun(t.Context(), id, research.Partial, "The joule budget is used up.", 1, store.FinishOptions{}))
	s.want(s.post(path+"/raise", url.Values{"joules": {"4"}}), 422)
	s.want(s.post(path+"/raise", url.Values{"joules": {"50"}}), 303)
	r, err := db.Run(t.Context(), id)
	s.must(err)
	if r.Status != research.Queued || *r.Budget.Joules != 50_000_000 || r.Given.Seconds != nil {
		t.Errorf("after raising: %s, budget %v, given seconds %v", r.Status, *r.Budget.Joules, r.Given.Seconds)
	}
	s.must(db.StartRun(t.Context(), id))
	s.must(db.FinishRun(t.Context(), id, research.Partial, "The joule budget is used up.", 2, store.FinishOptions{}))
	s.want(s.json("POST", "/api/v1"+path+"/resume", `{"joules":60}`), 202)
	if r, err = db.Run(t.Context(), id); err != nil || r.Status != research.Queued || *r.Budget.Joules != 60_000_000 {
		t.Errorf("after raising by the API: %s, budget %v, %v", r.Status, *r.Budget.Joules, err)
	}
	s.want(s.post(path+"/cancel", nil), 303)
	if got := status(); got != research.Cancelled {
		t.Errorf("after cancel: %s", got)
	}
	s.want(s.json("POST", "/api/v1"+path+"/resume", `{"joules":70}`), 409)
	s.want(s.post(path+"/raise", url.Values{"joules": {"500"}}), 409)
}
