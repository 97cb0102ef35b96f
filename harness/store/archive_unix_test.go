//go:build unix

package store

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestReadArchive: a database in a directory that cannot be written. Permissions do
// not bind the superuser, who runs the test again as nobody.
func TestReadArchive(t *testing.T) {
	if os.Geteuid() == 0 {
		asNobody(t, "TestReadArchive")
		return
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "r.db")
	db := open(t, path)
	put(t, db, testRun("k1", OK))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(dir, 0o755) }()
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err == nil {
		t.Fatal("the directory can be written: nothing would be tested")
	}
	archive, err := OpenReader(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if _, rows := query(t, archive, "SELECT count(*) FROM results"); rows[0][0] != int64(1) {
		t.Errorf("an archive shows %v", rows)
	}
}

// asNobody runs one test of this package in a process without privileges.
func asNobody(t *testing.T, name string) {
	t.Helper()
	home, err := os.MkdirTemp("", "archive") // t.TempDir lies below a directory closed to others
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(home)
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(home, "store.test")
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(home, 0o777); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "-test.run", "^"+name+"$", "-test.v")
	c.Dir, c.Env = home, append(os.Environ(), "TMPDIR="+home)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
