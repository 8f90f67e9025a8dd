package store

import (
	"context"
	"fmt"
	"time"

	"github.com/progrouter/progrouter/research"
)

// maxCrashes is how often the process may die on a run without a step getting
// done in between, before the run is given up.
const maxCrashes = 5

const crashReason = "The program ended unexpectedly several times at the same step. The server's log may say why. Resume the run to try again from where it stands."

// sweep puts back the jobs that a dead worker of this name was working on, and
// lets go of its leadership of the queue, so that work goes on at once instead
// of after River's timeouts. Only call it when that worker is known to be dead.
func (s *Store) sweep(ctx context.Context, worker string) error {
	return s.write(ctx, func(t *txn) error { return t.sweep(worker) })
}

func (t *txn) sweep(worker string) error {
	if err := t.Exec("DELETE FROM river_leader WHERE leader_id = ?", worker).Error; err != nil {
		return fmt.Errorf("sweep leader: %w", err)
	}
	var jobs []int64
	if err := t.Raw("SELECT id FROM river_job WHERE state = 'running' AND "+t.s.lastWorker()+" = ?", worker).Scan(&jobs).Error; err != nil {
		return fmt.Errorf("sweep jobs: %w", err)
	}
	if len(jobs) == 0 {
		return nil
	}
	var runs []runRow
	if err := t.Where("job_id IN ? AND status IN ?", jobs, []research.Status{research.Queued, research.Running}).Find(&runs).Error; err != nil {
		return fmt.Errorf("sweep runs: %w", err)
	}
	for i := range runs { // as many as the dead worker had in hand
		if err := t.sweepRun(&runs[i]); err != nil {
			return err
		}
	}
	// A crash uses up no attempt; maxCrashes ends what crashes for ever. Jobs of
	// runs that have ended are completed by whoever takes them.
	err := t.Exec(`UPDATE river_job SET state = 'available', attempt = CASE WHEN attempt > 0 THEN attempt - 1 ELSE 0 END,
		scheduled_at = ? WHERE id IN ?`, t.s.queueTime(), jobs).Error
	if err != nil {
		return fmt.Errorf("sweep jobs: %w", err)
	}
	return nil
}

func (t *txn) sweepRun(row *runRow) error {
	if row.CancelRequested {
		o := t.s.finishing()
		o.Code = endCancelled
		return t.finishRun(row, research.Cancelled, cancelReason, row.ActiveSeconds, o)
	}
	if row.Crashes++; row.Crashes >= maxCrashes {
		o := t.s.finishing()
		o.Code = endCrashes
		return t.finishRun(row, research.Failed, crashReason, row.ActiveSeconds, o)
	}
	return t.saveRun(row)
}

// lastWorker is the SQL expression of the client that has a job.
func (s *Store) lastWorker() string {
	if s.postgres() {
		return "attempted_by[array_upper(attempted_by, 1)]"
	}
	return "json_extract(attempted_by, '$[#-1]')"
}

// queueTime is now in the form River's tables have.
func (s *Store) queueTime() any {
	now := time.Now().UTC()
	if s.postgres() {
		return now
	}
	return now.Format("2006-01-02 15:04:05.999")
}

// requeueLost gives a new job to open runs whose job has ended or vanished,
// which only a fault can bring about.
func (s *Store) requeueLost(ctx context.Context) error {
	return s.write(ctx, func(t *txn) error {
		var runs []runRow
		err := t.Where(`status IN ? AND job_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM river_job
			WHERE river_job.id = runs.job_id AND river_job.finalized_at IS NULL)`,
			[]research.Status{research.Queued, research.Running}).Find(&runs).Error
		if err != nil {
			return fmt.Errorf("find lost runs: %w", err)
		}
		for i := range runs {
			if err := t.requeue(&runs[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t *txn) requeue(row *runRow) error {
	if row.CancelRequested {
		return t.sweepRun(row)
	}
	t.s.log.Warn("run had lost its job", "run", row.ID)
	return t.enqueue(row)
}
