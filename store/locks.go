package store

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/progrouter/progrouter/research"
)

// workerLock says that a worker of this name lives. It ends with the process.
type workerLock interface{ release() }

// lockPatience lets a process that is just ending get out of the way.
const lockPatience = 3 * time.Second

func (s *Store) lockWorker(ctx context.Context, id string, patience time.Duration) (workerLock, error) {
	if s.postgres() {
		return s.lockWorkerPostgres(ctx, id)
	}
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	l := flock.New(filepath.Join(s.dir, "worker.lock"))
	ok, err := l.TryLockContext(wait, 25*time.Millisecond)
	if ok {
		return fileLock{l}, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, research.Errorf(research.EConflict, "store.second_worker",
		"Another ProgRouter process works on the data folder %s. Stop it first, choose another folder with --data, or use Postgres to run several.", s.dir).
		With(map[string]any{"Folder": s.dir}).Wrap(err)
}

type fileLock struct{ l *flock.Flock }

func (f fileLock) release() { _ = f.l.Unlock() }

// workerKey is the name of a worker's advisory lock.
func workerKey(id string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte("progrouter worker " + id))
	return int64(h.Sum64())
}

// pgLock holds a connection of its own, since the lock lives as long as that.
type pgLock struct {
	s    *Store
	id   string
	conn *pgxpool.Conn
}

func (s *Store) lockWorkerPostgres(ctx context.Context, id string) (workerLock, error) {
	l := &pgLock{s: s, id: id}
	wait, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	ok, err := l.patiently(wait)
	if ok {
		return l, nil
	}
	l.drop() // or the pool would wait for it when it closes
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && wait.Err() == nil:
		return nil, fmt.Errorf("worker lock: %w", err)
	}
	return nil, research.Errorf(research.EConflict, "store.second_worker_id",
		"Another worker with the ID %q is running on this database. Stop it, or give this one another data folder with --data.", id).
		With(map[string]any{"ID": id})
}

// patiently tries until it has the lock or ctx ends.
func (l *pgLock) patiently(ctx context.Context) (bool, error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := l.acquire(ctx); ok || err != nil {
			return ok, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

func (l *pgLock) acquire(ctx context.Context) (ok bool, err error) {
	if l.conn == nil {
		if l.conn, err = l.s.pool.Acquire(ctx); err != nil {
			l.conn = nil
			return false, err
		}
	}
	err = l.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", workerKey(l.id)).Scan(&ok)
	if err != nil {
		l.drop()
	}
	return ok, err
}

// keep checks that the lock's connection still stands and takes the lock again
// if it does not.
func (l *pgLock) keep(ctx context.Context) error {
	if l.conn != nil {
		if err := l.conn.Ping(ctx); err == nil {
			return nil
		}
		l.drop()
	}
	ok, err := l.acquire(ctx)
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("the worker's lock is held by another process")
	}
	return nil
}

// drop closes the connection: a pooled one would keep the lock alive.
func (l *pgLock) drop() {
	if l.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = l.conn.Hijack().Close(ctx)
	l.conn = nil
}

func (l *pgLock) release() { l.drop() }
