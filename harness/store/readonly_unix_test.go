//go:build unix

package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		what, mode := forbid(path)
		if err := os.Chmod(what, mode); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.Chmod(what, 0o755) }()
		_, err = Open(context.Background(), path)
		if err == nil || !strings.Contains(err.Error(), "writable") || strings.Contains(err.Error(), "\n") {
			t.Errorf("read-only %s: %v", name, err)
		}
		if _, err := printed(path); err != nil {
			t.Errorf("read-only %s: reading: %v", name, err)
		}
		db, err := OpenReader(context.Background(), path)
		if err != nil {
			t.Errorf("read-only %s: %v", name, err)
			continue
		}
		if err := db.Backup(context.Background(), filepath.Join(t.TempDir(), "copy.db")); err != nil {
			t.Errorf("read-only %s: a copy of it: %v", name, err)
		}
		_ = db.Close()
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("read-only %s: the database changed, %v", name, err)
		}
	}
}
