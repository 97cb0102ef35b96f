package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// check demands a file's content and mode, and that it is alone.
func check(t *testing.T, path, want string, mode os.FileMode) {
	t.Helper()
	got, err := os.ReadFile(path)
	info, statErr := os.Stat(path)
	if err != nil || statErr != nil || string(got) != want || info.Mode().Perm() != mode {
		t.Errorf("file holds %q with mode %v, want %q with %v; errors %v, %v", got, info.Mode(), want, mode, err,
			statErr)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("the directory holds %v, want one file", entries)
	}
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.txt")
	must.Do(t, Write(path, text("one")))
	for _, mode := range []os.FileMode{0o600, 0o666, 0o400} {
		must.Do(t, os.Chmod(path, mode))
		must.Do(t, Write(path, text("two")))
		check(t, path, "two", mode)
	}
	broken := errors.New("broken")
	err := Write(path, func(w io.Writer) error {
		io.WriteString(w, "half")
		return broken
	})
	must.Is(t, err, broken)
	check(t, path, "two", 0o400)
}

func TestBadPlaces(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "absent", "x"), dir} {
		must.Say(t, Write(path, text("x")), "write "+path)
	}
}

// A link stays a link, and the file it names is replaced.
func TestWriteFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	must.Do(t, os.WriteFile(target, []byte("old"), 0o644))
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	must.Do(t, Write(link, text("new")))
	if got, _ := os.ReadFile(target); string(got) != "new" {
		t.Errorf("target holds %q, want new", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is now %v, error %v", info.Mode(), err)
	}
}

// The directory is brought to disk after the file has its name in it.
func TestDirectoryIsSynced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	real := syncDir
	defer func() { syncDir = real }()
	var synced []string
	syncDir = func(dir string) error {
		if _, err := os.Stat(path); err == nil {
			synced = append(synced, dir)
		}
		return real(dir)
	}
	if err := Write(path, text("x")); err != nil || !slices.Equal(synced, []string{dir}) {
		t.Errorf("synced %v after the rename, want %s; error %v", synced, dir, err)
	}
	broken := errors.New("broken")
	syncDir = func(string) error { return broken }
	must.Is(t, Write(path, text("y")), broken)
	must.Do(t, real(filepath.Join(dir, "absent")))
}
