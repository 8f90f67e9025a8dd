package main

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/orchestrator"
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
	"github.com/progrouter/progrouter/store"
)

// stepClock moves only when an agent works.
type stepClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *stepClock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *stepClock) advance(d time.Duration) { c.mu.Lock(); c.now = c.now.Add(d); c.mu.Unlock() }

// player is a set of models with drawn prices. They work as far as the account
// and the deadline let them, find something or nothing, and fail now and then.
type player struct {
	rng   *rand.Rand
	clock *stepClock
	watts float64
	tiers []research.Estimate
}

func (p *player) Estimates(context.Context, research.Task) []research.Estimate {
	return append([]research.Estimate(nil), p.tiers...)
}

func (p *player) Do(ctx context.Context, t research.Task) (research.Result, error) {
	a := energy.AccountFrom(ctx)
	want := 1.3 * p.rng.Float64()
	for _, e := range p.tiers {
		if e.Model != t.Model {
			continue
		}
		cpu := time.Duration(want * e.Worst.Joules.Units() / p.watts * float64(time.Second))
		a.Charge(energy.PartAgent, min(cpu, a.Remaining()))
		wall := time.Duration(want * e.Worst.Seconds * float64(time.Second))
		p.clock.advance(min(wall, t.Until.Sub(p.clock.Now())))
		r := played(t)
		r.Dollars = research.Known(research.Micro(min(1, want) * float64(*e.Worst.Dollars)))
		return p.mishap(r)
	}
	return research.Result{}, fmt.Errorf("unknown model %s", t.Model)
}

func (p *player) mishap(r research.Result) (research.Result, error) {
	switch p.rng.IntN(20) {
	case 0:
		return research.Result{Dollars: r.Dollars}, fmt.Errorf("the model is down")
	case 1:
		return research.Result{Outcome: research.OutcomeInvalid, Dollars: r.Dollars}, nil
	case 2:
		return research.Result{Outcome: research.OutcomeEmpty, Dollars: r.Dollars}, nil
	}
	return r, nil
}

// played is the least that moves a run forward.
func played(t research.Task) research.Result {
	r := research.Result{Outcome: research.OutcomeOK}
	switch t.Role {
	case research.Planner:
		r.Plan = &research.Plan{Subquestions: []research.Subquestion{{ID: "q1", Text: "main", Heading: "Main", Main: true}, {ID: "q2", Text: "facet", Heading: "Facet"}}}
	case research.Searcher:
		for _, q := range t.Focus {
			r.Hits = append(r.Hits, research.Hit{Subquestion: q, URL: fmt.Sprintf("https://example.org/%s/%d", q, t.Step), StepIndex: t.Step})
		}
	case research.Reader:
		n := len(t.Ledger.Sources) + 1
		text := fmt.Sprintf("Fact number %d.", n)
		src := research.Source{ID: fmt.Sprintf("s%d", n), URL: fmt.Sprintf("https://example.org/%d", n), Title: "T", Text: text, SHA256: research.HashText(text), FetchedAt: t.Until, StepIndex: t.Step}
		r.Sources = []research.Source{src}
		r.Evidence = []research.Evidence{{ID: fmt.Sprintf("e%d", n), SourceID: src.ID, Subquestion: t.Focus[0], Quote: text, End: len(text), StepIndex: t.Step}}
	case research.Writer:
		rep := research.Report{Title: "T", Draft: t.Ledger.Report.Draft + 1, EvidenceSeen: len(t.Ledger.Evidence)}
		for i, e := range t.Ledger.Evidence {
			rep.Claims = append(rep.Claims, research.Claim{ID: fmt.Sprintf("c%d", i+1), Subquestion: e.Subquestion, Text: e.Quote, EvidenceIDs: []string{e.ID}})
		}
		r.Report = &rep
	case research.Reviewer:
		rep := t.Ledger.Report
		rep.Reviewed, rep.Claims = true, append([]research.Claim(nil), rep.Claims...)
		for i := range rep.Claims {
			rep.Claims[i].Verdict = research.Supported
		}
		r.Report = &rep
	}
	return r
}

func drawTiers(rng *rand.Rand) []research.Estimate {
	var out []research.Estimate
	price := log10(rng, -2, 0.5)
	for _, tier := range research.Tiers() {
		worst := research.Cost{
			Joules:  research.Known(research.ToMicro(price)),
			Dollars: research.Known(research.ToMicro(0.01 * rng.Float64())),
			Seconds: log10(rng, -2, 0.7),
		}
		expected := research.Cost{Joules: research.Known(*worst.Joules / 2), Dollars: research.Known(*worst.Dollars / 2), Seconds: worst.Seconds / 2}
		out = append(out, research.Estimate{Model: "played/" + string(tier), Tier: tier, Eligible: true, Expected: expected, Worst: worst})
		price *= log10(rng, 0, 1)
	}
	return out
}

// TestNoRunOverspendsAndAllSumsAreExact plays runs with drawn budgets, prices,
// policies and mishaps through the real router and the real database.
func TestNoRunOverspendsAndAllSumsAreExact(t *testing.T) {
	t.Parallel()
	st := openStore(t, t.TempDir(), "")
	rapid.Check(t, func(rt *rapid.T) { playRun(rt, st) })
	checkDashboard(t, st)
}

func playRun(rt *rapid.T, st *store.Store) {
	ctx := context.Background()
	const watts = 10
	clock := &stepClock{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	// Only the seed is drawn by the framework, whose draws crowd at the edges.
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
	agents := &player{rng: rng, clock: clock, watts: watts, tiers: drawTiers(rng)}
	secs := log10(rng, -1, 2.8)
	req := research.Request{
		Question: "drawn", Language: "en", Depth: research.Depths()[rng.IntN(3)],
		Policy: research.Policies()[rng.IntN(len(research.Policies()))], Seed: rng.Int64(),
		Given: research.Budget{
			Joules:  research.Known(research.ToMicro(log10(rng, -1.3, 2.5))),
			Dollars: research.Known(research.ToMicro(log10(rng, -3, 0.5))),
			Seconds: &secs,
		},
	}
	budget := req.EffectiveBudget(false)
	id, err := st.CreateRunWithoutJob(ctx, req, budget, "played")
	if err != nil {
		rt.Fatal(err)
	}
	allowance := func() research.Micro { return research.ToMicro(5) }
	orch := orchestrator.New(orchestrator.Deps{
		Store: ledgerStore{Store: st, allowance: allowance}, Agents: agents, Score: progress.ScoreResearch, Clock: clock,
		Meter:  energy.NewMeter(energy.MeterConfig{Watts: watts, Low: 5, High: 20}),
		Router: &runRouter{memory: st, key: "played", allowance: allowance, params: router.DefaultParams(), log: slog.New(slog.DiscardHandler)},
		Logger: slog.New(slog.DiscardHandler),
	})
	if err := orch.Work(ctx, id); err != nil {
		rt.Fatal(err)
	}
	l, err := st.Ledger(ctx, id)
	if err != nil {
		rt.Fatal(err)
	}
	checkSpent(rt, l, budget)
}

// log10 draws evenly over orders of magnitude, so that some runs starve at once
// and others finish.
func log10(rng *rand.Rand, from, to float64) float64 {
	return math.Pow(10, from+(to-from)*rng.Float64())
}

func checkSpent(rt *rapid.T, l *research.Ledger, budget research.Budget) {
	got := l.Totals()
	if !l.Run.Status.Final() || l.Run.StopReason == "" {
		rt.Errorf("status %s, reason %q", l.Run.Status, l.Run.StopReason)
	}
	if got.Joules > *budget.Joules {
		rt.Errorf("spent %s J of %s", got.Joules, *budget.Joules)
	}
	if got.Dollars > *budget.Dollars {
		rt.Errorf("spent $%s of %s", got.Dollars, *budget.Dollars)
	}
	if got.Seconds > *budget.Seconds+0.1 {
		rt.Errorf("took %g s of %g", got.Seconds, *budget.Seconds)
	}
	supported := 0
	for _, c := range l.Report.Claims {
		if c.Verdict == research.Supported {
			supported++
		}
	}
	if l.Run.Status == research.Complete && supported == 0 {
		rt.Errorf("complete without a supported claim")
	}
	for _, s := range l.Steps {
		if s.Decision.Chosen == "" || len(s.Decision.Candidates) != 3 || s.Decision.Reason == "" || s.Decision.Propensity <= 0 || s.Decision.Realised == nil {
			rt.Errorf("step %d has an incomplete decision: %+v", s.Index, s.Decision)
		}
	}
}

// checkDashboard compares every grouping of the dashboard with the runs and
// their steps, to the last millionth.
func checkDashboard(t *testing.T, st *store.Store) {
	t.Helper()
	u, err := st.Usage(t.Context(), time.Time{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	runs, total, err := st.ListRuns(t.Context(), research.RunFilter{Limit: 10_000})
	if err != nil || total != len(runs) || total == 0 {
		t.Fatalf("%d runs listed of %d: %v", len(runs), total, err)
	}
	var byRun, bySteps research.Totals
	for _, r := range runs {
		byRun.Joules += r.Totals.Joules
		byRun.Dollars += r.Totals.Dollars
		l, err := st.Ledger(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		own := l.Totals()
		bySteps.Joules += own.Joules
		bySteps.Dollars += own.Dollars
		if own.Joules != r.Totals.Joules || own.Dollars != r.Totals.Dollars || own.Low != r.Totals.Low || own.High != r.Totals.High {
			t.Errorf("run %s: steps sum to %+v, the list says %+v", r.ID, own, r.Totals)
		}
	}
	if u.Total.Joules != byRun.Joules || u.Total.Dollars != byRun.Dollars || byRun != bySteps {
		t.Errorf("dashboard %s J $%s, runs %s J $%s, steps %s J $%s", u.Total.Joules, u.Total.Dollars, byRun.Joules, byRun.Dollars, bySteps.Joules, bySteps.Dollars)
	}
	for name, rows := range map[string][]research.UsageRow{"day": u.ByDay, "tier": u.ByTier, "role": u.ByRole, "policy": u.ByPolicy} {
		var j, d research.Micro
		for _, r := range rows {
			j += r.Joules
			d += r.Dollars
		}
		if j != u.Total.Joules || d != u.Total.Dollars {
			t.Errorf("by %s: %s J $%s, total %s J $%s", name, j, d, u.Total.Joules, u.Total.Dollars)
		}
	}
}
