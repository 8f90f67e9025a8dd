package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/riverqueue/river"

	"github.com/progrouter/progrouter/research"
)

// QueueConfig says how a process works on runs.
type QueueConfig struct {
	Workers int // runs at once; 2 when 0
	// ID names this worker across restarts, so that it finds what it left
	// behind. Two live processes must not share one.
	ID     string
	Logger *slog.Logger
	// SoftStop is how long Stop lets steps finish before it cancels them.
	SoftStop time.Duration
	// Impatient refuses at once when another process has the data folder,
	// instead of letting one that is just ending get out of the way.
	Impatient bool
	// Fail ends a run that could not be worked on; nil uses FinishRun.
	Fail func(ctx context.Context, runID string, cause error) error
}

// Work takes a run to its end or to a pause. It returns ctx's error when it was
// stopped and shall be taken up again.
type Work func(ctx context.Context, runID string) error

// Queue works on runs.
type Queue struct {
	s      *Store
	c      QueueConfig
	work   Work
	client *river.Client[*sql.Tx]
	log    *slog.Logger
	lock   workerLock
	stop   context.CancelFunc
	peers  chan struct{} // closed when the peers' watch has ended
}

// NewQueue makes a worker that takes up queued runs once it is started.
func NewQueue(s *Store, c QueueConfig, work Work) (*Queue, error) {
	if c.Workers <= 0 {
		c.Workers = 2
	}
	if c.ID == "" {
		c.ID = "worker"
	}
	if c.SoftStop <= 0 {
		c.SoftStop = 3 * time.Second
	}
	if c.Logger == nil {
		c.Logger = s.log
	}
	q := &Queue{s: s, c: c, work: work, log: c.Logger}
	workers := river.NewWorkers()
	if err := river.AddWorkerSafely(workers, &runWorker{q: q}); err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	var err error
	q.client, err = river.NewClient(s.driver, &river.Config{
		ID:            c.ID,
		Logger:        riverLogger(c.Logger),
		Queues:        map[string]river.QueueConfig{jobQueue: {MaxWorkers: c.Workers}},
		Workers:       workers,
		MaxAttempts:   attempts,
		RetryPolicy:   quickRetry{time.Now},
		FetchCooldown: 20 * time.Millisecond,
		// A run takes as long as its budget says; what a crash leaves behind is
		// found by the sweep.
		JobTimeout:      -1,
		SoftStopTimeout: c.SoftStop,
	})
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	return q, nil
}

// Start takes the worker's lock (EConflict when another process has it), puts
// back what an earlier process of this name left behind, and begins to work.
// Cancelling ctx stops it like Stop.
func (q *Queue) Start(ctx context.Context) error {
	patience := lockPatience
	if q.c.Impatient {
		patience = time.Millisecond
	}
	lock, err := q.s.lockWorker(ctx, q.c.ID, patience)
	if err != nil {
		return err
	}
	q.lock = lock
	if err := q.s.sweep(ctx, q.c.ID); err != nil {
		lock.release()
		return err
	}
	if err := q.s.requeueLost(ctx); err != nil {
		lock.release()
		return err
	}
	if err := q.client.Start(ctx); err != nil {
		lock.release()
		return fmt.Errorf("start queue: %w", err)
	}
	q.watchPeers(ctx)
	return nil
}

// Stop lets running steps finish for the configured time, then cancels their
// contexts; interrupted runs go back to the queue. It must follow a successful
// Start.
func (q *Queue) Stop(ctx context.Context) error {
	q.stop()
	<-q.peers
	err := q.client.Stop(ctx)
	if err != nil {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.c.SoftStop)
		defer cancel()
		err = q.client.StopAndCancel(stop)
	}
	q.lock.release()
	if err != nil {
		return fmt.Errorf("stop queue: %w", err)
	}
	return nil
}

// runWorker is the queue's side of Work.
type runWorker struct {
	river.WorkerDefaults[jobArgs]
	q *Queue
}

// Work decides what an attempt means: done, to be tried again, or failed.
func (w *runWorker) Work(ctx context.Context, job *river.Job[jobArgs]) error {
	id := job.Args.RunID
	if row, err := w.mine(ctx, job); row == nil || err != nil {
		return err
	}
	err := w.guarded(ctx, id)
	save, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	row, readErr := w.mine(save, job)
	switch {
	case readErr != nil:
		return errors.Join(err, readErr)
	case row == nil:
		return nil
	case row.CancelRequested:
		return w.q.s.finishCancelled(save, id)
	case ctx.Err() != nil:
		return ctx.Err() // goes back without using up an attempt
	case err == nil:
		err = errors.New("the worker returned before the run had ended")
	}
	w.q.log.Error("run failed", "run", id, "attempt", job.Attempt, "err", err)
	if job.Attempt >= job.MaxAttempts {
		return w.q.fail(save, id, err)
	}
	return err
}

// mine reads the job's run; nil when it needs no work: it has ended, is paused,
// was deleted, or a later job has it.
func (w *runWorker) mine(ctx context.Context, job *river.Job[jobArgs]) (*runRow, error) {
	var row runRow
	err := w.q.s.db.WithContext(ctx).Select("status", "job_id", "cancel_requested").Where("id = ?", job.Args.RunID).Take(&row).Error
	if isMissing(err) {
		return nil, nil //nolint:nilnil // no run, no work
	}
	if err != nil {
		return nil, fmt.Errorf("read run: %w", err)
	}
	if open := row.Status == research.Queued || row.Status == research.Running; !open || row.JobID == nil || *row.JobID != job.ID {
		return nil, nil //nolint:nilnil // not this job's
	}
	return &row, nil
}

// guarded turns a panic into an error, so that one run cannot end the process.
func (w *runWorker) guarded(ctx context.Context, id string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.q.log.Error("run panicked", "run", id, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return w.q.work(ctx, id)
}

const failReason = "An internal error stopped the run several times; the server's log has the details. Resume it to try again from where it stands."

func (q *Queue) fail(ctx context.Context, id string, cause error) error {
	if q.c.Fail != nil {
		return q.c.Fail(ctx, id, cause)
	}
	return q.s.endRun(ctx, id, research.Failed, failReason, "internal")
}

// endRun is FinishRun for ends that the store decides itself.
func (s *Store) endRun(ctx context.Context, id string, status research.Status, reason, code string) error {
	o := s.finishing()
	o.Code = code
	err := s.FinishRun(ctx, id, status, reason, 0, o)
	if research.CodeOf(err) == research.EConflict {
		return nil // somebody was faster
	}
	return err
}

func (s *Store) finishCancelled(ctx context.Context, id string) error {
	return s.endRun(ctx, id, research.Cancelled, cancelReason, "cancelled")
}
