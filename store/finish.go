package store

import (
	"context"
	"fmt"

	"github.com/progrouter/progrouter/research"
)

// FinishOptions says how the end of a run is charged to the virtual queue.
type FinishOptions struct {
	// Allowance is Ẽ, the long-term mean energy per run that the queue defends.
	Allowance research.Micro
	// RouterKey overrides the policy stream the run was created for.
	RouterKey string
	// Code is the stable word of the reason, for translation.
	Code string
}

// SetAllowance changes the allowance by which the store charges the runs that it
// ends itself.
func (s *Store) SetAllowance(e research.Micro) { s.allowed.Store(int64(e)) }

// finishing says how runs that the store ends itself are charged.
func (s *Store) finishing() FinishOptions {
	o := s.finish
	o.Allowance = research.Micro(s.allowed.Load())
	return o
}

// FinishRun gives the run its final status and charges the virtual queue,
// Q ← max(0, Q + joules − Ẽ), in one transaction. A run is charged once: when
// it is resumed later, its second end charges only what was added. A step that
// is still in flight is closed as interrupted. A final run is refused
// (EConflict). active is as in FinishStep.
func (s *Store) FinishRun(ctx context.Context, id string, status research.Status, reason string, active float64, o FinishOptions) error {
	if !status.Final() {
		return fmt.Errorf("finish run: %q is not a final status", status)
	}
	return s.write(ctx, func(t *txn) error {
		row, err := t.lockRun(id)
		if err != nil {
			return err
		}
		return t.finishRun(&row, status, reason, active, o)
	})
}

func (t *txn) finishRun(row *runRow, status research.Status, reason string, active float64, o FinishOptions) error {
	if row.Status.Final() {
		return stateConflict("store.run_ended", "The run has ended already: it is %s.", row.Status)
	}
	if err := t.closeInFlight(row); err != nil {
		return err
	}
	now := micros(t.s.now())
	row.Status, row.StopReason, row.StopCode, row.FinishedAt = status, reason, o.Code, &now
	row.ActiveSeconds = max(row.ActiveSeconds, active)
	row.PauseRequested = false
	if err := t.charge(row, o); err != nil {
		return err
	}
	t.event(row.ID, research.EventFinished, -1)
	return t.saveRun(row)
}

// closeInFlight leaves no step open in a run that has ended.
func (t *txn) closeInFlight(row *runRow) error {
	var open []stepRow
	if err := t.Where("run_id = ? AND outcome = ''", row.ID).Order("idx").Find(&open).Error; err != nil {
		return fmt.Errorf("read open steps: %w", err)
	}
	for _, o := range open { // one at most, unless something went badly wrong
		if err := t.closeStep(row, o.step().Interrupted(t.s.now())); err != nil {
			return err
		}
	}
	return nil
}

// charge moves the virtual queue by what the run cost since its last charge. A
// run that was never worked on earns no allowance.
func (t *txn) charge(row *runRow, o FinishOptions) error {
	if row.StartedAt == nil {
		return nil
	}
	if o.RouterKey == "" {
		o.RouterKey = row.RouterKey
	}
	delta, runs := row.Joules-int64(o.Allowance), int64(1)
	if row.ChargedJoules != nil {
		delta, runs = row.Joules-*row.ChargedJoules, 0
	}
	spent := row.Joules
	row.ChargedJoules = &spent
	err := t.Exec(`INSERT INTO router_states (key, queue, decisions, runs) VALUES (?, ?, 0, ?)
		ON CONFLICT (key) DO UPDATE SET runs = router_states.runs + ?,
		queue = CASE WHEN router_states.queue + ? > 0 THEN router_states.queue + ? ELSE 0 END`,
		o.RouterKey, max(0, delta), runs, runs, delta, delta).Error
	if err != nil {
		return fmt.Errorf("charge the virtual queue: %w", err)
	}
	return nil
}
