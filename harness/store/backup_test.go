package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// dump is every row of every table, in an order of their own, with row numbers.
func dump(t *testing.T, path string) string {
	t.Helper()
	db := must.Get(OpenReader(context.Background(), path))(t)
	defer db.Close()
	_, tables := query(t, db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('underway', `+
		`'underway_cells', 'sqlite_sequence') ORDER BY name`)
	var lines []string
	for _, table := range tables {
		_, rows := query(t, db, fmt.Sprintf("SELECT * FROM %s", table[0]))
		for _, r := range rows {
			lines = append(lines, fmt.Sprintf("%v %v", table[0], r))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestBackup is the whole database, also in the place of an older backup.
func TestBackup(t *testing.T) {
	testenv.NotUnderRace(t)
	path := smallDatabase(t)
	db := must.Get(OpenReader(context.Background(), path))(t)
	defer db.Close()
	to := filepath.Join(t.TempDir(), "copy.db")
	for range 2 {
		must.Do(t, db.Backup(context.Background(), to, files.Write))
		must.Be(t, dump(t, to) == dump(t, path), true, "the copy holds something else")
		put(t, open(t, path), testRun("k later", result.OK))
	}
	must.Be(t, len(must.Get(os.ReadDir(filepath.Dir(to)))(t)), 1)
	must.Be(t, stored(t, to), stored(t, path))
}

// TestBackupRefuses to write over the database itself, a file of another kind and a database in use.
func TestBackupRefuses(t *testing.T) {
	testenv.NotUnderRace(t)
	path := smallDatabase(t)
	db := open(t, path)
	text, used := filepath.Join(t.TempDir(), "text"), smallDatabase(t)
	must.Do(t, os.WriteFile(text, []byte("a letter to a friend"), 0o644))
	put(t, open(t, used), testRun("k in the log", result.OK))
	for to, says := range map[string]string{
		path: "the database itself", text: "is no results database and stays", used: "-wal is there",
		filepath.Join(t.TempDir(), "no", "such", "folder.db"): "must exist and be writable",
		t.TempDir(): "not a regular file",
	} {
		must.Say(t, db.Backup(context.Background(), to, files.Write), says)
	}
	if raw, _ := os.ReadFile(text); string(raw) != "a letter to a friend" {
		t.Error("a file was written over")
	}
}

// TestBackupOfADamagedDatabase is none: what was there stays.
func TestBackupOfADamagedDatabase(t *testing.T) {
	testenv.NotUnderRace(t)
	path, to := smallDatabase(t), filepath.Join(t.TempDir(), "copy.db")
	db := open(t, path)
	must.Do(t, db.Backup(context.Background(), to, files.Write))
	before := dump(t, to)
	must.Get(db.sql.Exec(`UPDATE runs SET n_correct = n_correct - 1, tp = tp - 1, fn = fn + 1 WHERE key = 'k001'`))(t)
	must.Say(t, db.Backup(context.Background(), to, files.Write), "CART on wine, split 1")
	must.Be(t, dump(t, to) == before, true, "a backup that failed changed the one before")
}
