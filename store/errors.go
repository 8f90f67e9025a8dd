package store

import (
	"errors"

	"gorm.io/gorm"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/progrouter/progrouter/research"
)

func notFound(what, id string) error {
	return research.Errorf(research.ENotFound, "store."+what+"_not_found",
		"There is no %s %q. It may have been deleted.", what, id).With(map[string]any{"ID": id})
}

func conflict(key, format string, args ...any) error {
	return research.Errorf(research.EConflict, key, format, args...)
}

// stateConflict is a conflict whose sentence names the run's status.
func stateConflict(key, format string, s research.Status) error {
	return research.Errorf(research.EConflict, key, format, s).With(map[string]any{"Status": s})
}

// safe gives errors of the database file itself a message with cause and cure;
// others pass as they are.
func safe(err error) error {
	if err == nil {
		return nil
	}
	var known *research.Error
	if errors.As(err, &known) {
		return err
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return research.Errorf(research.EUnavailable, "store.corrupt",
			"The database file is damaged or is not a database. Move it away and restore a backup, or start with an empty data folder.").Wrap(err)
	case sqlite3.SQLITE_FULL:
		return research.Errorf(research.EUnavailable, "store.full",
			"The disk is full, so nothing could be stored. Free some space and try again.").Wrap(err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN:
		return unwritable(err)
	case sqlite3.SQLITE_BUSY:
		return research.Errorf(research.EUnavailable, "store.busy",
			"Another process kept the database locked for too long. Try again, or stop the other process.").Wrap(err)
	}
	return err
}

func unwritable(err error) error {
	return research.Errorf(research.EUnavailable, "store.unwritable",
		"The data folder cannot be written. Choose another one with --data, or give this user the right to write there.").Wrap(err)
}

func isDuplicate(err error) bool { return errors.Is(err, gorm.ErrDuplicatedKey) }

func isMissing(err error) bool { return errors.Is(err, gorm.ErrRecordNotFound) }
