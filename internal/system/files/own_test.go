package files

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"pgregory.net/rapid"
)

// TestOwnReplacesNothingOfOthers draws what a user and the program do with two files, one of them behind a link.
// The oracle knows who wrote each last: what the user wrote is there after every step, until --force.
func TestOwnReplacesNothingOfOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir := must.Get(os.MkdirTemp("", "own"))(t)
		defer os.RemoveAll(dir)
		own := Own{Folder: filepath.Join(dir, "cache", "written")}
		names := []string{filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv"), filepath.Join(dir, "link.csv")}
		must.Do(t, os.Symlink("a.csv", names[2]))
		target := map[string]string{names[0]: names[0], names[1]: names[1], names[2]: names[0]}
		ours, content := map[string]string{}, map[string]string{}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			path := rapid.SampledFrom(names).Draw(t, "path")
			at := target[path]
			if _, there := content[at]; !there {
				path = at // a link to nowhere would become a file
			}
			what := rapid.SampledFrom([]string{"", "one", "two", "three"}).Draw(t, "text")
			switch rapid.SampledFrom([]string{"write", "write", "force", "edit", "remove"}).Draw(t, "step") {
			case "edit":
				must.Do(t, os.WriteFile(at, []byte(what), 0o600))
				content[at] = what
			case "remove":
				os.Remove(at)
				delete(content, at)
			case "force":
				must.Do(t, Own{Folder: own.Folder, Force: true}.Write(path, text(what)))
				content[at], ours[at] = what, what
			case "write":
				have, there := content[at]
				mine, written := ours[at]
				err := own.Write(path, text(what))
				if kept := (*KeptError)(nil); there && have != "" && !(written && have == mine) {
					if !errors.As(err, &kept) {
						t.Fatalf("%s held %q, and writing it gives %v", path, have, err)
					}
					break
				}
				must.Do(t, err)
				content[at], ours[at] = what, what
			}
			for at, want := range content {
				must.Be(t, string(must.Get(os.ReadFile(at))(t)), want)
			}
		}
	})
}

// Where no hash can be kept, a file is written, and not replaced.
func TestOwnWithoutAFolder(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, "file")
	must.Do(t, os.WriteFile(blocked, nil, 0o600))
	own, path := Own{Folder: filepath.Join(blocked, "written")}, filepath.Join(dir, "a.csv")
	must.Do(t, own.Write(path, text("one")))
	must.Say(t, own.Write(path, text("two")), "what this program wrote is not known")
	must.Be(t, string(must.Get(os.ReadFile(path))(t)), "one")
	must.Do(t, Own{Folder: own.Folder, Force: true}.Write(path, text("two")))
	own.Force, own.Never = true, func(at string) bool { return at == path }
	must.Say(t, own.Write(path, text("three")), "a.csv is a database or its log, which is not replaced")
	must.Be(t, string(must.Get(os.ReadFile(path))(t)), "two")
}
