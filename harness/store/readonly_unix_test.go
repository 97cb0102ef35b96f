//go:build unix

package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/test/must"
)

// refusesToWrite demands that a database is not opened to be written, in one line that says why, and that it can be
// read.
func refusesToWrite(t *testing.T, path, says string) {
	t.Helper()
	if db, err := Open(context.Background(), path); err == nil || !strings.Contains(err.Error(), says) ||
		strings.Contains(err.Error(), "\n") {
		if err == nil {
			_ = db.Close()
		}
		t.Errorf("writing: %v, want %q", err, says)
	}
	must.Get(printed(path))(t)
}

// TestWritingWhereNothingMayBeWritten: a file or a folder that may only be read is refused in one line
// that says what to do, and stays as it is; it can be read and copied.
func TestWritingWhereNothingMayBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		asNobody(t, "TestWritingWhereNothingMayBeWritten")
		return
	}
	for name, forbid := range map[string]func(path string) (string, os.FileMode){
		"file":   func(path string) (string, os.FileMode) { return path, 0o444 },
		"folder": func(path string) (string, os.FileMode) { return filepath.Dir(path), 0o555 },
	} {
		path := smallDatabase(t)
		before := must.Get(os.ReadFile(path))(t)
		what, mode := forbid(path)
		must.Do(t, os.Chmod(what, mode))
		defer func() { _ = os.Chmod(what, 0o755) }()
		refusesToWrite(t, path, "writable")
		db, err := OpenReader(context.Background(), path)
		if err != nil {
			t.Errorf("read-only %s: %v", name, err)
			continue
		}
		if err := db.Backup(context.Background(), filepath.Join(t.TempDir(), "copy.db"), files.Write); err != nil {
			t.Errorf("read-only %s: a copy of it: %v", name, err)
		}
		_ = db.Close()
		must.Be(t, string(must.Get(os.ReadFile(path))(t)) == string(before), true, name)
	}
}
