package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/progrouter/progrouter/research"
)

//go:embed migrations
var migrations embed.FS

const versionTable = "progrouter_schema"

// Version is where a database's schema stands.
type Version struct {
	Current int64 // of the database; 0 when it is empty
	Latest  int64 // that this program knows
}

// Version reads the schema versions without changing anything.
func (s *Store) Version(ctx context.Context) (Version, error) {
	p, err := s.provider()
	if err != nil {
		return Version{}, err
	}
	return s.version(ctx, p)
}

// version asks for the table first: goose would create it.
func (s *Store) version(ctx context.Context, p *goose.Provider) (Version, error) {
	v := Version{}
	for _, src := range p.ListSources() {
		v.Latest = max(v.Latest, src.Version)
	}
	query := `SELECT count(*) FROM sqlite_schema WHERE name = '` + versionTable + `'`
	if s.postgres() {
		query = `SELECT count(*) FROM pg_catalog.pg_class WHERE oid = to_regclass('` + versionTable + `')`
	}
	var n int
	if err := s.sqlDB.QueryRowContext(ctx, query).Scan(&n); err != nil || n == 0 {
		return v, safe(err)
	}
	var err error
	if v.Current, err = p.GetDBVersion(ctx); err != nil {
		return v, safe(fmt.Errorf("read schema version: %w", err))
	}
	return v, nil
}

// Migrate brings the schema up to the program's version. It never goes down: a
// newer database is refused.
func (s *Store) Migrate(ctx context.Context) error {
	p, err := s.provider()
	if err != nil {
		return err
	}
	unlock, err := s.lockMigration(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	v, err := s.version(ctx, p)
	if err != nil {
		return err
	}
	if v.Current > v.Latest {
		return tooNew(v)
	}
	if v.Current < v.Latest {
		if _, err := p.Up(ctx); err != nil {
			return safe(fmt.Errorf("migrate: %w", err))
		}
	}
	return s.migrateQueue(ctx)
}

func tooNew(v Version) error {
	return research.Errorf(research.EConflict, "store.newer",
		"The database was made by a newer ProgRouter (schema %d, this program knows %d). Use that version or a later one, or start with another data folder; going back is not possible.",
		v.Current, v.Latest).With(map[string]any{"Current": v.Current, "Latest": v.Latest})
}

// migrateQueue brings River's own tables up.
func (s *Store) migrateQueue(ctx context.Context) error {
	m, err := rivermigrate.New(s.driver, &rivermigrate.Config{Logger: riverLogger(s.log)})
	if err != nil {
		return fmt.Errorf("queue migrations: %w", err)
	}
	have, err := m.ExistingVersions(ctx)
	if err != nil {
		return safe(fmt.Errorf("queue schema version: %w", err))
	}
	if len(have) == len(m.AllVersions()) {
		return nil
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return safe(fmt.Errorf("migrate queue: %w", err))
	}
	return nil
}

func (s *Store) provider() (*goose.Provider, error) {
	dialect, folder := goose.DialectSQLite3, "migrations/sqlite"
	opts := []goose.ProviderOption{
		goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true),
		goose.WithSlog(riverLogger(s.log)),
	}
	if s.postgres() {
		dialect, folder = goose.DialectPostgres, "migrations/postgres"
	}
	files, err := fs.Sub(migrations, folder)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	p, err := goose.NewProvider(dialect, s.sqlDB, files, opts...)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	return p, nil
}

const migrationWait = 30 * time.Second

// lockMigration keeps two processes from migrating at once.
func (s *Store) lockMigration(ctx context.Context) (func(), error) {
	ctx, cancel := context.WithTimeout(ctx, migrationWait)
	defer cancel()
	if s.postgres() {
		return s.lockMigrationPostgres(ctx)
	}
	l := flock.New(filepath.Join(s.dir, ".migrate.lock"))
	ok, err := l.TryLockContext(ctx, 20*time.Millisecond)
	if err != nil || !ok {
		return nil, research.Errorf(research.EUnavailable, "store.migrating",
			"Another process is migrating this data folder. Wait until it is done, then start again.").Wrap(err)
	}
	return func() { _ = l.Unlock() }, nil
}

func (s *Store) lockMigrationPostgres(ctx context.Context) (func(), error) {
	conn, err := s.sqlDB.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("migration lock: %w", err)
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, uint64(migrationWait/time.Second)))
	if err == nil {
		err = locker.SessionLock(ctx, conn)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("migration lock: %w", err), conn.Close())
	}
	return func() { s.unlockMigration(locker, conn) }, nil
}

func (s *Store) unlockMigration(l lock.SessionLocker, conn *sql.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := errors.Join(l.SessionUnlock(ctx, conn), conn.Close()); err != nil {
		s.log.Warn("release migration lock", "err", err)
	}
}
