package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/libtnb/sqlite"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"gorm.io/gorm"

	"github.com/progrouter/progrouter/research"
)

// FileName is the SQLite file inside the data folder.
const FileName = "progrouter.db"

// Without _txlock=immediate, transactions that read before they write lose to
// SQLITE_BUSY as soon as two of them run.
const pragmas = "_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)&_txlock=immediate"

func (s *Store) openSQLite(ctx context.Context, c Config) error {
	path, err := dataFile(c.DataDir)
	if err != nil {
		return err
	}
	s.db, err = gorm.Open(sqlite.Open(dsn(path)), gormConfig(s))
	if err != nil {
		return safe(err)
	}
	if s.sqlDB, err = s.db.DB(); err != nil {
		return fmt.Errorf("database handle: %w", err)
	}
	s.sqlDB.SetMaxOpenConns(8)
	s.sqlDB.SetMaxIdleConns(8)
	s.driver = riversqlite.New(s.sqlDB)
	return s.checkFile(ctx, path)
}

// dataFile makes the folder and checks that it can be written, because SQLite
// would only say "unable to open database file".
func dataFile(dir string) (string, error) {
	if dir == "" {
		return "", research.Errorf(research.EInvalid, "store.no_folder", "No data folder is set. Name one with --data.")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", unwritable(err)
	}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return "", folderError(abs, err)
	}
	probe, err := os.CreateTemp(abs, ".write-test-*")
	if err != nil {
		return "", folderError(abs, err)
	}
	_ = probe.Close()
	if err := os.Remove(probe.Name()); err != nil {
		return "", folderError(abs, err)
	}
	return filepath.Join(abs, FileName), nil
}

func folderError(dir string, err error) error {
	cause := err
	var p *os.PathError
	if errors.As(err, &p) {
		cause = p.Err
	}
	return research.Errorf(research.EUnavailable, "store.unwritable_folder",
		"The data folder %s cannot be written: %v. Choose another one with --data, or give this user the right to write there.", dir, cause).
		With(map[string]any{"Folder": dir}).Wrap(err)
}

func dsn(path string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // a drive letter
	}
	return "file://" + (&url.URL{Path: p}).EscapedPath() + "?" + pragmas
}

// checkFile reads the schema, which a damaged file fails, and refuses a
// database that some other program made.
func (s *Store) checkFile(ctx context.Context, path string) error {
	var tables, ours int
	row := s.sqlDB.QueryRowContext(ctx,
		`SELECT count(*), count(CASE WHEN name = '`+versionTable+`' THEN 1 END) FROM sqlite_schema WHERE type = 'table'`)
	if err := row.Scan(&tables, &ours); err != nil {
		return safe(err)
	}
	if tables > 0 && ours == 0 {
		return research.Errorf(research.EConflict, "store.foreign",
			"%s belongs to another program. Choose another data folder with --data.", path).With(map[string]any{"File": path})
	}
	return nil
}

// named adds the file's name to the message about a damaged one.
func (s *Store) named(err error) error {
	var e *research.Error
	if !errors.As(err, &e) || e.Key != "store.corrupt" {
		return err
	}
	path := filepath.Join(s.dir, FileName)
	return research.Errorf(e.Code, "store.corrupt_file",
		"The database file %s is damaged or is not a database. Move it away and restore a backup, or choose an empty data folder with --data.", path).
		With(map[string]any{"File": path}).Wrap(err)
}

func gormConfig(s *Store) *gorm.Config {
	return &gorm.Config{
		TranslateError:         true,
		SkipDefaultTransaction: true, // write() opens the ones that are needed
		Logger:                 gormLogger{s.log},
		NowFunc:                func() time.Time { return s.now().UTC() },
	}
}
