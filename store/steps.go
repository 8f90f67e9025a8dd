package store

import (
	"context"
	"fmt"

	"github.com/progrouter/progrouter/research"
)

// StartRun marks a run as being worked on. A run that a crash left running is
// taken up again; a final or paused one is refused (EConflict).
func (s *Store) StartRun(ctx context.Context, id string) error {
	return s.write(ctx, func(t *txn) error {
		row, err := t.lockRun(id)
		if err != nil {
			return err
		}
		switch row.Status {
		case research.Running:
			t.event(id, research.EventResumed, -1)
			return nil
		case research.Queued:
		default:
			return stateConflict("store.not_startable", "The run is %s and cannot be worked on.", row.Status)
		}
		kind := research.EventResumed
		if row.StartedAt == nil {
			now := micros(s.now())
			row.StartedAt, kind = &now, research.EventStarted
		}
		row.Status = research.Running
		t.event(id, kind, -1)
		return t.saveRun(&row)
	})
}

// BeginStep stores a step with its decision before it is dispatched; its
// outcome is empty. The run must be running and the index new (EConflict).
func (s *Store) BeginStep(ctx context.Context, id string, step research.Step) error {
	return s.write(ctx, func(t *txn) error {
		row, err := t.lockRunning(id)
		if err != nil {
			return err
		}
		step.Outcome, step.FinishedAt = research.InFlight, nil
		sr := newStepRow(id, row.Policy, step)
		if err := t.Create(&sr).Error; isDuplicate(err) {
			return conflict("store.step_exists", "Step %d of the run is stored already.", step.Index)
		} else if err != nil {
			return fmt.Errorf("store decision: %w", err)
		}
		t.event(id, research.EventDecided, step.Index)
		return nil
	})
}

// FinishStep completes a step that was begun: what it brought, what it cost,
// the run's totals, the router's gain record and what it learns from, in one
// transaction. active is the run's active wall time so far in seconds, earlier
// stretches included. A step that is finished already is refused (EConflict), so
// that two workers on one run cannot both count.
func (s *Store) FinishStep(ctx context.Context, id string, step research.Step, r research.Result, active float64) error {
	if step.Outcome == research.InFlight {
		return fmt.Errorf("finish step %d: no outcome", step.Index)
	}
	if step.FinishedAt == nil {
		now := s.now()
		step.FinishedAt = &now
	}
	if step.Decision.Realised == nil {
		step.Decision.Realised = &research.Realised{
			Gain:   step.ProgressAfter - step.ProgressBefore,
			Joules: step.Energy.Joules, Dollars: step.Dollars, Seconds: step.Seconds,
		}
	}
	return s.write(ctx, func(t *txn) error {
		row, err := t.lockRunning(id)
		if err != nil {
			return err
		}
		if err := t.closeStep(&row, step); err != nil {
			return err
		}
		if err := t.addArtefacts(&row, step.Index, r); err != nil {
			return err
		}
		row.ActiveSeconds = max(row.ActiveSeconds, active)
		if err := t.saveRun(&row); err != nil {
			return err
		}
		return t.learn(&row, step)
	})
}

func (t *txn) lockRunning(id string) (runRow, error) {
	row, err := t.lockRun(id)
	if err == nil && row.Status != research.Running {
		err = stateConflict("store.not_running", "The run is %s; nothing can be added to it.", row.Status)
	}
	return row, err
}

// closeStep completes the step row and adds it to the run's totals.
func (t *txn) closeStep(row *runRow, step research.Step) error {
	sr := newStepRow(row.ID, row.Policy, step)
	res := t.Model(&stepRow{}).Where("run_id = ? AND idx = ? AND outcome = ''", row.ID, step.Index).
		Select("*").Omit("run_id", "idx").Updates(&sr)
	if res.Error != nil {
		return fmt.Errorf("store step: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return conflict("store.step_closed", "Step %d of the run is finished already or was never begun.", step.Index)
	}
	totals := row.totals()
	totals.AddStep(step)
	row.setTotals(totals)
	row.Steps++
	row.Progress = step.ProgressAfter
	if counts(step.Outcome) {
		row.Crashes = 0
		if err := t.addGain(row.RouterKey, step); err != nil {
			return err
		}
	}
	t.event(row.ID, research.EventStepped, step.Index)
	return nil
}

// counts tells steps that ran to their own end from those cut off from outside.
func counts(o research.Outcome) bool {
	return o != research.OutcomeInterrupted && o != research.OutcomeCancelled
}

// AddNotice records something the user should know, once.
func (s *Store) AddNotice(ctx context.Context, id string, notice research.Note) error {
	return s.write(ctx, func(t *txn) error {
		row, err := t.lockRun(id)
		if err != nil || research.Noticed(row.Notices, notice) {
			return err
		}
		row.Notices = append(row.Notices, notice)
		t.event(id, research.EventChanged, -1)
		return t.saveRun(&row)
	})
}

// SetPaused puts a running run aside. active is as in FinishStep.
func (s *Store) SetPaused(ctx context.Context, id string, active float64) error {
	return s.write(ctx, func(t *txn) error {
		row, err := t.lockRunning(id)
		if err != nil {
			return err
		}
		row.Status, row.PauseRequested = research.Paused, false
		row.ActiveSeconds = max(row.ActiveSeconds, active)
		t.event(id, research.EventPaused, -1)
		return t.saveRun(&row)
	})
}
