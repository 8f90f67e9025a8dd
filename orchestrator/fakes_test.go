package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
)

// fakeClock moves only when told to.
type fakeClock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *fakeClock { return &fakeClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *fakeClock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *fakeClock) advance(s float64) { c.mu.Lock(); c.now = c.now.Add(seconds(s)); c.mu.Unlock() }

var errCrash = errors.New("crash")

// memStore is a ledger in memory that can crash at any call, before or after
// the write took effect, as a killed process would.
type memStore struct {
	l       research.Ledger
	calls   int
	crashAt int // call number, 0 never
	after   bool
	log     []string
}

func (m *memStore) write(what string, fn func()) error {
	m.calls++
	if m.calls == m.crashAt && !m.after {
		return errCrash
	}
	fn()
	m.log = append(m.log, what)
	if m.calls == m.crashAt {
		return errCrash
	}
	return nil
}

func (m *memStore) Ledger(context.Context, string) (*research.Ledger, error) {
	c := m.l
	c.Steps = append([]research.Step(nil), m.l.Steps...)
	return &c, nil
}

func (m *memStore) Run(context.Context, string) (research.Run, error) { return m.l.Run, nil }

func (m *memStore) StartRun(context.Context, string) error {
	return m.write("start", func() { m.l.Run.Status = research.Running })
}

func (m *memStore) BeginStep(_ context.Context, _ string, s research.Step) error {
	return m.write("begin", func() { m.l.Apply(s, research.Result{}) })
}

func (m *memStore) FinishStep(_ context.Context, _ string, s research.Step, r research.Result, active float64) error {
	for _, old := range m.l.Steps {
		if old.Index == s.Index && old.Outcome != research.InFlight {
			return fmt.Errorf("step %d finished twice", s.Index)
		}
	}
	return m.write("finish step", func() { m.l.Apply(s, r); m.l.Run.ActiveSeconds = active })
}

func (m *memStore) SetPaused(_ context.Context, _ string, active float64) error {
	return m.write("pause", func() { m.l.Run.Status, m.l.Run.ActiveSeconds = research.Paused, active })
}

func (m *memStore) FinishRun(_ context.Context, _ string, end Ending, active float64) error {
	return m.write("finish run", func() {
		m.l.Run.Status, m.l.Run.StopReason, m.l.Run.ActiveSeconds = end.Status, end.Reason, active
	})
}

// scripted agents do what a good run does, cost what the test says, and keep
// count of finished work.
type scripted struct {
	clock *fakeClock
	cpu   time.Duration // CPU time per step
	secs  float64       // wall seconds per step
	worst research.Cost
	hook  func(ctx context.Context, t research.Task) error
	done  []research.Role
}

func (a *scripted) Estimates(context.Context, research.Task) []research.Estimate {
	return []research.Estimate{{Model: "embedded/small", Tier: research.Small, Eligible: true, Expected: a.worst, Worst: a.worst}}
}

func (a *scripted) Do(ctx context.Context, t research.Task) (research.Result, error) {
	if a.hook != nil {
		if err := a.hook(ctx, t); err != nil {
			return research.Result{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return research.Result{}, err
	}
	energy.AccountFrom(ctx).Charge(energy.PartAgent, a.cpu)
	a.clock.advance(a.secs)
	a.done = append(a.done, t.Role)
	return answer(t), nil
}

// answer is the work of a role, correct and minimal.
func answer(t research.Task) research.Result {
	r := research.Result{Outcome: research.OutcomeOK, Dollars: research.Known(0)}
	switch t.Role {
	case research.Planner:
		r.Plan = &research.Plan{Subquestions: []research.Subquestion{{ID: "q1", Text: "main", Main: true}, {ID: "q2", Text: "facet"}}}
	case research.Searcher:
		for _, q := range t.Focus {
			r.Hits = append(r.Hits, research.Hit{Subquestion: q, URL: "u-" + q, StepIndex: t.Step})
		}
	case research.Reader:
		n := len(t.Ledger.Sources) + 1
		src := research.Source{ID: fmt.Sprintf("s%d", n), URL: "u-" + t.Focus[0], Text: "A fact.", StepIndex: t.Step}
		r.Sources = []research.Source{src}
		r.Evidence = []research.Evidence{{ID: fmt.Sprintf("e%d", n), SourceID: src.ID, Subquestion: t.Focus[0], Quote: "A fact.", End: 7, StepIndex: t.Step}}
	case research.Writer:
		rep := research.Report{Draft: t.Ledger.Report.Draft + 1, EvidenceSeen: len(t.Ledger.Evidence)}
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

// firstFit chooses the first candidate whose worst case and the reserve fit.
type firstFit struct{}

func (firstFit) Decide(_ context.Context, q Question) research.Decision {
	d := research.Decision{Policy: q.Ledger.Run.Policy, Progress: q.Progress, Spent: q.Spent, Remaining: q.Remaining}
	for _, e := range q.Estimates {
		need := add(e.Worst, q.Reserve)
		c := research.Candidate{Model: e.Model, Tier: e.Tier, Expected: e.Expected, Worst: e.Worst}
		switch {
		case !e.Eligible:
			c.WhyCode, c.WhyNot = e.WhyCode, e.WhyNot
		case research.OrZero(need.Joules) > research.OrZero(q.Remaining.Joules):
			c.WhyCode = "joules"
		case need.Seconds > q.Remaining.Seconds:
			c.WhyCode = "seconds"
		default:
			c.Eligible = true
			if d.Chosen == "" {
				d.Chosen, d.Propensity = e.Model, 1
			}
		}
		d.Candidates = append(d.Candidates, c)
	}
	d.Reason = "first that fits"
	return d
}

func scoreByClaims(l *research.Ledger, _ research.Limits) research.ProgressView {
	return research.ProgressView{G: min(1, 0.2*float64(len(l.Evidence))+0.3*float64(l.Report.Draft))}
}

// bench is a run that can be worked on.
type bench struct {
	store  *memStore
	agents *scripted
	clock  *fakeClock
	o      *Orchestrator
}

func setup(t *testing.T, joules, secs float64) *bench {
	t.Helper()
	clock := newClock()
	b := &bench{clock: clock, store: &memStore{}}
	b.store.l.Run = research.Run{ID: "r1", Status: research.Queued}
	b.store.l.Run.Depth, b.store.l.Run.Policy = research.Standard, research.ProgRouter
	b.store.l.Run.Budget = research.Budget{Joules: research.Known(research.ToMicro(joules)), Seconds: &secs}
	b.agents = &scripted{clock: clock, cpu: 100 * time.Millisecond, secs: 1, worst: research.Cost{
		Joules: research.Known(2_000_000), Dollars: research.Known(0), Seconds: 2,
	}}
	b.restart()
	return b
}

// restart is a new process on the same store.
func (b *bench) restart() {
	b.o = New(Deps{
		Store: b.store, Agents: b.agents, Router: firstFit{}, Score: scoreByClaims,
		Meter: energy.NewMeter(energy.MeterConfig{Watts: 10, Low: 5, High: 20}), Clock: b.clock,
		Logger: slog.New(slog.DiscardHandler),
	})
}
