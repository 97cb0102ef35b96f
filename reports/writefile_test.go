package reports_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/reports"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "table.txt")
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	check := func(want string, mode os.FileMode) {
		t.Helper()
		got, err := os.ReadFile(path)
		info, statErr := os.Stat(path)
		if err != nil || statErr != nil || string(got) != want || info.Mode().Perm() != mode {
			t.Errorf("file holds %q with mode %v, want %q with %v; errors %v, %v", got, info.Mode(), want, mode, err, statErr)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 1 {
			t.Errorf("the directory holds %v, want one file", entries)
		}
	}
	if err := reports.WriteFile(path, text("one")); err != nil {
		t.Fatal(err)
	}
	check("one", 0o644)
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := reports.WriteFile(path, text("two")); err != nil {
		t.Fatal(err)
	}
	check("two", 0o600)

	broken := errors.New("broken")
	err := reports.WriteFile(path, func(w io.Writer) error {
		io.WriteString(w, "half")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	check("two", 0o600)
}

func TestWriteFileBadPlaces(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "absent", "x"), dir} {
		if err := reports.WriteFile(path, func(io.Writer) error { return nil }); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
}

// A link stays a link, and the file it names is replaced.
func TestWriteFileFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if err := reports.WriteFile(link, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(target); string(got) != "new" {
		t.Errorf("target holds %q, want new", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is now %v, error %v", info.Mode(), err)
	}
}
