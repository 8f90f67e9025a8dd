package embedded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/encoder"
	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/eval/suite"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/rank"
)

// TestMeasure runs the five roles of each tier over the suites of
// PROGROUTER_EVAL_DATA and prints what they bring and cost. PROGROUTER_EVAL_TIERS
// and PROGROUTER_EVAL_SUITES choose some, PROGROUTER_EVAL_SHOW=n prints reports,
// PROGROUTER_EVAL_EVERY=n takes every n-th question. Vectors are cold per question.
func TestMeasure(t *testing.T) {
	root := os.Getenv("PROGROUTER_EVAL_DATA")
	if root == "" {
		t.Skip("PROGROUTER_EVAL_DATA is not set")
	}
	pool := energy.NewPool(0)
	defer pool.Close()
	enc := encoder.New(pool)
	every, _ := strconv.Atoi(os.Getenv("PROGROUTER_EVAL_EVERY"))
	every = max(1, every)
	tiers := chosen("PROGROUTER_EVAL_TIERS", "small,medium,large")
	var table strings.Builder
	fmt.Fprintf(&table, "%-7s %-12s %9s %9s %9s %6s %7s\n", "tier", "suite", "statement", "citation", "gold page", "words", "CPU s")
	for _, dir := range chosen("PROGROUTER_EVAL_SUITES", "wildgraph/mathematics,wildgraph/nature,quotesum") {
		su, err := suite.Load(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		var docs []research.Document
		for _, p := range su.Pages {
			docs = append(docs, p.Document())
		}
		lib := newMemory(docs...)
		for _, tier := range tiers {
			var sum scores
			n := 0.0
			for i, q := range su.Questions {
				if i%every != 0 {
					continue
				}
				n++
				enc.Reset()
				l, cpu := runThrough(t, lib, enc, research.Tier(tier), depth(), q.Question)
				sc := score(l, q)
				sc.cpu = cpu.Seconds()
				sum.add(sc)
				if n, _ := strconv.Atoi(os.Getenv("PROGROUTER_EVAL_SHOW")); i < n {
					t.Logf("\n%s", show(l, q, sc))
				}
				if os.Getenv("PROGROUTER_EVAL_EACH") != "" {
					fmt.Printf("EACH %s %s %s %.4f\n", tier, su.Name, q.ID, sc.statement)
				}
			}
			fmt.Fprintf(&table, "%-7s %-12s %9.3f %9.3f %9.3f %6.0f %7.3f\n", tier, su.Name,
				sum.statement/n, sum.citation/n, sum.gold/n, sum.words/n, sum.cpu/n)
		}
	}
	t.Log("\n" + table.String())
}

func chosen(env, otherwise string) []string {
	if v := os.Getenv(env); v != "" {
		otherwise = v
	}
	return strings.Split(otherwise, ",")
}

func depth() research.Depth {
	if d := os.Getenv("PROGROUTER_EVAL_DEPTH"); d != "" {
		return research.Depth(d)
	}
	return research.Standard
}

// runThrough plays the coordinator of a run without gaps: plan, search, read
// each sub-question, write, review.
func runThrough(t *testing.T, lib *memory, enc *encoder.Encoder, tier research.Tier, d research.Depth, question string) (*research.Ledger, time.Duration) {
	t.Helper()
	e := New(Config{Finder: lib, Ranker: ranking{rank.New(enc, nil, nil)}, Encoder: enc})
	l := &research.Ledger{Run: research.Run{Request: research.Request{Question: question, Language: "en", Depth: d, Library: true}}}
	acc := energy.NewAccount(0)
	ctx := energy.WithAccount(context.Background(), acc)
	do := func(role research.Role, focus ...string) {
		task := research.Task{Role: role, Model: "embedded/" + string(tier), Ledger: l, Focus: focus, Limits: research.LimitsFor(d), Step: len(l.Steps)}
		r, err := e.Do(ctx, task)
		if err != nil {
			t.Fatal(err)
		}
		apply(l, task, r)
	}
	do(research.Planner)
	do(research.Searcher)
	for _, q := range l.Plan.Subquestions {
		do(research.Reader, q.ID)
	}
	do(research.Writer)
	do(research.Reviewer)
	return l, acc.Total()
}

// apply writes a result into the ledger, as the store does.
func apply(l *research.Ledger, t research.Task, r research.Result) {
	if r.Plan != nil {
		l.Plan = *r.Plan
	}
	if r.Report != nil {
		l.Report = *r.Report
	}
	l.Queries = append(l.Queries, r.Queries...)
	l.Hits = append(l.Hits, r.Hits...)
	l.Sources = append(l.Sources, r.Sources...)
	l.Discarded = append(l.Discarded, r.Discarded...)
	l.Evidence = append(l.Evidence, r.Evidence...)
	l.Run.Notices = append(l.Run.Notices, r.Notices...)
	l.Steps = append(l.Steps, research.Step{Index: t.Step, Role: t.Role, Model: t.Model, Outcome: r.Outcome, Note: r.Note, Focus: t.Focus})
}
