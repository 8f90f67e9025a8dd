package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/eval/stats"
	"github.com/progrouter/progrouter/eval/suite"
	"github.com/progrouter/progrouter/research"
)

// deskLab answers with made-up runs whose figures are known.
type deskLab struct{ prepared, order []string }

func (d *deskLab) Prepare(_ context.Context, s *suite.Suite) (research.Energy, error) {
	d.prepared = append(d.prepared, s.Name)
	return research.Energy{Joules: research.Known(1), Method: research.MethodCPU}, nil
}

func (d *deskLab) Stream(p research.Policy, _ int, a research.Micro) Stream {
	return deskStream{d, p, a}
}

func (d *deskLab) Rank(_ context.Context, _ research.Tier, _ *suite.Suite, _ string, k int) ([]RankedPassage, error) {
	return []RankedPassage{{URL: "other", Text: "x"}, {URL: "gold", Text: "y"}}[:min(2, k)], nil
}

type deskStream struct {
	lab       *deskLab
	policy    research.Policy
	allowance research.Micro
}

func (s deskStream) Run(_ context.Context, su *suite.Suite, q suite.Question, d research.Depth, seed int64) (*research.Ledger, error) {
	s.lab.order = append(s.lab.order, string(s.policy)+" "+q.ID)
	joules := map[research.Policy]research.Micro{research.FixedSmall: 1_000_000, research.FixedLarge: 10_000_000}[s.policy]
	if joules == 0 {
		joules = s.allowance
	}
	quote := "Paris is the capital."
	l := &research.Ledger{Run: research.Run{Request: research.Request{Question: q.Question, Policy: s.policy, Depth: d, Seed: seed}, Status: research.Complete, Budget: research.DefaultBudget(d, false)}}
	l.Sources = []research.Source{{ID: "s1", URL: "gold", Text: quote, SHA256: research.HashText(quote)}}
	l.Evidence = []research.Evidence{{ID: "e1", SourceID: "s1", Quote: quote, End: len(quote)}}
	l.Report.Claims = []research.Claim{{ID: "c1", Text: quote, EvidenceIDs: []string{"e1"}, Verdict: research.Supported}}
	l.Steps = []research.Step{{Model: "m/" + string(s.policy), Outcome: research.OutcomeOK, Energy: research.Energy{Joules: &joules, Low: &joules, High: &joules, Method: research.MethodCPU}, Dollars: research.Known(0)}}
	return l, nil
}

func deskSuite(name string, n int) *suite.Suite {
	s := &suite.Suite{Name: name}
	for i := range n {
		s.Questions = append(s.Questions, suite.Question{ID: name + string(rune('a'+i)), Question: "What is the capital of France?", GoldURLs: []string{"gold"}, ShortAnswers: []string{"Paris"}})
	}
	return s
}

func TestBenchRunsFixedLargeFirstForTheAllowance(t *testing.T) {
	t.Parallel()
	lab := &deskLab{}
	res, err := Bench(t.Context(), lab, Options{
		Suites: []*suite.Suite{deskSuite("one", 3), deskSuite("two", 2)}, Seeds: 2, Depth: research.Quick,
		Policies: []research.Policy{research.ProgRouter, research.FixedSmall},
	})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(res.Allowance-6) > 1e-9 {
		t.Errorf("allowance %g, want 0.6 × 10", res.Allowance)
	}
	if !strings.HasPrefix(lab.order[0], "fixed-large") || len(res.Rows) != 3*2*5 {
		t.Errorf("first %s, %d rows", lab.order[0], len(res.Rows))
	}
	d, err := res.Document()
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, o := range lab.order {
		if strings.HasPrefix(o, "fixed-small") {
			asked++
		}
	}
	if asked != 5 {
		t.Errorf("a fixed tier makes %d runs of 5 questions in two seeds", asked)
	}
	for _, p := range d.Policies {
		if p.Standing == nil || p.Standing.AboveLine == nil || p.Steady == nil || p.Steady.Runs >= p.Runs || p.Standing.OfLarge.Quality.Mean != 1 {
			t.Errorf("%s: standing %+v, steady %+v", p.Policy, p.Standing, p.Steady)
		}
		if p.Quality.Mean != 1 || p.CitationPrecision != 1 || p.GoldPageRecall != 1 || p.BudgetOverruns != 0 {
			t.Errorf("%s: %+v", p.Policy, p)
		}
		_, fixed := p.Policy.FixedTier()
		if fixed != (p.PageRecall5 != nil) {
			t.Errorf("%s: page recall %v", p.Policy, p.PageRecall5)
		}
		if want := p.Policy != research.FixedLarge; p.AllowanceKept != want {
			t.Errorf("%s: allowance kept %t", p.Policy, p.AllowanceKept)
		}
	}
}

func TestEveryPolicySeesTheSameStream(t *testing.T) {
	t.Parallel()
	lab := &deskLab{}
	o := Options{Suites: []*suite.Suite{deskSuite("one", 6)}, Seeds: 1, Limit: 4, Depth: research.Quick, Policies: []research.Policy{research.FixedSmall, research.FixedLarge}}
	if _, err := Bench(t.Context(), lab, o); err != nil {
		t.Fatal(err)
	}
	if len(lab.order) != 8 {
		t.Fatalf("%d runs, want 4 questions of 2 policies", len(lab.order))
	}
	for i := range 4 {
		a, b := strings.TrimPrefix(lab.order[i], "fixed-small "), strings.TrimPrefix(lab.order[i+4], "fixed-large ")
		if a != b {
			t.Errorf("question %d: %s and %s", i, a, b)
		}
	}
}

func TestOverrunsAreCounted(t *testing.T) {
	t.Parallel()
	l := &research.Ledger{Run: research.Run{Budget: research.Budget{Joules: research.Known(5)}}}
	l.Steps = []research.Step{{Outcome: research.OutcomeOK, Energy: research.Energy{Joules: research.Known(6)}}}
	r := Row{Decisions: map[string]int{}}
	r.charge(l)
	if !r.Overrun {
		t.Error("6 of 5 is no overrun")
	}
}

func TestFilesAreWritten(t *testing.T) {
	t.Parallel()
	var runs bytes.Buffer
	res, err := Bench(t.Context(), &deskLab{}, Options{Suites: []*suite.Suite{deskSuite("one", 2)}, Seeds: 1, Depth: research.Quick, Policies: []research.Policy{research.FixedLarge}, Runs: &runs})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := res.Write(dir); err != nil {
		t.Fatal(err)
	}
	var d Document
	body, err := os.ReadFile(filepath.Join(dir, "bench.json"))
	if err != nil || json.Unmarshal(body, &d) != nil || len(d.Policies) != 1 || d.Policies[0].BySuite["one"].Runs != 2 {
		t.Errorf("bench.json: %v %s", err, body)
	}
	for _, f := range []string{"bench.csv", "pareto.svg"} {
		if b, err := os.ReadFile(filepath.Join(dir, f)); err != nil || !bytes.Contains(b, []byte("fixed-large")) {
			t.Errorf("%s: %v", f, err)
		}
	}
	line, _, _ := strings.Cut(runs.String(), "\n")
	var one runLine
	if err := json.Unmarshal([]byte(line), &one); err != nil || len(one.Ranking) != 2 || one.Run.Sources[0].Text == "" {
		t.Errorf("runs.jsonl: %v %s", err, line)
	}
	var table bytes.Buffer
	if err := d.Table(&table); err != nil || !strings.Contains(table.String(), "fixed-large") {
		t.Errorf("table: %v %s", err, table.String())
	}
}

// What is tuned on and what is reported must not mix: a split holds every
// question of its own and no other, whatever the limit, and streams begin with the
// seed that was asked for.
func TestSplitsAndSeeds(t *testing.T) {
	t.Parallel()
	s := deskSuite("one", 26)
	played := map[string]map[string]bool{}
	for _, split := range []string{"", stats.Development, stats.Reported} {
		res, err := Bench(t.Context(), &deskLab{}, Options{
			Suites: []*suite.Suite{s}, Policies: []research.Policy{research.FixedSmall, research.Random}, Seeds: 2, First: 101, Split: split, Allowance: 5,
		})
		if err != nil {
			t.Fatal(err)
		}
		played[split] = map[string]bool{}
		seeds := map[research.Policy]map[int]int{research.FixedSmall: {}, research.Random: {}}
		for _, r := range res.Rows {
			played[split][r.QuestionID] = true
			seeds[r.Policy][r.Seed]++
			if split != "" && stats.SplitOf(r.QuestionID) != split {
				t.Errorf("%q played %s", split, r.QuestionID)
			}
		}
		for p, n := range seeds {
			if want := len(played[split]); len(n) != 2 || n[101] != want || n[102] != want {
				t.Errorf("%q: %s has runs by seed %v, want %d each", split, p, n, want)
			}
		}
		d, err := res.Document()
		if err != nil || d.Split != split || d.First != 101 {
			t.Errorf("%q: got split %q, first seed %d, %v", split, d.Split, d.First, err)
		}
	}
	if a, b := len(played[stats.Development]), len(played[stats.Reported]); a == 0 || b == 0 || a+b != len(played[""]) {
		t.Errorf("%d development and %d reported of %d", a, b, len(played[""]))
	}
	if _, err := Bench(t.Context(), &deskLab{}, Options{Suites: []*suite.Suite{{Name: "none"}}, Policies: []research.Policy{research.Random}, Seeds: 1, Allowance: 5}); research.CodeOf(err) != research.EInvalid {
		t.Errorf("nothing to play: %v", err)
	}
}

func TestWhatWasNotForeseenIsNoError(t *testing.T) {
	t.Parallel()
	step := research.Step{Model: "a", Outcome: research.OutcomeOK, ProgressAfter: 0.5, Decision: research.Decision{
		Chosen: "a", Candidates: []research.Candidate{{Model: "a", Predicted: research.Prediction{Gain: 0.4, Basis: "prior"}}},
	}}
	other, cut := step, step
	other.Model, cut.Outcome = "b", research.OutcomeInterrupted
	for name, steps := range map[string][]research.Step{"one": {step}, "three": {step, other, cut}} {
		var row Row
		for _, s := range steps {
			row.foresee(s)
		}
		r := &Result{Suites: []string{""}, Seeds: 1, Rows: []Row{row}}
		d, err := r.Document()
		if err != nil {
			t.Fatal(err)
		}
		if p := d.Policies[0].Predictor; p == nil || p.Steps != 1 || math.Abs(p.MAE-0.1) > 1e-9 {
			t.Errorf("%s: %+v", name, p)
		}
		if n := len(row.steps); n != len(steps) {
			t.Errorf("%s: %d steps are counted", name, n)
		}
	}
}
