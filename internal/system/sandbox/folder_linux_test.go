package sandbox

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestEmpty: a folder deeper than paths are long and than this program may open files is emptied, with what may not be entered, and
// what a link leads to stays.
func TestEmpty(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	outside, dir := t.TempDir(), t.TempDir()
	write(t, outside+"/kept", "kept")
	if err := os.Symlink(outside, dir+"/link"); err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/closed/in/file", "")
	if err := os.Chmod(dir+"/closed/in", 0); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for range 3000 {
		if err := os.Mkdir("deeper", 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Chdir("deeper"); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "file", "")
	if err := os.Chdir(dir); err != nil {
		t.Fatal(err)
	}
	few := before
	few.Cur = 256
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)
	Remove(dir)
	if _, err := os.Lstat(dir); err == nil {
		t.Error("the folder is still there")
	}
	if _, err := os.Stat(filepath.Join(outside, "kept")); err != nil {
		t.Error(err)
	}
}
