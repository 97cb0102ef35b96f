package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"golang.org/x/sys/unix"
)

// TestImmutable: a file, and a folder, that nobody may change, root included.
func TestImmutable(t *testing.T) {
	testenv.NotUnderRace(t)
	for _, what := range []string{"file", "folder"} {
		path := smallDatabase(t)
		target := path
		if what == "folder" {
			target = filepath.Dir(path)
		}
		f := must.Get(os.Open(target))(t)
		defer f.Close()
		const immutable = 0x10 // FS_IMMUTABLE_FL
		flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
		if err == nil {
			err = unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags|immutable)
		}
		if err != nil {
			t.Skipf("nothing can be made immutable here: %v", err)
		}
		refusesToWrite(t, path, "the "+what+" is not writable; give it the permission")
		must.Do(t, unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags))
	}
}

// TestAReadOnlyDisk holds an archive.
func TestAReadOnlyDisk(t *testing.T) {
	disk := testenv.SmallDisk(t, "2m")
	path := filepath.Join(disk.Dir, "r.db")
	copyTo(t, smallDatabase(t), path)
	if err := syscall.Mount("", disk.Dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("a disk cannot be made read-only here: %v", err)
	}
	refusesToWrite(t, path, "the file is not writable")
}

// TestReadingOnAFullDisk: reports and questions need no space on the database's disk, which is full when they are
// wanted most. What a killed program left in the log cannot be read there, and that is said.
func TestReadingOnAFullDisk(t *testing.T) {
	disk := testenv.SmallDisk(t, "2m")
	path := filepath.Join(disk.Dir, "r.db")
	copyTo(t, smallDatabase(t), path)
	free := disk.Fill(t)
	db := must.Get(OpenReader(context.Background(), path))(t)
	defer db.Close()
	if _, rows := query(t, db, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) "+
		"SELECT max(x) FROM (SELECT zeroblob(100) || i AS x FROM n ORDER BY 1 DESC)"); len(rows) == 0 {
		t.Error("no rows")
	}
	sound(t, db)
	must.Get(printed(path))(t)
	free()

	whole := smallDatabase(t)
	writer := open(t, whole)
	put(t, writer, testRun("k in the log", result.OK))
	copyTo(t, whole, path)
	copyTo(t, whole+"-wal", path+"-wal")
	if err := os.Remove(path + "-shm"); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	defer disk.Fill(t)()
	if db, err := OpenReader(context.Background(), path); err == nil ||
		!strings.Contains(err.Error(), "copy both files elsewhere") {
		if err == nil {
			_ = db.Close()
		}
		t.Errorf("a log on a full disk: %v", err)
	}
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	raw, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, raw, 0o644)
	}
	must.Do(t, err)
}
