//go:build unix

package files

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// A new file gets what the umask leaves, from its first byte on.
func TestUmask(t *testing.T) {
	for mask, want := range map[int]os.FileMode{0o077: 0o600, 0o022: 0o644, 0o002: 0o664} {
		dir := t.TempDir()
		path := filepath.Join(dir, "x")
		before := syscall.Umask(mask)
		err := Write(path, func(w io.Writer) error {
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 1 || !strings.HasSuffix(entries[0].Name(), unfinished) {
				t.Errorf("while it is written the directory holds %v; error %v", entries, err)
			} else if info, err := entries[0].Info(); err != nil || info.Mode().Perm() != want {
				t.Errorf("umask %o: being written with mode %v, want %v; error %v", mask, info.Mode(), want, err)
			}
			return nil
		})
		syscall.Umask(before)
		must.Do(t, err)
		check(t, path, "", want)
	}
}
