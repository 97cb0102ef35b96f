package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// writers are the ways to write beside other files, each to a name of its own.
var writers = map[string]func(dir string) error{
	"Write": func(dir string) error { return Write(filepath.Join(dir, "new"), text("whole")) },
	"Folder": func(dir string) error {
		return Folder(filepath.Join(dir, "new"), "list.txt", false, site(nil, "index.html"))
	},
	"Scratch": func(dir string) error {
		_, release, err := Scratch(dir, "new")
		if err == nil {
			release()
			err = os.WriteFile(filepath.Join(dir, "new"), nil, 0o600)
		}
		return err
	},
}

// What killed processes left goes when anything is written beside it; whatever else lies there does not, however alike
// its name.
func TestWhatKilledProcessesLeftIsRemoved(t *testing.T) {
	old := time.Now().Add(-2 * time.Hour)
	for name, write := range writers {
		dir := t.TempDir()
		stay := []string{".r.html.bak", ".r.html.20240101", ".r.html.12.partial", ".r.html.x.bench-partial",
			".r.html.bench-partial", "r.html.12.bench-partial", ".-1.bench-partial"}
		for _, file := range append(slices.Clone(stay), ".r.html.12.bench-partial", ".results.db.34.bench-partial") {
			path := filepath.Join(dir, file)
			must.Do(t, errors.Join(os.WriteFile(path, []byte("half"), 0o600), os.Chtimes(path, old, old)))
		}
		for _, folder := range []string{".results.db.56.bench-partial", ".site.78.bench-partial",
			".new.90.bench-former"} {
			path := filepath.Join(dir, folder)
			must.Do(t, errors.Join(os.Mkdir(path, 0o700), os.WriteFile(filepath.Join(path, "list.txt"),
				[]byte("list.txt\n"), 0o600), os.Chtimes(path, old, old)))
		}
		if name != "Folder" { // where it is replaced again
			must.Do(t, os.WriteFile(filepath.Join(dir, "new"), nil, 0o600))
		}
		must.Do(t, write(dir))
		want := append(stay, "new")
		slices.Sort(want)
		must.Be(t, names(t, dir), want, name)
	}
}

// What a process holds stays, whoever writes beside it and however old it is.
func TestWhatIsBeingWrittenStays(t *testing.T) {
	if l, _ := hold(t.TempDir()); l.file == nil {
		t.Skip("no locks here")
	} else {
		l.release()
	}
	dir := t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	beside := func() {
		for _, name := range names(t, dir) {
			_ = os.Chtimes(filepath.Join(dir, name), old, old)
		}
		for name, write := range writers {
			if err := errors.Join(write(dir), os.RemoveAll(filepath.Join(dir, "new"))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	scratch, release := must.Get2(Scratch(dir, "results.db"))(t)
	must.Do(t, os.WriteFile(filepath.Join(scratch, "copy.db"), nil, 0o600))
	must.Do(t, Write(filepath.Join(dir, "table"), func(w io.Writer) error {
		beside()
		return Folder(filepath.Join(dir, "site"), "list.txt", false, func(add func(string,
			func(io.Writer) error) error) error {
			err := add("index.html", text("whole"))
			beside()
			return err
		})
	}))
	must.Get(os.Stat(filepath.Join(scratch, "copy.db")))(t)
	release()
	must.Be(t, names(t, dir), []string{"site", "table"})
}

// The longest name that a file system takes can be written.
func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	name := strings.Repeat("n", 255)
	must.Do(t, Write(filepath.Join(dir, name), text("whole")))
	if err := Write(filepath.Join(dir, name+"n"), text("whole")); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("a longer one: %v", err)
	}
	must.Be(t, names(t, dir), []string{name})
}

// A process that was killed between the two names of a folder leaves it without one: the next gives it back.
func TestAFolderGetsItsNameBack(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "site")
	must.Do(t, Folder(path, "list.txt", false, site(nil, "index.html")))
	left := filepath.Join(dir, ".site.7.bench-former")
	old := time.Now().Add(-2 * time.Hour)
	must.Do(t, errors.Join(os.Rename(path, left), os.Chtimes(left, old, old)))
	broken := errors.New("broken")
	if err := Folder(path, "list.txt", false, site(broken)); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	must.Get(os.Stat(filepath.Join(path, "index.html")))(t)
	lock, free := hold(path)
	defer lock.release()
	if lock.file == nil || !free {
		return
	}
	if err := Folder(path, "list.txt", false, site(nil, "index.html")); err == nil || errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder that another process is replacing: %v", err)
	}
}
