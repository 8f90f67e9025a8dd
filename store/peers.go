package store

import (
	"context"
	"fmt"
	"time"
)

// peerEvery is how often a Postgres worker looks after the others.
const peerEvery = time.Second

// watchPeers keeps this worker's lock and takes over from workers that died,
// every second. SQLite has one worker and needs none of it.
func (q *Queue) watchPeers(ctx context.Context) {
	ctx, q.stop = context.WithCancel(ctx)
	q.peers = make(chan struct{})
	lock, ok := q.lock.(*pgLock)
	if !ok {
		close(q.peers)
		return
	}
	go func() {
		defer close(q.peers)
		tick := time.NewTicker(peerEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := q.lookAfterPeers(ctx, lock); err != nil && ctx.Err() == nil {
				q.log.Warn("look after workers", "err", err)
			}
		}
	}()
}

func (q *Queue) lookAfterPeers(ctx context.Context, lock *pgLock) error {
	if err := lock.keep(ctx); err != nil {
		return fmt.Errorf("keep lock: %w", err)
	}
	var ids []string
	err := q.s.db.WithContext(ctx).Raw("SELECT DISTINCT "+q.s.lastWorker()+
		" FROM river_job WHERE state = 'running' AND kind = ? AND "+q.s.lastWorker()+" <> ?", jobKind, q.c.ID).Scan(&ids).Error
	if err != nil {
		return fmt.Errorf("find workers: %w", err)
	}
	for _, id := range ids { // other workers with work in hand: a few
		if err := q.s.sweepIfDead(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// sweepIfDead sweeps when nobody holds the worker's lock. The lock is held for
// the sweep, so that a worker that comes back waits for its end.
func (s *Store) sweepIfDead(ctx context.Context, id string) error {
	return s.write(ctx, func(t *txn) error {
		var dead bool
		if err := t.Raw("SELECT pg_try_advisory_xact_lock(?)", workerKey(id)).Scan(&dead).Error; err != nil || !dead {
			return err
		}
		t.s.log.Info("taking over from a worker that died", "worker", id)
		return t.sweep(id)
	})
}
