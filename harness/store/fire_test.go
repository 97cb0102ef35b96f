package store

import (
	"context"
	"fmt"
	"io/fs"
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

// TestBackupOnAFullDisk says so, leaves the backup from before, and nothing beside it.
func TestBackupOnAFullDisk(t *testing.T) {
	testenv.NotUnderRace(t)
	disk := testenv.SmallDisk(t, "1m")
	path, to := smallDatabase(t), filepath.Join(disk.Dir, "copy.db")
	db := open(t, path)
	must.Do(t, db.Backup(context.Background(), to, files.Write))
	before := dump(t, to)
	free := disk.Fill(t)
	put(t, db, testRun("k later", result.OK))
	if err := db.Backup(context.Background(), to, files.Write); err == nil || !strings.Contains(err.Error(),
		"full") && !strings.Contains(err.Error(), "no space") {
		t.Errorf("on a full disk: %v", err)
	}
	free()
	must.Be(t, dump(t, to) == before, true, "the backup from before changed")
	entries, err := os.ReadDir(disk.Dir)
	left := slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), "copy.db") })
	if err != nil || len(left) > 0 {
		t.Errorf("beside the backup lies %v, %v", left, err)
	}
	must.Do(t, db.Backup(context.Background(), to, files.Write))
	must.Be(t, dump(t, to), dump(t, path))
}

// TestTruncatedFiles are never read as if they were whole: a database that was cut anywhere is refused
// or said to be damaged, by who reads and by who writes.
func TestTruncatedFiles(t *testing.T) {
	testenv.NotUnderRace(t)
	path := smallDatabase(t)
	whole := must.Get(os.ReadFile(path))(t)
	want := must.Get(printed(path))(t)
	step := len(whole) / 60
	for at := 1; at < len(whole); at += step {
		cutAt := filepath.Join(t.TempDir(), "r.db")
		must.Do(t, os.WriteFile(cutAt, whole[:at], 0o644))
		got, err := printed(cutAt)
		if err == nil && got != want {
			t.Errorf("cut at byte %d of %d: other numbers are printed and nothing is said", at, len(whole))
		}
		if err == nil {
			t.Errorf("cut at byte %d of %d: nothing is said", at, len(whole))
		}
		if _, err := OpenReader(context.Background(), cutAt); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("cut at byte %d: more than one line: %v", at, err)
		}
	}
}

// TestAClockThatJumps changes nothing about which attempt of a cell is current: the one that was planned last is,
// whatever the clock said.
func TestAClockThatJumps(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	for i, at := range []string{"2026-01-01T00:00:00Z", "2038-01-19T03:14:08Z", "1970-01-01T00:00:00Z",
		"9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"} {
		r := testRun(fmt.Sprint("k", i), result.OK)
		r.MethodVersion, r.StartedAt = fmt.Sprint(i), at
		put(t, db, r)
		must.Be[any](t, only(t, db, `SELECT method_version FROM results`), r.MethodVersion)
	}
	sound(t, db)
}
