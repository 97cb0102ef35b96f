package testenv

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// A Disk is a file system of its own that is soon full.
type Disk struct{ Dir string }

// SmallDisk returns a disk of so many bytes, or skips t where none may be mounted.
func SmallDisk(t testing.TB, bytes string) Disk {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+bytes); err != nil {
		t.Skipf("no disk can be mounted here: %v", err)
	}
	t.Cleanup(func() { must.Do(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return Disk{dir}
}

// Fill takes all the space that is left, and returns what gives it back.
func (d Disk) Fill(t testing.TB) (free func()) {
	t.Helper()
	name := filepath.Join(d.Dir, "ballast")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for page := make([]byte, 4096); err == nil; {
		_, err = f.Write(page)
	}
	return func() { must.Do(t, os.Remove(name)) }
}
