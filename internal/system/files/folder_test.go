package files

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// site writes files, each with its name as content, and then returns an error.
func site(err error, names ...string) func(func(string, func(io.Writer) error) error) error {
	return func(add func(string, func(io.Writer) error) error) error {
		for _, name := range names {
			if err := add(name, func(w io.Writer) error { _, err := io.WriteString(w, name); return err }); err != nil {
				return err
			}
		}
		return err
	}
}

// below lists the files below a folder and all else in its parent.
func below(t *testing.T, folder string) []string {
	t.Helper()
	var out []string
	must.Do(t, filepath.WalkDir(filepath.Dir(folder), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(filepath.Dir(folder), path)
			out = append(out, filepath.ToSlash(name))
		}
		return err
	}))
	return out
}

func TestFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "site")
	want := func(names ...string) {
		t.Helper()
		must.Be(t, below(t, folder), names)
	}
	must.Do(t, Folder(folder, "list.txt", false, site(nil, "index.html", "sets/wine.html")))
	want("site/index.html", "site/list.txt", "site/sets/wine.html")

	// What other programs make of the files goes with the folder, and is no reason to refuse.
	must.Do(t, os.WriteFile(filepath.Join(folder, "index.pdf"), []byte("made"), 0o600))
	var made *ForeignError
	if err := Folder(folder, "list.txt", false, site(nil, "index.html")); !errors.As(err, &made) ||
		made.File != "index.pdf" {
		t.Errorf("error %v, want a ForeignError of index.pdf", err)
	}
	must.Do(t, Folder(folder, "list.txt", false, site(nil, "index.html", "sets/wine.html"), "index.pdf"))
	want("site/index.html", "site/list.txt", "site/sets/wine.html")

	// A former one is replaced, with what it no longer holds.
	must.Do(t, Folder(folder+"/", "list.txt", false, site(nil, "index.html", "methods/a.html")))
	want("site/index.html", "site/list.txt", "site/methods/a.html")
	must.Be(t, string(must.Get(os.ReadFile(filepath.Join(folder, "methods", "a.html")))(t)), "methods/a.html")

	// What was edited stays, until it is forced; the list is one that sha256sum checks.
	edited := filepath.Join(folder, "index.html")
	must.Do(t, os.WriteFile(edited, []byte("mine"), 0o600))
	if err := Folder(folder, "list.txt", false, site(nil, "index.html")); !errors.As(err, &made) || !made.Edited ||
		made.File != "index.html" {
		t.Errorf("error %v, want a ForeignError of the edited index.html", err)
	}
	must.Be(t, string(must.Get(os.ReadFile(edited))(t)), "mine")
	must.Do(t, Folder(folder, "list.txt", true, site(nil, "index.html", "methods/a.html")))
	must.Be(t, string(must.Get(os.ReadFile(filepath.Join(folder, "list.txt")))(t)),
		fmt.Sprintf("%x  index.html\n%x  methods/a.html\n",
			sha256.Sum256([]byte("index.html")), sha256.Sum256([]byte("methods/a.html"))))

	// An error leaves the former one and nothing else.
	broken := errors.New("broken")
	must.Is(t, Folder(folder, "list.txt", false, site(broken, "index.html", "other.html")), broken)
	want("site/index.html", "site/list.txt", "site/methods/a.html")

	// Somebody else's file is not removed.
	must.Do(t, os.WriteFile(filepath.Join(folder, "methods", "mine.txt"), []byte("mine"), 0o666))
	var foreign *ForeignError
	if err := Folder(folder, "list.txt", false, site(nil, "index.html")); !errors.As(err, &foreign) ||
		foreign.File != "methods/mine.txt" {
		t.Errorf("error %v", err)
	}
	must.Say(t, Folder(folder, "list.txt", true, site(nil, "index.html")),
		"methods/mine.txt, which this program did not write")
	want("site/index.html", "site/list.txt", "site/methods/a.html", "site/methods/mine.txt")
}

// A folder without the list is somebody else's, whatever its files are called.
func TestFolderOfProductsAlone(t *testing.T) {
	folder := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(folder, "main.pdf"), []byte("mine"), 0o600))
	var foreign *ForeignError
	if err := Folder(folder, "list.txt", false, site(nil, "main.tex"), "main.pdf"); !errors.As(err, &foreign) {
		t.Errorf("error %v, want a ForeignError", err)
	}
}

func TestFolderRefuses(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "file")
	must.Do(t, os.WriteFile(file, []byte("mine"), 0o666))
	for path, want := range map[string]string{
		file:                             "is a file; name a folder",
		filepath.Join(root, "a", "site"): "the directory above must exist",
		root:                             "holds file, which this program did not write",
	} {
		must.Say(t, Folder(path, "list.txt", false, site(nil, "index.html")), want)
	}
	for _, name := range []string{"../out.html", "/out.html", "list.txt"} {
		must.Say(t, Folder(filepath.Join(root, "site"), "list.txt", false, site(nil, name)),
			fmt.Sprintf("%q is no name", name))
	}
	if got := below(t, file); !slices.Equal(got, []string{filepath.Base(root) + "/file"}) &&
		!slices.Equal(got, []string{"file"}) {
		t.Errorf("there are %q", got)
	}
	// An empty folder is taken, with its permissions.
	empty := filepath.Join(root, "empty")
	must.Do(t, os.Mkdir(empty, 0o750))
	must.Do(t, os.Chmod(empty, 0o750)) // whatever the mask of new files is
	must.Do(t, Folder(empty, "list.txt", false, site(nil, "index.html")))
	must.Be(t, must.Get(os.Stat(empty))(t).Mode().Perm(), 0o750)
}
