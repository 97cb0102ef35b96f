package methods

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/codehash"
)

// TestSourceIsWhole: every file below this folder that a compiler may see is embedded.
func TestSourceIsWhole(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "testdata" {
			return filepath.SkipDir
		}
		kind := filepath.Ext(name)
		if d.IsDir() || !strings.Contains(name, string(filepath.Separator)) || kind != ".go" && kind != ".c" &&
			kind != ".h" && kind != ".s" {
			return nil
		}
		seen++
		want, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if have, err := files.ReadFile(filepath.ToSlash(name)); err != nil || string(have) != string(want) {
			t.Errorf("%s is not embedded: %v", name, err)
		}
		return nil
	})
	if err != nil || seen < 100 {
		t.Errorf("%d files, %v", seen, err)
	}
}

// TestCodeOfMethods: each method's code is known from its source alone, whatever the program, and
// methods of different packages differ in it.
func TestCodeOfMethods(t *testing.T) {
	all := All()
	packages := map[string]string{}
	for _, s := range all.All() {
		code := must.Get(all.Code(s.Name))(t)
		if other, seen := packages[code]; seen && other != s.Package() {
			t.Errorf("%s and %s have the same code", s.Package(), other)
		}
		packages[code] = s.Package()
		if !strings.HasPrefix(s.Package(), "github.com/kernelboosting/bench/methods/") {
			t.Errorf("%s is of package %s", s.Name, s.Package())
		}
	}
	if len(packages) < 7 {
		t.Errorf("%d packages", len(packages))
	}
	known := func(pkg string) (string, bool) {
		if strings.HasPrefix(pkg, "github.com/kernelboosting/") &&
			!strings.HasPrefix(pkg, "github.com/kernelboosting/bench/registry") {
			t.Errorf("the source of %s is not embedded, and it is not ignored", pkg)
		}
		return "", true
	}
	h := codehash.Hasher{Trees: []codehash.Tree{{Path: "github.com/kernelboosting/bench/methods", Files: files}},
		Module: known}
	for _, pkg := range packages {
		if _, err := h.Package(pkg); err != nil {
			t.Error(err)
		}
	}
}
