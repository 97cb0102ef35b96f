package sandbox

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestEmpty: a folder deeper than paths are long and than this program may open files is emptied, with what may not be
// entered, and what a link leads to stays.
func TestEmpty(t *testing.T) {
	var before syscall.Rlimit
	must.Do(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before))
	outside, dir := t.TempDir(), t.TempDir()
	write(t, outside+"/kept", "kept")
	must.Do(t, os.Symlink(outside, dir+"/link"))
	write(t, dir+"/closed/in/file", "")
	must.Do(t, os.Chmod(dir+"/closed/in", 0))
	t.Chdir(dir)
	for range 3000 {
		must.Do(t, os.Mkdir("deeper", 0o700))
		must.Do(t, syscall.Chdir("deeper"))
	}
	write(t, "file", "")
	must.Do(t, os.Chdir(dir))
	few := before
	few.Cur = 256
	must.Do(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few))
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)
	Remove(dir)
	must.Say(t, must.Err(os.Lstat(dir)), "no such file")
	must.Get(os.Stat(filepath.Join(outside, "kept")))(t)
}
