package store

import (
	"bytes"
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

func TestMigrationsMatch(t *testing.T) {
	t.Parallel()
	names := func(dir string) (out []string) {
		entries, err := fs.ReadDir(migrations, "migrations/"+dir)
		must(t, err)
		for _, e := range entries {
			out = append(out, e.Name())
		}
		return out
	}
	same(t, names("postgres"), names("sqlite"))
}

func TestMigrateTwiceAndTooNew(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		v, err := b.s.Version(ctx)
		must(t, err)
		if v.Current != v.Latest || v.Latest < 1 {
			t.Fatalf("version %+v", v)
		}
		must(t, b.s.Migrate(ctx))
		id := b.create(t)
		must(t, b.s.db.Exec("INSERT INTO "+versionTable+" (version_id, is_applied) VALUES (999, true)").Error)
		_, err = Open(ctx, b.c)
		wantError(t, err, "store.newer", "999", "newer ProgRouter")
		if _, err := b.s.Run(ctx, id); err != nil {
			t.Errorf("the refused open changed the data: %v", err)
		}
	})
}

func TestOpenWithoutMigrating(t *testing.T) {
	t.Parallel()
	c := Config{DataDir: t.TempDir(), SkipMigrations: true}
	s := open(t, c).s
	v, err := s.Version(t.Context())
	must(t, err)
	if v.Current != 0 || v.Latest < 1 {
		t.Errorf("an empty database has version %+v", v)
	}
	must(t, s.Migrate(t.Context()))
	if v, err = s.Version(t.Context()); err != nil || v.Current != v.Latest {
		t.Errorf("after migrating: %+v, %v", v, err)
	}
}

func TestRefusedFolders(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	foreign := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(foreign, FileName))
	must(t, err)
	_, err = db.ExecContext(t.Context(), "CREATE TABLE mine (x)")
	must(t, err)
	must(t, db.Close())

	for name, c := range map[string]struct {
		dir, key, says string
	}{
		"no folder":          {"", "store.no_folder", "--data"},
		"a file":             {file, "store.unwritable_folder", "--data"},
		"inside a file":      {filepath.Join(file, "data"), "store.unwritable_folder", "not a directory"},
		"garbage":            {corrupt(t, func([]byte) []byte { return bytes.Repeat([]byte("no database "), 1000) }), "store.corrupt_file", "backup"},
		"half a file":        {corrupt(t, func(b []byte) []byte { return b[:len(b)/2] }), "store.corrupt_file", "damaged"},
		"overwritten schema": {corrupt(t, func(b []byte) []byte { return append(b[:100], bytes.Repeat([]byte{0xff}, len(b)-100)...) }), "store.corrupt_file", "damaged"},
		"another program's":  {foreign, "store.foreign", "another program"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Open(t.Context(), Config{DataDir: c.dir})
			wantError(t, err, c.key, c.says)
		})
	}
}

func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o500))
	_, err := Open(t.Context(), Config{DataDir: dir})
	wantError(t, err, "store.unwritable_folder", "permission denied")
}

func TestRefusedURLs(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), Config{DatabaseURL: "postgres://u:secret@[::1"})
	wantError(t, err, "store.bad_url", "postgres://")
	_, err = Open(t.Context(), Config{DatabaseURL: "postgres://u:secret@127.0.0.1:1/x"})
	wantError(t, err, "store.connect", "127.0.0.1:1")
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the password is shown: %v", err)
	}
}

// A folder's name must not be taken for a part of the database's address.
func TestOddFolderNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"with space", "q?mode=memory", "hash#1", "per%20cent", "한국어", "a&b"} {
		dir := filepath.Join(t.TempDir(), name)
		b := open(t, Config{DataDir: dir})
		b.create(t)
		if _, err := os.Stat(filepath.Join(dir, FileName)); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// corrupt makes a good database and spoils its file.
func corrupt(t *testing.T, spoil func([]byte) []byte) string {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(t.Context(), Config{DataDir: dir})
	must(t, err)
	must(t, s.Close())
	path := filepath.Join(dir, FileName)
	b, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, spoil(b), 0o600))
	return dir
}

func wantError(t *testing.T, err error, key string, says ...string) {
	t.Helper()
	e, ok := err.(*research.Error) //nolint:errorlint // it must be the outermost, or the cure is not shown
	if !ok || e.Key != key {
		t.Fatalf("got %#v, want an error with key %s", err, key)
	}
	for _, s := range says {
		if !strings.Contains(e.Message, s) {
			t.Errorf("%q does not say %q", e.Message, s)
		}
	}
}
