package internal_test

import (
	"errors"
	"maps"
	"runtime/debug"
	"testing"
	"testing/fstest"

	"github.com/kernelboosting/bench/internal/codehash"

	"github.com/kernelboosting/bench/internal/test/must"
)

// sources is a small module: a imports b and an outside package, nothing imports c.
func sources() map[string]string {
	return map[string]string{
		"a/a.go":         "package a\n\nimport (\n\t\"fmt\"\n\t\"example.com/m/b\"\n\t\"gonum.org/v1/gonum/mat\"\n)\n",
		"a/a_test.go":    "package a\n\nimport \"example.com/m/c\"\n",
		"b/b.go":         "package b\n\nimport \"C\"\n",
		"b/b.c":          "int b;\n",
		"b/notes.txt":    "notes",
		"c/c.go":         "package c\n",
		"d/d.go":         "package d\n\nimport \"example.com/m/missing\"\n",
		"e/e.go":         "package e\n\nimport \"example.com/m/ignored\"\n",
		"broken/file.go": "no Go\n",
	}
}

func hasher(files map[string]string, change func(*codehash.Hasher)) *codehash.Hasher {
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	h := &codehash.Hasher{
		Trees:   []codehash.Tree{{Path: "example.com/m", Files: tree}},
		Ignored: []string{"example.com/m/ignored"},
		Module:  func(pkg string) (string, bool) { return "gonum@v1", pkg == "gonum.org/v1/gonum/mat" },
		Program: func() (string, error) { return "program 1", nil },
	}
	if change != nil {
		change(h)
	}
	return h
}

func hash(t *testing.T, h *codehash.Hasher, pkg string) string {
	t.Helper()
	sum, err := h.Package("example.com/m/" + pkg)
	if err != nil || len(sum) != 32 {
		t.Fatalf("%s: %q, %v", pkg, sum, err)
	}
	return sum
}

// TestWhatCounts changes one thing at a time.
func TestWhatCounts(t *testing.T) {
	for _, c := range []struct {
		pkg, what string
		file      string
		change    func(*codehash.Hasher)
		counts    bool
	}{
		{"a", "its own file", "a/a.go", nil, true},
		{"a", "a file of a package that it imports", "b/b.go", nil, true},
		{"a", "a C file of such a package", "b/b.c", nil, true},
		{"a", "a new file", "a/other_windows.go", nil, true},
		{"a", "its test", "a/a_test.go", nil, false},
		{"a", "what only its test imports", "c/c.go", nil, false},
		{"a", "a file that is no source", "b/notes.txt", nil, false},
		{"b", "a file of a package that imports it", "a/a.go", nil, false},
		{"a", "the version of another module", "", func(h *codehash.Hasher) {
			h.Module = func(string) (string, bool) { return "gonum@v2", true }
		}, true},
		{"a", "the program, where all sources are known", "", func(h *codehash.Hasher) {
			h.Program = func() (string, error) { return "program 2", nil }
		}, false},
		{"d", "the program, where a source is not known", "", func(h *codehash.Hasher) {
			h.Program = func() (string, error) { return "program 2", nil }
		}, true},
		{"unknown", "the program, of a package without source", "", func(h *codehash.Hasher) {
			h.Program = func() (string, error) { return "program 2", nil }
		}, true},
		{"e", "the program, of a package that imports an ignored one", "", func(h *codehash.Hasher) {
			h.Program = func() (string, error) { return "program 2", nil }
		}, false},
	} {
		before := hash(t, hasher(sources(), nil), c.pkg)
		files := sources()
		if c.file != "" {
			text, there := files[c.file]
			if !there {
				text = "package a\n"
			}
			files[c.file] = text + "// changed\n"
		}
		must.Be(t, hash(t, hasher(files, c.change), c.pkg) != before, c.counts, c.pkg, c.what)
	}
	if hash(t, hasher(sources(), nil), "b") == hash(t, hasher(sources(), nil), "c") {
		t.Error("two packages have one hash")
	}
}

// TestRenamedAndMovedText: bytes that move from one file to another are a change.
func TestRenamedAndMovedText(t *testing.T) {
	files := sources()
	files["b/b2.c"] = files["b/b.c"]
	moved := maps.Clone(files)
	moved["b/b.c"], moved["b/b2.c"] = "", files["b/b.c"]+files["b/b2.c"]
	if hash(t, hasher(files, nil), "b") == hash(t, hasher(moved, nil), "b") {
		t.Error("text moved between files is not seen")
	}
}

func TestErrors(t *testing.T) {
	must.Say(t, must.Err(hasher(sources(), nil).Package("example.com/m/broken")), "expected 'package'")
	failing := hasher(sources(), func(h *codehash.Hasher) {
		h.Program = func() (string, error) {
			return "",
				errors.New("gone")
		}
	})
	must.Say(t, must.Err(failing.Package("example.com/m/unknown")), "gone")
}

func TestBuiltWith(t *testing.T) {
	version := codehash.BuiltWith(&debug.BuildInfo{Deps: []*debug.Module{
		{Path: "example.com/a", Version: "v1.0.0", Sum: "h1:x"},
		{Path: "example.com/a/b", Version: "v2.0.0", Sum: "h1:y"},
		{Path: "example.com/local", Version: "v1.0.0", Sum: "h1:z", Replace: &debug.Module{Path: "../local"}},
		{Path: "example.com/fork", Version: "v1.0.0", Sum: "h1:z", Replace: &debug.Module{Path: "example.com/mine",
			Version: "v3.0.0", Sum: "h1:w"}},
	}})
	for pkg, want := range map[string]string{
		"example.com/a": "example.com/a@v1.0.0 h1:x", "example.com/a/c": "example.com/a@v1.0.0 h1:x",
		"example.com/a/b/c": "example.com/a/b@v2.0.0 h1:y",
		"example.com/ab":    "", "example.com/local/x": "", "example.com/fork/x": "example.com/mine@v3.0.0 h1:w",
	} {
		if got, ok := version(pkg); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q %v, want %q", pkg, got, ok, want)
		}
	}
	if _, ok := codehash.BuiltWith(nil)("example.com/a"); ok {
		t.Error("a version is known without the build's record")
	}
}

func TestProgram(t *testing.T) {
	sum, err := codehash.Program()
	if again, _ := codehash.Program(); err != nil || len(sum) != 32 || again != sum {
		t.Errorf("%q %q %v", sum, again, err)
	}
}
