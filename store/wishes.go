package store

import (
	"context"
	"fmt"

	"github.com/progrouter/progrouter/research"
)

// Reasons of runs that end before a worker has them, and their codes.
const (
	cancelReason = "Cancelled by the user."
	endCancelled = "cancelled"
	endCrashes   = "crashes"
)

// EndingCodes lists the codes of the endings that the store brings about itself,
// for catalogues.
func EndingCodes() []string { return []string{endCancelled, endCrashes} }

// RequestCancel cancels a waiting or paused run at once. A running one is
// marked, and the context of the worker that has it is cancelled, in whatever
// process it is. A run that has ended is refused (EConflict).
func (s *Store) RequestCancel(ctx context.Context, id string) error {
	return s.write(ctx, func(t *txn) error {
		row, err := t.lockRun(id)
		if err != nil {
			return err
		}
		if row.Status.Final() {
			return stateConflict("store.run_ended", "The run has ended already: it is %s.", row.Status)
		}
		if err := t.cancelJob(row.JobID); err != nil {
			return err
		}
		row.CancelRequested = true
		if row.Status != research.Running {
			o := s.finishing()
			o.Code = endCancelled
			return t.finishRun(&row, research.Cancelled, cancelReason, row.ActiveSeconds, o)
		}
		t.event(id, research.EventChanged, -1)
		return t.saveRun(&row)
	})
}

// RequestPause pauses a waiting run at once; a running one stops after its
// step. Other runs are refused (EConflict).
func (s *Store) RequestPause(ctx context.Context, id string) error {
	return s.write(ctx, func(t *txn) error {
		row, err := t.lockRun(id)
		if err != nil {
			return err
		}
		switch row.Status {
		case research.Running:
			row.PauseRequested = true
			t.event(id, research.EventChanged, -1)
		case research.Queued:
			if err := t.cancelJob(row.JobID); err != nil {
				return err
			}
			row.Status = research.Paused
			t.event(id, research.EventPaused, -1)
		default:
			return stateConflict("store.not_pausable", "The run is %s and cannot be paused.", row.Status)
		}
		return t.saveRun(&row)
	})
}

// Resume queues a paused run again, or goes on with one that ended partial,
// failed or without evidence: nothing that it has done is redone. Other runs
// are refused (EConflict), except that a wish to pause is taken back.
func (s *Store) Resume(ctx context.Context, id string) error {
	return s.write(ctx, func(t *txn) error {
		row, err := t.lockRun(id)
		if err != nil {
			return err
		}
		switch {
		case row.Status == research.Running && row.PauseRequested:
			row.PauseRequested = false
			t.event(id, research.EventChanged, -1)
			return t.saveRun(&row)
		case !resumable(row.Status):
			return stateConflict("store.not_resumable", "The run is %s and cannot be resumed.", row.Status)
		}
		row.Status, row.StopReason, row.StopCode, row.FinishedAt = research.Queued, "", "", nil
		row.CancelRequested, row.PauseRequested, row.Crashes = false, false, 0
		t.event(id, research.EventQueued, -1)
		return t.enqueue(&row)
	})
}

func resumable(s research.Status) bool {
	switch s {
	case research.Paused, research.Partial, research.Failed, research.NoEvidence:
		return true
	}
	return false
}

// RaiseBudget replaces the limits that b names by higher ones; a lower limit is
// refused (EInvalid), as is a change to a complete or cancelled run (EConflict).
// It does not start the run again: see Resume.
func (s *Store) RaiseBudget(ctx context.Context, id string, b research.Budget) error {
	return s.write(ctx, func(t *txn) error {
		row, err := t.lockRun(id)
		if err != nil {
			return err
		}
		if row.Status.Final() && !resumable(row.Status) {
			return stateConflict("store.budget_ended", "The run is %s, so its budget has no effect any more. Ask again with another budget.", row.Status)
		}
		if err := raise(&row, b); err != nil {
			return err
		}
		t.event(id, research.EventChanged, -1)
		return t.saveRun(&row)
	})
}

// raise changes the effective limits and remembers that the user set them.
func raise(row *runRow, b research.Budget) error {
	if lower(raw(b.Joules), row.BudgetJoules) || lower(raw(b.Dollars), row.BudgetDollars) || lower(b.Seconds, row.BudgetSeconds) {
		return research.Errorf(research.EInvalid, "store.budget_lowered",
			"The new budget is lower than the one the run has. Enter a higher one, or leave the field as it is.")
	}
	if b.Joules != nil {
		row.BudgetJoules, row.GivenJoules = raw(b.Joules), raw(b.Joules)
	}
	if b.Dollars != nil {
		row.BudgetDollars, row.GivenDollars = raw(b.Dollars), raw(b.Dollars)
	}
	if b.Seconds != nil {
		row.BudgetSeconds, row.GivenSeconds = b.Seconds, b.Seconds
	}
	return nil
}

func lower[T int64 | float64](wanted, have *T) bool {
	return wanted != nil && have != nil && *wanted < *have
}

// cancelJob takes a job out of the queue, or tells the worker that has it.
func (t *txn) cancelJob(job *int64) error {
	if job == nil {
		return nil
	}
	tx, err := t.raw()
	if err != nil {
		return err
	}
	if _, err := t.s.jobs.JobCancelTx(t.ctx(), tx, *job); err != nil && !isNoJob(err) {
		return fmt.Errorf("cancel job: %w", err)
	}
	return nil
}
