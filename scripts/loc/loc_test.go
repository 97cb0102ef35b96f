package main

import (
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestLines counts small files of each kind, whose lines of code are known.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		file, text string
		want       int
	}{
		{"a.go", "// Package a.\npackage a\n\n/* two\nlines */\nvar s = \"// no comment\" // a comment\n", 2},
		{"a.go", "package a\nvar s = \"" + strings.Repeat("x", 240) + "\"\n", 1 + 3},
		{"a_test.go", "package a\n\tfunc f() {} // " + strings.Repeat("x", 240) + "\n", 2},
		{"a.js", "// a\nlet s = 'http://x'; /* b */\n/* c\n*/\n\nf(`\n// text\n`)\n", 4},
		{"a.c", "#include <x.h>\n// a\nint f(void); /* b\n c */\n", 2},
		{"a.py", "\"\"\"A docstring\nof two lines.\"\"\"\n# a\ns = \"# no comment\"\nt = \"\"\"a\nb\"\"\"\n", 3},
		{"a.html.tmpl", "{{/* a */}}\n<!-- b\n-->\n<p>{{.X}}</p>\n", 1},
		{"a.css", "/* a */\nb { }\n", 1},
		{"testdata/a.go", "package a\n", 0},
		{"docs/reference-run/table2.html", "<p>\n", 0},
		{"cmd/testdata/a.txtar", "# a\nexec bench\n", 1},
	} {
		got := counts{lines: make([]int, len(kinds))}
		got.add(c.file, []byte(c.text))
		sum := 0
		for _, n := range got.lines {
			sum += n
		}
		must.Be(t, sum, c.want, c.file, c.text)
	}
}
