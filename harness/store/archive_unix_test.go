//go:build unix

package store

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
)

// asNobody runs one test of this package in a process without privileges.
func asNobody(t *testing.T, name string) {
	t.Helper()
	home := must.Get(os.MkdirTemp("", "archive"))(t) // t.TempDir lies below a directory closed to others
	defer os.RemoveAll(home)
	self := must.Get(os.ReadFile(os.Args[0]))(t)
	program := filepath.Join(home, "store.test")
	must.Do(t, os.WriteFile(program, self, 0o755))
	must.Do(t, os.Chmod(home, 0o777))
	c := exec.Command(program, "-test.run", "^"+name+"$", "-test.v")
	c.Dir, c.Env = home, append(os.Environ(), "TMPDIR="+home)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestLinkInAClosedFolder: a reader through a link sees the rows of the log, which lies
// beside the file and not beside the link.
func TestLinkInAClosedFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		asNobody(t, "TestLinkInAClosedFolder")
		return
	}
	db, path := fresh(t)
	put(t, db, testRun("k1", result.OK))
	must.Get(db.sql.Exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0"))(t)
	second := testRun("k2", result.OK)
	second.Split = 2
	put(t, db, second) // in the log only
	closed := t.TempDir()
	link := filepath.Join(closed, "link.db")
	must.Do(t, os.Symlink(path, link))
	must.Do(t, os.Chmod(closed, 0o555))
	defer func() { _ = os.Chmod(closed, 0o755) }()
	holds(t, link, 2)
	// The file's own folder closed too, and no program has it open: nobody can merge the log.
	copied := filepath.Join(t.TempDir(), "copy.db")
	for _, suffix := range []string{"", "-wal"} {
		raw := must.Get(os.ReadFile(path + suffix))(t)
		must.Do(t, os.WriteFile(copied+suffix, raw, 0o444))
	}
	must.Do(t, os.Chmod(filepath.Dir(copied), 0o555))
	defer func() { _ = os.Chmod(filepath.Dir(copied), 0o755) }()
	must.Say(t, must.Err(OpenReader(context.Background(), copied)), "-wal")
}
