package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/eval/trial"
	"github.com/progrouter/progrouter/eval/worlds/records"
	"github.com/progrouter/progrouter/research"
)

// ownRecord writes a record of tasks that the cheap model solves when their words
// are about sums, and the files of tasks it is of.
func ownRecord(t *testing.T) (file, tasks string) {
	t.Helper()
	dir := t.TempDir()
	file, tasks = filepath.Join(dir, "own.jsonl.rec"), filepath.Join(dir, "own.jsonl")
	w, err := records.OpenAppend(file)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for i := range 40 {
		id, easy := "own/"+strconv.Itoa(i), i%2 == 0
		words := "Find the sum of two numbers."
		if !easy {
			words = "Prove a property of primes."
		}
		body, err := json.Marshal(map[string]any{"id": id, "prompt": words, "answer": "4"})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(body))
		for k := range 2 {
			for _, m := range []struct {
				name   string
				tier   research.Tier
				joules float64
				solves bool
			}{{"play/small", research.Small, 10, easy}, {"play/large", research.Large, 100, true}} {
				verdict, share := trial.Wrong, 0.0
				if m.solves {
					verdict, share = trial.Passed, 1
				}
				if err := w.Append(records.Record{
					Task: id, Suite: "own", Kind: "mathematics", Model: m.name, Tier: m.tier, Attempt: k, Seed: int64(i), Verdict: verdict, Share: share,
					Tokens: records.Tokens{Input: 9, Output: 9}, Joules: m.joules, Low: m.joules / 2, High: 2 * m.joules, Method: research.MethodCPU, Seconds: 1,
				}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tasks, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, tasks
}

func TestBenchReplaysARecord(t *testing.T) {
	t.Parallel()
	file, tasks := ownRecord(t)
	out := filepath.Join(t.TempDir(), "new", "folder")
	code, table, msg := cli(t, "bench", "--replay", file, "--suite", tasks, "--seeds", "2", "--policies", "fixed-small,fixed-large,progrouter,oracle", "--out", out, "--data", t.TempDir())
	if code != 0 {
		t.Fatalf("exit %d: %s", code, msg)
	}
	for _, w := range []string{"recorded: 40 tasks", "progrouter", "fixed-large", "oracle", "steady state"} {
		if !strings.Contains(table, w) {
			t.Errorf("the table lacks %q:\n%s", w, table)
		}
	}
	var d trial.Document
	body, err := os.ReadFile(filepath.Join(out, "bench.json"))
	if err != nil || json.Unmarshal(body, &d) != nil || len(d.Policies) != 4 || d.Unit.Symbol != "J" || d.Unit.Simulated {
		t.Fatalf("bench.json: %v %.300s", err, body)
	}
	for _, f := range []string{"bench.csv", "attempts.csv", "pareto.svg"} {
		if b, err := os.ReadFile(filepath.Join(out, f)); err != nil || len(b) == 0 {
			t.Errorf("%s: %v", f, err)
		}
	}
}

func TestBenchSaysThatASimulationIsOne(t *testing.T) {
	t.Parallel()
	code, table, msg := cli(t, "bench", "--simulate", "mbpp", "--limit", "12", "--policies", "fixed-small,fixed-large,cascade", "--data", t.TempDir())
	if code != 0 || !strings.Contains(strings.ToLower(table), "simulated") || !strings.Contains(table, "12 tasks") {
		t.Errorf("exit %d: %s%s", code, table, msg)
	}
}
