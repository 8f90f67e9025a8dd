package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"gorm.io/gorm"

	"github.com/progrouter/progrouter/research"
)

// Config says where the data lives.
type Config struct {
	DataDir     string // folder of the SQLite file; made when missing
	DatabaseURL string // postgres://…; empty means SQLite in DataDir
	Logger      *slog.Logger
	Now         func() time.Time
	// Finish is used where the store itself ends a run: cancelled while queued,
	// or given up after crashes.
	Finish FinishOptions
	// SkipMigrations opens a database as it is; one that is not at this
	// program's version is then refused by everything but Version and Migrate.
	SkipMigrations bool
}

// Store is the database. It is safe for concurrent use.
type Store struct {
	db      *gorm.DB
	sqlDB   *sql.DB
	pool    *pgxpool.Pool // nil on SQLite
	driver  riverdriver.Driver[*sql.Tx]
	jobs    *river.Client[*sql.Tx] // inserts and cancels; never works
	log     *slog.Logger
	now     func() time.Time
	finish  FinishOptions
	allowed atomic.Int64 // the allowance of finish, which may change
	dir     string
	hub     *hub
	// writing lets this process's writers queue up in order instead of polling
	// for SQLite's lock. Other processes are waited for by busy_timeout.
	writing sync.Mutex
}

// Open opens the database, making or migrating it as needed. A database that
// is newer than the program, corrupt, foreign or not writable is refused with
// an error that says what to do.
func Open(ctx context.Context, c Config) (*Store, error) {
	s := &Store{log: c.Logger, now: c.Now, finish: c.Finish, dir: c.DataDir}
	s.SetAllowance(c.Finish.Allowance)
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	open := s.openSQLite
	if c.DatabaseURL != "" {
		open = s.openPostgres
	}
	if err := open(ctx, c); err != nil {
		_ = s.closeDB()
		return nil, s.named(err)
	}
	if err := s.prepare(ctx, c.SkipMigrations); err != nil {
		_ = s.closeDB()
		return nil, s.named(err)
	}
	s.hub = newHub(s)
	return s, nil
}

func (s *Store) prepare(ctx context.Context, skip bool) error {
	if !skip {
		if err := s.Migrate(ctx); err != nil {
			return err
		}
	}
	jobs, err := river.NewClient(s.driver, &river.Config{
		Logger: riverLogger(s.log),
		// The client tells workers of new jobs at most once in this time; a job
		// in its shadow would wait for their next look, up to a second.
		FetchCooldown: river.FetchCooldownMin,
	})
	if err != nil {
		return fmt.Errorf("queue client: %w", err)
	}
	s.jobs = jobs
	return nil
}

// Close stops the event hub and closes the database. Stop queues first.
func (s *Store) Close() error {
	s.hub.close()
	return s.closeDB()
}

func (s *Store) closeDB() error {
	var err error
	if s.sqlDB != nil {
		err = s.sqlDB.Close()
	}
	if s.pool != nil {
		s.pool.Close()
	}
	return err
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.sqlDB.PingContext(ctx); err != nil {
		return research.Errorf(research.EUnavailable, "store.unreachable",
			"The database does not answer. Check that it is running and reachable.").Wrap(err)
	}
	return nil
}

// Dialect is "sqlite" or "postgres".
func (s *Store) Dialect() string { return s.db.Name() }

func (s *Store) postgres() bool { return s.pool != nil }

// read runs fn on one consistent snapshot of the database.
func (s *Store) read(ctx context.Context, fn func(tx *gorm.DB) error) error {
	opts := &sql.TxOptions{ReadOnly: true}
	if s.postgres() {
		opts.Isolation = sql.LevelRepeatableRead
	}
	return safe(s.db.WithContext(ctx).Transaction(fn, opts))
}

// write runs fn in one transaction and wakes the readers of the runs it wrote
// events for.
func (s *Store) write(ctx context.Context, fn func(t *txn) error) error {
	if !s.postgres() {
		s.writing.Lock()
		defer s.writing.Unlock()
	}
	t := &txn{s: s}
	err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		t.DB, t.events = tx, t.events[:0]
		if err := fn(t); err != nil {
			return err
		}
		return t.flushEvents()
	})
	if err != nil {
		return safe(err)
	}
	s.hub.wake(t.events)
	return nil
}

// txn is a write transaction.
type txn struct {
	*gorm.DB
	s      *Store
	events []eventRow
}

// raw is the transaction as River wants it.
func (t *txn) raw() (*sql.Tx, error) {
	tx, ok := t.Statement.ConnPool.(*sql.Tx)
	if !ok {
		return nil, errors.New("not inside a plain transaction")
	}
	return tx, nil
}

// ctx is the context the transaction runs under.
func (t *txn) ctx() context.Context { return t.Statement.Context }

// Names of Postgres's advisory locks that last until the end of a transaction.
// SQLite has one writer at a time and needs none.
const (
	lockEvents int64 = 0x70726f67_0001 + iota
	lockSnapshots
)

func (t *txn) advisory(function string, key int64) error {
	if !t.s.postgres() {
		return nil
	}
	if err := t.Exec("SELECT "+function+"(?)", key).Error; err != nil {
		return fmt.Errorf("database lock: %w", err)
	}
	return nil
}
