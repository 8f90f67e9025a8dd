package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
)

// Deps is what an Orchestrator works with.
type Deps struct {
	Store  Store
	Agents Agents
	Router Router
	Score  Scorer
	Meter  *energy.Meter
	// Caps turns reserved joules into the CPU time a step may use; nil takes
	// Meter. A measured counter wants a cautious one: more watts, less time.
	Caps *energy.Meter
	// Reconciler charges what the process uses around the work; may be nil.
	Reconciler *energy.Reconciler
	// Rates are shared by all steps of the process; nil starts anew.
	Rates *energy.Rates
	// Live is told what the step in flight of a run is doing; may be nil. It must
	// not block.
	Live   func(run string, l research.Live)
	Clock  Clock
	Logger *slog.Logger
}

// Orchestrator takes runs from wherever their ledger stands to their end. It
// holds no state of its own between steps and may work on several runs at once.
type Orchestrator struct {
	Deps
}

// New returns an Orchestrator.
func New(d Deps) *Orchestrator {
	if d.Clock == nil {
		d.Clock = SystemClock{}
	}
	if d.Caps == nil {
		d.Caps = d.Meter
	}
	if d.Rates == nil {
		d.Rates = energy.NewRates()
	}
	if d.Logger == nil {
		d.Logger = slog.Default()
	}
	return &Orchestrator{Deps: d}
}

// saveTimeout bounds the writes that must happen although the run's context
// has ended.
const saveTimeout = 5 * time.Second

// Work takes the run to its end, or to a pause. It returns nil when the run
// needs no further work, and ctx's error when it was stopped from outside and
// should be taken up again.
func (o *Orchestrator) Work(ctx context.Context, id string) error {
	w, err := o.load(ctx, id)
	if err != nil || w == nil {
		return err
	}
	if err := o.Store.StartRun(ctx, id); err != nil {
		return fmt.Errorf("start run: %w", err)
	}
	if err := w.settleInterrupted(ctx); err != nil {
		return err
	}
	for {
		done, err := w.advance(ctx)
		if done || err != nil {
			return err
		}
	}
}

// load reads the run; nil means that it needs no work.
func (o *Orchestrator) load(ctx context.Context, id string) (*worker, error) {
	l, err := o.Store.Ledger(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("load ledger: %w", err)
	}
	if l.Run.Status.Final() || l.Run.Status == research.Paused {
		return nil, nil
	}
	return &worker{
		Orchestrator: o, l: l, lim: research.LimitsFor(l.Run.Depth),
		since: o.Clock.Now(), before: l.Run.ActiveSeconds,
		log: o.Logger.With("run", id),
	}, nil
}

// worker is one stretch of work on one run.
type worker struct {
	*Orchestrator
	l      *research.Ledger
	lim    research.Limits
	since  time.Time // when this stretch began
	before float64   // active seconds of earlier stretches
	log    *slog.Logger
	// unbilled is router CPU time of decisions that led to no step; the next
	// step carries it.
	unbilled time.Duration
	// reserved is what the last decision kept for finishing the report.
	reserved research.Cost
}

func (w *worker) id() string { return w.l.Run.ID }

// active is the run's active wall time so far, in seconds.
func (w *worker) active() float64 {
	return w.before + max(0, w.Clock.Now().Sub(w.since).Seconds())
}

// advance makes one move. done means that the run needs no further work now.
func (w *worker) advance(ctx context.Context) (done bool, err error) {
	run, err := w.Store.Run(ctx, w.id())
	if err != nil {
		if ctx.Err() != nil {
			return w.stopped(ctx)
		}
		return false, fmt.Errorf("read run: %w", err)
	}
	w.l.Run.Budget, w.l.Run.CancelRequested = run.Budget, run.CancelRequested
	switch {
	case run.Status.Final():
		return true, nil
	case run.CancelRequested || ctx.Err() != nil:
		return w.stopped(ctx)
	case run.PauseRequested:
		return true, w.Store.SetPaused(ctx, w.id(), w.active())
	}
	return w.move(ctx)
}

// move asks the coordinator and takes the step, falling back to writing up
// when nothing fits the budget any more.
func (w *worker) move(ctx context.Context) (bool, error) {
	m := Next(w.l, w.lim, false)
	if m.Finish {
		return true, w.finish(ctx, Conclude(w.l, m.Stop, w.lastProblem()))
	}
	took, d, err := w.step(ctx, m)
	if err != nil || took {
		return false, err
	}
	if tierBlocked(w.l.Run.Policy, d) {
		return true, w.finish(ctx, Conclude(w.l, StopTier, d.Reason))
	}
	m = Next(w.l, w.lim, true)
	if !m.Finish {
		took, _, err = w.step(ctx, m)
		if err != nil || took {
			return false, err
		}
	}
	return true, w.finish(ctx, Conclude(w.l, StopBudget, d.Reason))
}

// tierBlocked reports whether a fixed policy cannot work at all because its
// tier is unable, which is not a question of budget.
func tierBlocked(p research.Policy, d research.Decision) bool {
	tier, fixed := p.FixedTier()
	if !fixed {
		return false
	}
	for _, c := range d.Candidates {
		if c.Tier == tier && (c.Eligible || budgetCode(c.WhyCode)) {
			return false
		}
	}
	return true
}

func budgetCode(code string) bool {
	switch code {
	case "joules", "dollars", "seconds":
		return true
	}
	return false
}

func (w *worker) lastProblem() string {
	for i := len(w.l.Steps) - 1; i >= 0; i-- {
		switch w.l.Steps[i].Outcome {
		case research.OutcomeError, research.OutcomeInvalid, research.OutcomeInterrupted:
			return w.l.Steps[i].Note
		}
	}
	return ""
}

// stopped ends a cancelled run; a stop from outside leaves the run as it is, to
// be taken up again.
func (w *worker) stopped(ctx context.Context) (bool, error) {
	save, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	run, err := w.Store.Run(save, w.id())
	if err != nil {
		return false, fmt.Errorf("read run: %w", err)
	}
	if run.CancelRequested {
		return true, w.finish(save, Ending{research.Cancelled, "Cancelled by the user.", EndCancelled})
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return true, nil
}

func (w *worker) finish(ctx context.Context, end Ending) error {
	w.log.Info("run ends", "status", end.Status, "reason", end.Reason)
	if err := w.Store.FinishRun(ctx, w.id(), end, w.active()); err != nil {
		return fmt.Errorf("finish run: %w", err)
	}
	return nil
}

// settleInterrupted closes a step that a crash left in flight.
func (w *worker) settleInterrupted(ctx context.Context) error {
	for _, s := range w.l.Steps {
		if s.Outcome != research.InFlight {
			continue
		}
		s = s.Interrupted(w.Clock.Now())
		w.before += s.Seconds
		if err := w.Store.FinishStep(ctx, w.id(), s, research.Result{}, w.active()); err != nil {
			return fmt.Errorf("settle interrupted step: %w", err)
		}
		w.l.Apply(s, research.Result{})
	}
	return nil
}

// random returns the run's own source of chance for a step, the same after a
// restart.
func random(run research.Run, step int) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(run.Seed), uint64(step)+1)) //nolint:gosec // exploration, not secrecy
}

// isStop tells a run cut off from outside from one that failed.
func isStop(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
