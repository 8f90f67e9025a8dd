package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

// cli runs the program in this process and returns what a shell would see.
func cli(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // a server that should not have started
	defer cancel()
	code = run(ctx, args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestHelpEverywhere(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--help"}, {"serve", "--help"}, {"worker", "--help"}, {"research", "--help"}, {"export", "--help"}, {"bench", "--help"}, {"migrate", "--help"}, {"healthcheck", "--help"}} {
		code, out, _ := cli(t, args...)
		if code != exitOK || !strings.Contains(out, "Usage:") {
			t.Errorf("%v: exit %d, %q", args, code, out)
		}
		for _, o := range options() {
			if !strings.Contains(out, "--"+flagName(o.key)+" ") || !strings.Contains(out, envName(o.key)) {
				t.Errorf("%v: --help does not name %s", args, o.key)
			}
		}
	}
}

func TestBadInputIsRefusedWithCauseAndCure(t *testing.T) {
	t.Parallel()
	notADir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(notADir, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = busy.Close() }) // after the parallel cases
	yaml := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(yaml, []byte("adress: 127.0.0.1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	corrupt := t.TempDir()
	if err := os.WriteFile(filepath.Join(corrupt, "progrouter.db"), bytes.Repeat([]byte("not a database "), 999), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	openStore(t, empty, "")
	q := "How are budgets kept?"
	cases := []struct {
		name string
		args []string
		want []string // in the message
	}{
		{"no question", []string{"research"}, []string{"question", "quotes"}},
		{"empty question", []string{"research", "  "}, []string{"question"}},
		{"long question", []string{"research", strings.Repeat("why ", 600)}, []string{"2000"}},
		{"two questions", []string{"research", "a b", "c d"}, []string{"one argument"}},
		{"malformed URL", []string{"research", q, "--url", "http//x"}, []string{"http//x"}},
		{"file URL", []string{"research", q, "--url", "file:///etc/passwd"}, []string{"http"}},
		{"zero joules", []string{"research", q, "--joules", "0"}, []string{"joules"}},
		{"negative seconds", []string{"research", q, "--seconds", "-5"}, []string{"seconds"}},
		{"words for dollars", []string{"research", q, "--dollars", "five"}, []string{"five"}},
		{"infinite joules", []string{"research", q, "--joules", "Inf"}, []string{"joules"}},
		{"tiny budget", []string{"research", q, "--joules", "0.001"}, []string{"0.001 J", "at least"}},
		{"empty URL", []string{"research", q, "--url", ""}, []string{"--url", "without a value"}},
		{"empty folder name", []string{"research", q, "--library", ""}, []string{"--library", "without a value"}},
		{"unwritable report", []string{"research", q, "--out", "/no/such/folder/r.md"}, []string{"/no/such/folder/r.md", "--out"}},
		{"unknown policy", []string{"research", q, "--policy", "cheapest"}, []string{"cheapest", "progrouter"}},
		{"policy of the evaluation", []string{"research", q, "--policy", "oracle"}, []string{"oracle", "evaluation", "one-shot"}},
		{"unknown depth", []string{"research", q, "--depth", "abyss"}, []string{"abyss", "quick"}},
		{"unknown format", []string{"research", q, "--format", "doc"}, []string{"doc", "json"}},
		{"missing folder", []string{"research", q, "--library", "/no/such/folder"}, []string{"/no/such/folder"}},
		{"empty folder", []string{"research", q, "--library", t.TempDir()}, []string{"no documents"}},
		{"data is a file", []string{"research", q, "--data", notADir}, []string{notADir, "--data"}},
		{"corrupt database", []string{"research", q, "--data", corrupt}, []string{"database"}},
		{"unknown flag", []string{"research", q, "--budget", "5"}, []string{"--budget", "--help"}},
		{"unknown command", []string{"reserch", q}, []string{"reserch"}},
		{"unknown setting", []string{"migrate", "--config", yaml}, []string{"adress"}},
		{"missing config", []string{"migrate", "--config", "/no/such.yaml"}, []string{"/no/such.yaml"}},
		{"bad address", []string{"serve", "--addr", "8080"}, []string{"host:port"}},
		{"open address", []string{"serve", "--addr", "0.0.0.0:0"}, []string{"PROGROUTER_PASSWORD"}},
		{"port in use", []string{"serve", "--addr", busy.Addr().String()}, []string{"in use", "--addr"}},
		{"bad watts", []string{"migrate", "--cpu-watts", "-1"}, []string{"watts"}},
		{"bad V", []string{"migrate", "--value", "0"}, []string{"value", "positive"}},
		{"bad weight", []string{"migrate", "--weight-energy", "-1"}, []string{"weight_energy", "0 leaves the term out"}},
		{"no weights", []string{"migrate", "--weight-queue", "0", "--weight-energy", "0", "--weight-time", "0", "--weight-dollars", "0"}, []string{"All weights"}},
		{"bad decay", []string{"migrate", "--epsilon-decay", "0"}, []string{"epsilon_decay"}},
		{"bad epsilon", []string{"migrate", "--epsilon", "0.01"}, []string{"epsilon_min"}},
		{"bad allow host", []string{"migrate", "--allow-hosts", "localhost"}, []string{"host:port"}},
		{"worker on SQLite", []string{"worker"}, []string{"PROGROUTER_DATABASE_URL"}},
		{"unknown run", []string{"export", "nosuchrun", "--data", empty}, []string{"nosuchrun"}},
		{"export without a database", []string{"export", "nosuchrun"}, []string{"--data"}},
		{"bench without suite", []string{"bench", "--policies", "fixed-small"}, []string{"--suite"}},
		{"bench with a missing suite", []string{"bench", "--suite", "/no/suite", "--policies", "fixed-small"}, []string{"/no/suite"}},
		{"bench with a file of tasks", []string{"bench", "--suite", "tasks.jsonl", "--policies", "fixed-small"}, []string{"tasks.jsonl", "--record", "--replay"}},
		{"bench of questions with the oracle", []string{"bench", "--suite", ".", "--policies", "oracle"}, []string{"oracle", "--replay"}},
		{"bench of two worlds", []string{"bench", "--simulate", "mbpp", "--outcomes", "x", "--policies", "random"}, []string{"--replay", "--outcomes", "--simulate"}},
		{"bench that records and replays", []string{"bench", "--record", "a", "--replay", "b"}, []string{"--record", "--replay"}},
		{"bench of an unknown simulation", []string{"bench", "--simulate", "chess", "--policies", "random"}, []string{"chess", "humaneval+"}},
		{"bench of a missing record", []string{"bench", "--replay", "/no/record", "--policies", "random"}, []string{"/no/record"}},
		{"bench of a missing file of outcomes", []string{"bench", "--outcomes", "/no/outcomes", "--policies", "random"}, []string{"/no/outcomes"}},
		{"bench without policies", []string{"bench", "--simulate", "mbpp"}, []string{"--policies"}},
		{"bench with a sweep of nothing", []string{"bench", "--simulate", "mbpp", "--policies", "random", "--sweep", "0"}, []string{"--sweep"}},
		{"bench with an unknown split", []string{"bench", "--simulate", "mbpp", "--policies", "random", "--split", "half"}, []string{"--split", "development"}},
		{"bench of questions with an unknown split", []string{"bench", "--suite", ".", "--policies", "random", "--split", "half"}, []string{"--split", "development"}},
		{"bench of questions with a sweep", []string{"bench", "--suite", ".", "--policies", "random", "--sweep", "0.5"}, []string{"--sweep", "--replay"}},
		{"bench of questions with a budget of attempts", []string{"bench", "--suite", ".", "--policies", "random", "--run-budget", "5"}, []string{"--run-budget", "--replay"}},
		{"bench of questions from a negative seed", []string{"bench", "--suite", ".", "--policies", "random", "--first-seed", "-1"}, []string{"--first-seed"}},
		{"live bench of less than nothing", []string{"bench", "--replay", "x", "--policies", "random", "--live", "-1"}, []string{"--live", "--replay"}},
		{"live bench of a simulation", []string{"bench", "--simulate", "mbpp", "--policies", "random", "--live", "2"}, []string{"--live", "--replay"}},
		{"bench of one policy twice", []string{"bench", "--simulate", "mbpp", "--policies", "random,random"}, []string{"random", "twice"}},
		{"recording without tasks", []string{"bench", "--record", "x.jsonl"}, []string{"--suite"}},
		{"bench with an unknown policy", []string{"bench", "--suite", ".", "--policies", "oracle2"}, []string{"oracle2"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := c.args
			if !strings.Contains(strings.Join(args, " "), "--data") {
				args = append(args, "--data", t.TempDir())
			}
			code, out, msg := cli(t, args...)
			wantCode := exitInput
			if c.name == "corrupt database" {
				wantCode = exitFailed // nothing the command was given is wrong
			}
			if code != wantCode || out != "" {
				t.Errorf("exit %d, stdout %q, stderr %q", code, out, msg)
			}
			for _, w := range c.want {
				if !strings.Contains(msg, w) {
					t.Errorf("the message does not name %q: %s", w, msg)
				}
			}
			if strings.Contains(msg, "Internal error") || strings.Contains(msg, "goroutine") {
				t.Errorf("not a message for people: %s", msg)
			}
		})
	}
}

func TestResearchOnTheHandbook(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(t.TempDir(), "run.json")
	code, _, msg := cli(t, "research", "How does ProgRouter keep a run within its budget?", "--data", dir, "--wikipedia=false",
		"--policy", "fixed-small", "--format", "json", "--out", out)
	if code != exitOK {
		t.Fatalf("exit %d\n%s", code, msg)
	}
	body, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var d research.RunDocument
	if err := json.Unmarshal(body, &d); err != nil {
		t.Fatal(err)
	}
	checkDocument(t, d, 4, 2)
	code, md, msg := cli(t, "export", d.ID, "--data", dir, "--format", "md")
	if code != exitOK || !strings.Contains(md, d.Report.Title) {
		t.Errorf("export: exit %d %s", code, msg)
	}
}

// checkDocument proves what a report promises: claims on quotes that stand in
// the snapshots, and sums that are exact.
func checkDocument(t *testing.T, d research.RunDocument, minClaims, minSources int) {
	t.Helper()
	if d.Status != research.Complete {
		t.Errorf("status %s: %s", d.Status, d.StopReason)
	}
	text := map[string]string{}
	for _, s := range d.Sources {
		text[s.ID] = s.Text
		if research.HashText(s.Text) != s.SHA256 {
			t.Errorf("source %s: the hash is not of the text", s.ID)
		}
	}
	supported, used := 0, map[string]bool{}
	for _, c := range d.Report.Claims {
		if c.Verdict == research.Supported {
			supported++
		}
		for _, e := range c.Evidence {
			used[e.SourceID] = true
			if got, ok := research.Slice(text[e.SourceID], e.Start, e.End); !ok || got != e.Quote {
				t.Errorf("quote %q is not at its place: %q", e.Quote, got)
			}
		}
	}
	if supported < minClaims || len(used) < minSources {
		t.Errorf("%d supported claims from %d documents, want %d from %d", supported, len(used), minClaims, minSources)
	}
	var joules research.Micro
	for _, s := range d.Steps {
		joules += research.OrZero(s.Energy.Joules)
	}
	if joules != d.Totals.Joules {
		t.Errorf("steps sum to %s J, the run says %s J", joules, d.Totals.Joules)
	}
}

func page(title, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html><title>" + title + "</title><main><h1>" + title + "</h1>" + body + "</main>"))
	}
}

func TestResearchOnAServer(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/vacuum.html", page("Routine vacuuming", `<p>Vacuuming recovers the disk space that is occupied by updated or deleted rows. The autovacuum daemon runs vacuum automatically for every table that has changed enough.</p><p>Vacuuming also protects against the loss of very old data by transaction identifier wraparound. The database must be vacuumed at least once every two billion transactions.</p>`))
	srv := httptest.NewServer(mux)
	defer srv.Close()
	host := strings.TrimPrefix(srv.URL, "http://")
	args := []string{"research", "Why must a database be vacuumed?", "--url", srv.URL + "/vacuum.html", "--policy", "fixed-small", "--format", "json", "--data", t.TempDir()}

	code, out, msg := cli(t, append(args, "--allow-hosts", host)...)
	if code != exitOK {
		t.Fatalf("exit %d\n%s", code, msg)
	}
	var d research.RunDocument
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	checkDocument(t, d, 2, 1)

	code, out, msg = cli(t, args...)
	if code != exitNoEvidence {
		t.Fatalf("a private address was read: exit %d\n%s", code, msg)
	}
	d = research.RunDocument{}
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Discarded) == 0 || !strings.Contains(d.Discarded[0].Reason, "PROGROUTER_ALLOW_HOSTS") || len(d.Sources) != 0 {
		t.Errorf("discarded %+v, sources %d", d.Discarded, len(d.Sources))
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"nothing relevant", []string{"Which alloys did Etruscan goldsmiths prefer for granulation?", "--policy", "fixed-small"}, exitNoEvidence, "no_evidence"},
		{"nothing reachable", []string{"What is there?", "--url", "http://127.0.0.1:9/", "--allow-hosts", "127.0.0.1:9", "--policy", "fixed-small"}, exitNoEvidence, "no_evidence"},
		{"tier that cannot read Korean", []string{"예산은 어떻게 지켜집니까?", "--policy", "fixed-large"}, exitFailed, "English"},
		{"tier that cannot read German", []string{"Wie werden die Budgets eingehalten?", "--policy", "fixed-large"}, exitFailed, "English only; this question is in German"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"research"}, c.args...)
			code, _, msg := cli(t, append(args, "--data", t.TempDir(), "--wikipedia=false")...)
			if code != c.code || !strings.Contains(msg, c.want) {
				t.Errorf("exit %d, want %d\n%s", code, c.code, msg)
			}
		})
	}
}

// TestInterruptKeepsTheReport sends the program the end of its context while a
// page never answers: the run is cancelled, the report of it still printed.
func TestInterruptKeepsTheReport(t *testing.T) {
	hang := make(chan struct{})
	asked := make(chan struct{}, 8)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		asked <- struct{}{}
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}))
	defer srv.Close()
	defer close(hang)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { <-asked; cancel() }()
	var out, errs bytes.Buffer
	code := run(ctx, []string{"research", "What does the page say?", "--url", srv.URL + "/page", "--allow-hosts", strings.TrimPrefix(srv.URL, "http://"), "--data", t.TempDir(), "--format", "json"}, &out, &errs)
	var d research.RunDocument
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatalf("no report: %v\n%s", err, errs.String())
	}
	if code != exitCancelled || d.Status != research.Cancelled {
		t.Errorf("exit %d, status %s\n%s", code, d.Status, errs.String())
	}
}

// TestRemovedFolderDocumentsComeBack: what the library page removes is read
// again when the folder is given again.
func TestRemovedFolderDocumentsComeBack(t *testing.T) {
	t.Parallel()
	dir, data := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kettles.md"), []byte("# Copper kettles\n\nCopper kettles are polished with a paste of salt and vinegar once a month.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"research", "How are copper kettles polished?", "--library", dir, "--data", data, "--policy", "fixed-small"}
	if code, _, msg := cli(t, args...); code != exitOK {
		t.Fatalf("exit %d\n%s", code, msg)
	}
	s := openStore(t, data, "")
	docs, _, err := s.Documents(t.Context(), "kettles", 10, 0)
	if err != nil || len(docs) != 1 {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	if err := s.RemoveDocument(t.Context(), docs[0].URL); err != nil {
		t.Fatal(err)
	}
	if code, _, msg := cli(t, args...); code != exitOK {
		t.Errorf("after removal: exit %d\n%s", code, msg)
	}
}
