package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
)

// step asks for a decision, stores it and dispatches the agent. took is false
// when no model fits; the decision then says why.
func (w *worker) step(ctx context.Context, m Move) (took bool, d research.Decision, err error) {
	task := research.Task{
		Role: m.Role, Ledger: w.l, Focus: m.Focus, Rewrite: m.Rewrite,
		Limits: w.lim, Step: nextIndex(w.l),
	}
	account := energy.NewAccount(0)
	before := w.Score(w.l, w.lim)
	d, estimates, err := w.decide(energy.WithAccount(ctx, account), task, before)
	w.unbilled += account.CPU(energy.PartRouter)
	if err != nil || d.Chosen == "" {
		return false, d, err
	}
	c := chosen(d)
	router := w.unbilled
	reserved, fits := w.reservation(c, estimates, d, router)
	if !fits {
		return false, d, nil
	}
	task.Model = c.Model
	s := research.Step{
		Index: task.Step, Role: m.Role, Tier: c.Tier, Model: c.Model, Focus: m.Focus,
		StartedAt: w.Clock.Now(), Reserved: reserved, ProgressBefore: before.G, Decision: d,
	}
	if err := w.Store.BeginStep(ctx, w.id(), s); err != nil {
		return false, d, fmt.Errorf("store decision: %w", err)
	}
	w.l.Apply(s, research.Result{})
	w.unbilled = 0
	return true, d, w.dispatch(ctx, task, s, own(estimates, c.Model), router)
}

// decide estimates every model and asks the router. The work is charged to the
// router's part of the step.
func (w *worker) decide(ctx context.Context, t research.Task, p research.ProgressView) (research.Decision, []research.Estimate, error) {
	ctx = energy.WithPart(ctx, energy.PartRouter)
	var d research.Decision
	var es []research.Estimate
	err := energy.Do(ctx, func() {
		es = w.Agents.Estimates(ctx, t)
		used := spent(w.l, w.active())
		w.reserved = w.reserve(ctx, t)
		d = w.Router.Decide(ctx, Question{
			Ledger: w.l, Role: t.Role, Focus: t.Focus, Progress: p, Estimates: es,
			Reserve: w.reserved, Spent: used, Remaining: w.l.Run.Budget.Left(used),
			Rand: random(w.l.Run, t.Step),
		})
	})
	if err != nil {
		return d, es, fmt.Errorf("decide: %w", err)
	}
	return d, es, nil
}

// reserve is what finishing the report will cost at worst with the cheapest
// model the policy may use.
func (w *worker) reserve(ctx context.Context, t research.Task) research.Cost {
	zero := research.Known(0)
	sum := research.Cost{Joules: zero, Dollars: zero}
	for _, r := range rolesAfter(t.Role) {
		after := t
		after.Role, after.Focus = r, nil
		if c, ok := cheapestWorst(w.l.Run.Policy, w.Agents.Estimates(ctx, after)); ok {
			sum = add(sum, c)
		}
	}
	return sum
}

// dispatch lets the agent work inside the limits that were reserved for it and
// stores what it brought.
func (w *worker) dispatch(ctx context.Context, t research.Task, s research.Step, own *research.Micro, router time.Duration) error {
	account := energy.NewAccount(w.allowedCPU(s.Reserved.Joules, own, router), energy.Rated(w.Rates))
	account.Charge(energy.PartRouter, router)
	release := w.track(account)
	t.Until, t.Reserved = s.StartedAt.Add(seconds(s.Reserved.Seconds)), w.forAgent(s.Reserved, router)
	t.Own = own
	if w.Live != nil {
		t.Live = func(l research.Live) {
			l.Step = s.Index
			w.Live(w.id(), l)
		}
	}
	work, cancel := context.WithTimeout(energy.WithAccount(ctx, account), seconds(s.Reserved.Seconds))
	r, err := w.Agents.Do(work, t)
	cancel()
	if t.Live != nil {
		t.Live(research.Live{})
	}
	release()
	w.close(&s, &r, err, ctx.Err() != nil)
	w.meter(&s, r, account)
	return w.save(ctx, s, r)
}

// allowedCPU is the CPU time that stays within the reserved joules, or within
// the part of them that is for work on this process, the router's share
// included; 0 means no limit.
func (w *worker) allowedCPU(reserved, own *research.Micro, router time.Duration) time.Duration {
	if own != nil {
		reserved = research.Known(*own + w.Meter.Joules(router) + 1)
	}
	if reserved == nil {
		return 0
	}
	return max(time.Nanosecond, w.Caps.CPU(*reserved))
}

// forAgent is what is left of a reservation when the decision has been paid.
func (w *worker) forAgent(c research.Cost, router time.Duration) research.Cost {
	if c.Joules != nil {
		c.Joules = research.Known(max(0, *c.Joules-w.Meter.Joules(router)-1))
	}
	return c
}

// own is the part of a model's worst case that is for work on this process.
func own(es []research.Estimate, model string) *research.Micro {
	for _, e := range es {
		if e.Model == model {
			return e.Own
		}
	}
	return nil
}

// track lets the account carry its share of what the process uses around the
// work (garbage collection, scheduling) and of a hardware counter.
func (w *worker) track(a *energy.Account) (release func()) {
	if w.Reconciler == nil {
		return func() {}
	}
	return w.Reconciler.Track(a)
}

// close reads the outcome from what the agent said and how it ended.
func (w *worker) close(s *research.Step, r *research.Result, err error, stopped bool) {
	now := w.Clock.Now()
	s.FinishedAt, s.Seconds = &now, max(0, now.Sub(s.StartedAt).Seconds())
	s.Outcome, s.Note, s.Notes, s.Actions, s.Tokens, s.Dollars = r.Outcome, r.Note, r.Notes, r.Actions, r.Tokens, r.Dollars
	if r.Model != "" {
		s.Model = r.Model
	}
	switch {
	case stopped:
		s.Outcome = research.OutcomeInterrupted
		say(s, research.Note{Code: NoteStopped, Text: "Stopped before it was done."})
		*r = research.Result{Actions: r.Actions, Tokens: r.Tokens, Dollars: r.Dollars, Energy: r.Energy}
	case err == nil && s.Outcome != "":
	case errors.Is(err, energy.ErrExhausted), isStop(err):
		s.Outcome = research.OutcomeError
		say(s, research.Note{Code: NoteCutOff, Text: "Cut off at the limit reserved for this step."})
	case err != nil:
		w.log.Error("step failed", "step", s.Index, "role", s.Role, "model", s.Model, "err", err)
		s.Outcome = research.OutcomeError
		say(s, research.Note{Code: NoteFailed, Text: research.SafeMessage(err)})
	default:
		s.Outcome = research.OutcomeInvalid
		say(s, research.Note{Code: NoteNothingUsable, Text: "The model handed back nothing usable."})
	}
}

// meter turns the account into joules, router and retrieval parts included.
func (w *worker) meter(s *research.Step, r research.Result, a *energy.Account) {
	s.RouterJoules = research.Known(w.Meter.PartJoules(a, energy.PartRouter))
	s.RetrievalJoules = research.Known(w.Meter.PartJoules(a, energy.PartRetrieval))
	s.Energy = w.Meter.EnergyOf(a)
	if r.Energy != nil { // what servers used comes on top
		s.Energy = energy.Sum(s.Energy, *r.Energy)
		return
	}
	if s.Dollars == nil && r.Tokens == (research.Tokens{}) {
		s.Dollars = research.Known(0) // the agent never began; else unknown stays unknown
	}
}

// save scores the new state and stores step, artefacts and progress in one
// transaction, also when the run is being stopped.
func (w *worker) save(ctx context.Context, s research.Step, r research.Result) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	run, err := w.Store.Run(ctx, w.id())
	if err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	if s.Outcome == research.OutcomeInterrupted && run.CancelRequested {
		s.Outcome = research.OutcomeCancelled
		say(&s, research.Note{Code: NoteCancelled, Text: "Cancelled by the user."})
	}
	s.ProgressAfter = w.Score(w.l.Preview(s, r), w.lim).G
	s.Decision.Realised = &research.Realised{
		Gain: s.ProgressAfter - s.ProgressBefore, Joules: s.Energy.Joules, Dollars: s.Dollars, Seconds: s.Seconds,
	}
	if err := w.Store.FinishStep(ctx, w.id(), s, r, w.active()); err != nil {
		return fmt.Errorf("store step: %w", err)
	}
	w.l.Apply(s, r)
	return nil
}

func nextIndex(l *research.Ledger) int {
	n := 0
	for _, s := range l.Steps {
		n = max(n, s.Index+1)
	}
	return n
}

func chosen(d research.Decision) research.Candidate {
	for _, c := range d.Candidates {
		if c.Model == d.Chosen {
			return c
		}
	}
	return research.Candidate{Model: d.Chosen}
}

// reservation is the worst case of the chosen model and what the decision itself
// cost, with as much more time as the model can use and the run can spare beyond
// the reserve. It does not fit when deciding took what was left.
func (w *worker) reservation(c research.Candidate, es []research.Estimate, d research.Decision, router time.Duration) (research.Cost, bool) {
	worst, patience := c.Worst, 0.0
	for _, e := range es {
		if e.Model == c.Model {
			worst, patience = e.Worst, e.Patience
		}
	}
	spare := d.Remaining.Seconds - w.reserved.Seconds - worst.Seconds
	worst.Seconds += max(0, min(patience, spare))
	if worst.Joules == nil {
		return worst, true
	}
	// One millionth more, since time is turned into energy and back.
	worst.Joules = research.Known(*worst.Joules + w.Meter.Joules(router) + 1)
	need := *worst.Joules + research.OrZero(w.reserved.Joules)
	return worst, d.Remaining.Joules == nil || need <= *d.Remaining.Joules
}

func seconds(s float64) time.Duration {
	if s > research.NoLimitSeconds {
		s = research.NoLimitSeconds
	}
	return time.Duration(s * float64(time.Second))
}
