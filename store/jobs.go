package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

const (
	jobKind  = "run"
	jobQueue = "runs"
	// attempts is how often a run that failed by a fault of ours is tried.
	attempts = 3
)

// jobArgs is what the queue knows of a run.
type jobArgs struct {
	RunID string `json:"run_id"`
}

// Kind names the job to River.
func (jobArgs) Kind() string { return jobKind }

// enqueue makes a job for the run and saves the run with its number: an older
// job that is still around finds that it is no longer the run's.
func (t *txn) enqueue(row *runRow) error {
	tx, err := t.raw()
	if err != nil {
		return err
	}
	res, err := t.s.jobs.InsertTx(t.ctx(), tx, jobArgs{RunID: row.ID}, &river.InsertOpts{Queue: jobQueue, MaxAttempts: attempts})
	if err != nil {
		return fmt.Errorf("queue run: %w", err)
	}
	row.JobID = &res.Job.ID
	return t.saveRun(row)
}

func isNoJob(err error) bool { return errors.Is(err, rivertype.ErrNotFound) }

// quickRetry tries again after half a second, then two.
type quickRetry struct{ now func() time.Time }

func (p quickRetry) NextRetry(job *rivertype.JobRow) time.Time {
	n := time.Duration(max(1, job.Attempt))
	return p.now().Add(n * n * 500 * time.Millisecond)
}
