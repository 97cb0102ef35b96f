package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"golang.org/x/sys/unix"
)

// TestLocksStay: a process that opens its database a second time, or asks what kind of file it is, keeps SQLite's lock
// on it. Without that lock, sqlite3 that reads the database during a run takes itself for the last program which uses
// it, and removes the log, with the results that the run writes to it afterwards.
func TestLocksStay(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "r.db"), filepath.Join(dir, "link.db")
	must.Do(t, os.Symlink(path, link))
	must.Do(t, open(t, path).Close())
	// It is closed at the end, since closing it would take the locks, too.
	looking := must.Get(os.Open(path))(t)
	defer looking.Close()
	locked := func() bool {
		// The bytes that a reader of SQLite locks (PENDING_BYTE + 2 and what follows, in its os.h).
		lock := unix.Flock_t{Type: unix.F_WRLCK, Start: 0x40000000 + 2, Len: 510}
		must.Do(t, unix.FcntlFlock(looking.Fd(), unix.F_OFD_GETLK, &lock))
		return lock.Type != unix.F_UNLCK
	}
	if locked() {
		t.Fatal("a closed database is locked")
	}
	db := open(t, path)
	put(t, db, testRun("k1", result.OK))
	for _, name := range []string{path, link} {
		must.Do(t, must.Get(OpenReader(t.Context(), name))(t).Close())
		must.Be(t, IsDatabase(name), true, name)
		must.Be(t, locked(), true, "after", name)
	}
	must.Do(t, db.Close())
	must.Get(headOf(path))(t)
}
