package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/progrouter/progrouter/research"
)

// testDatabaseEnv names a Postgres that tests may make databases on.
const testDatabaseEnv = "PROGROUTER_TEST_DATABASE_URL"

// bundle is a fresh store with its configuration, so that a test can open it a
// second time.
type bundle struct {
	s *Store
	c Config
}

// eachDatabase runs the test on SQLite, and on Postgres where there is one.
func eachDatabase(t *testing.T, test func(t *testing.T, b bundle)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, open(t, Config{DataDir: t.TempDir()}))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, open(t, Config{DatabaseURL: newDatabase(t)}))
	})
}

func open(t testing.TB, c Config) bundle {
	t.Helper()
	s, err := Open(t.Context(), c)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return bundle{s, c}
}

// again opens the same database as another process would.
func (b bundle) again(t testing.TB) *Store {
	t.Helper()
	return open(t, b.c).s
}

func newDatabase(t testing.TB) string {
	t.Helper()
	server := os.Getenv(testDatabaseEnv)
	if server == "" {
		t.Skip(testDatabaseEnv + " is not set")
	}
	u, err := url.Parse(server)
	must(t, err)
	var b [6]byte
	_, _ = rand.Read(b[:])
	name := "test_" + hex.EncodeToString(b[:])
	admin(t, server, "CREATE DATABASE "+name)
	t.Cleanup(func() { admin(t, server, "DROP DATABASE "+name+" WITH (FORCE)") })
	u.Path = "/" + name
	return u.String()
}

func admin(t testing.TB, server, statement string) {
	t.Helper()
	db, err := sql.Open("pgx", server)
	must(t, err)
	defer db.Close()
	_, err = db.ExecContext(context.Background(), statement)
	must(t, err)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t testing.TB, err error, code research.Code) {
	t.Helper()
	if err == nil || research.CodeOf(err) != code {
		t.Fatalf("got %v, want an error of code %s", err, code)
	}
}

// same compares by JSON and shows the first line that differs.
func same(t testing.TB, got, want any) {
	t.Helper()
	g, err := json.MarshalIndent(got, "", " ")
	must(t, err)
	w, err := json.MarshalIndent(want, "", " ")
	must(t, err)
	gl, wl := strings.Split(string(g), "\n"), strings.Split(string(w), "\n")
	for i := range min(len(gl), len(wl)) {
		if gl[i] != wl[i] {
			t.Fatalf("line %d: got %s, want %s", i, gl[i], wl[i])
		}
	}
	if len(gl) != len(wl) {
		t.Fatalf("got %d lines, want %d", len(gl), len(wl))
	}
}

func (b bundle) create(t testing.TB) string {
	t.Helper()
	id, err := b.s.CreateRun(t.Context(), sampleRequest(), research.DefaultBudget(research.Quick, false))
	must(t, err)
	return id
}

func (b bundle) begin(t testing.TB, id string, index int) research.Step {
	t.Helper()
	s := sampleStep(index)
	must(t, b.s.BeginStep(t.Context(), id, s))
	return s
}

func sampleRequest() research.Request {
	return research.Request{
		Question: "How does WAL mode work? 100%_sure", Language: "en", Depth: research.Quick, Policy: research.ProgRouter,
		Given: research.Budget{Joules: research.Known(3)}, URLs: []string{"http://example.org/"}, Follow: 1,
		Library: true, Collections: []string{"handbook"}, Seed: 42,
	}
}

var sampleTime = time.Date(2026, 3, 1, 23, 59, 58, 123456000, time.UTC)

func sampleStep(index int) research.Step {
	return research.Step{
		Index: index, Role: research.Reader, Tier: research.Small, Model: "embedded/small", Focus: []string{"q1"},
		StartedAt: sampleTime, ProgressBefore: 0.1,
		Reserved: research.Cost{Joules: research.Known(7_000_001), Dollars: research.Known(0), Seconds: 3},
		Decision: research.Decision{
			Policy: research.ProgRouter, Chosen: "embedded/small", Propensity: 0.95, Reason: "It is cheap.",
			Candidates: []research.Candidate{{Model: "embedded/small", Tier: research.Small, Eligible: true, Score: 0.5}},
		},
	}
}

func finished(s research.Step, joules research.Micro) research.Step {
	end := s.StartedAt.Add(1250 * time.Millisecond)
	s.FinishedAt, s.Seconds, s.Outcome, s.Note = &end, 1.25, research.OutcomeOK, "Read one page."
	s.Energy = research.Energy{
		Joules: research.Known(joules), Low: research.Known(joules / 2), High: research.Known(joules * 2), Method: research.MethodCPU,
	}
	s.Dollars, s.RouterJoules, s.ProgressAfter = research.Known(0), research.Known(1), 0.3
	s.Notes = []research.Note{{Text: "Read one page.", Code: "read", Args: map[string]any{"Documents": 1.0, "Tier": "small"}}}
	s.Actions = []research.Action{
		{Kind: "fetch", Detail: "http://example.org/", Start: s.StartedAt, Seconds: 0.5, Error: "It is slow.", ErrorKey: "slow"},
		{Kind: "rank", Detail: "3 passages", Start: s.StartedAt, Note: &research.Note{Text: "3 passages", Code: "rank_passages", Args: map[string]any{"Count": 3.0}}},
	}
	s.Decision.Realised = &research.Realised{Gain: 0.2, Joules: research.Known(joules), Dollars: research.Known(0), Seconds: 1.25}
	return s
}

func sampleResult() research.Result {
	text := "WAL appends changes to a log.\n\nReaders do not block writers. 서버는 빠르다."
	return research.Result{
		Outcome: research.OutcomeOK,
		Plan:    &research.Plan{Subquestions: []research.Subquestion{{ID: "q1", Text: "What is WAL?", Main: true}}},
		Queries: []research.Query{{Subquestion: "q1", Text: "wal mode", Provider: "library", Results: 3}, {Text: "wal", Provider: "Wikipedia", Error: "It is down.", ErrorCode: "search_down"}},
		Hits:    []research.Hit{{Subquestion: "q1", URL: "http://example.org/", Title: "WAL", Score: 1.5}},
		Sources: []research.Source{{
			ID: "s1", URL: "http://example.org/", Title: "WAL", Text: text, FetchedAt: sampleTime, SHA256: research.HashText(text), MediaType: "text/html",
		}},
		Discarded: []research.Discarded{{URL: "http://example.org/login", Reason: "It is a login page.", Code: "login_page"}},
		Evidence: []research.Evidence{{
			ID: "e1", SourceID: "s1", Subquestion: "q1", Quote: "WAL appends changes to a log.", Start: 0, End: 29, Score: 0.9, Model: "embedded/small",
		}},
		Report: &research.Report{
			Title: "WAL", Sections: []research.Section{{Subquestion: "q1", Heading: "WAL", ClaimIDs: []string{"c1"}}},
			Claims: []research.Claim{{ID: "c1", Subquestion: "q1", Text: "WAL appends.", EvidenceIDs: []string{"e1"}, Verdict: research.Supported}},
			Draft:  1,
		},
		Notices: []research.Note{{Text: "There is no network.", Code: "no_network", Args: map[string]any{"Provider": "wikipedia"}}},
	}
}
