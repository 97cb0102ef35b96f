package testenv

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// A Disk is a small file system that a test can fill.
type Disk struct{ Dir string }

// SmallDisk mounts a disk of a size like 4m, which is 4 MiB. It skips t if the user may not mount one.
func SmallDisk(t testing.TB, size string) Disk {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("no disk can be mounted here: %v", err)
	}
	t.Cleanup(func() { must.Do(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return Disk{dir}
}

// Fill fills the disk, and returns the function that frees this space.
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
