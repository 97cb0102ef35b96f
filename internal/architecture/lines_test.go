package architecture

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// The most columns of a line of Go, where a tab is 4 columns, and of a line of text in a document; the most lines of a
// function, and its largest cyclomatic complexity (McCabe 1976), outside of tests.
const (
	goColumns  = 120
	docColumns = 100
	mostLines  = 60
	complexity = 25
)

// tooLarge returns the lines of a Go file that are too wide, and its functions that are too long or too complex. A line
// with the tag of a field may be wider: Go cannot divide it.
func tooLarge(name string, text []byte) ([]string, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var out []string
	tagged := map[int]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch f := n.(type) {
		case *ast.Field:
			if f.Tag != nil {
				tagged[set.Position(f.Tag.Pos()).Line] = true
			}
		case *ast.FuncDecl:
			lines, paths := set.Position(f.End()).Line-set.Position(f.Pos()).Line+1, paths(f)
			if (lines > mostLines || paths > complexity) && !strings.HasSuffix(name, "_test.go") {
				out = append(out, fmt.Sprintf("%s: %s has %d lines and complexity %d; at most %d and %d", name, f.Name,
					lines, paths, mostLines, complexity))
			}
		}
		return true
	})
	for i, line := range strings.Split(string(text), "\n") {
		n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
		if n > goColumns && !tagged[i+1] {
			out = append(out, fmt.Sprintf("%s:%d has %d columns; at most %d", name, i+1, n, goColumns))
		}
	}
	return out, nil
}

// paths returns the cyclomatic complexity of a function: one more than the places at which it branches.
func paths(f *ast.FuncDecl) int {
	n := 1
	ast.Inspect(f, func(node ast.Node) bool {
		switch b := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			n += min(1, len(b.List))
		case *ast.CommClause:
			if b.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if b.Op == token.LAND || b.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

var target = regexp.MustCompile(`\]\([^)]*\)`)

// wideText returns the lines of a document in Markdown that are too wide. Tables, blocks of code and the targets of
// links do not count.
func wideText(name, text string) []string {
	var out []string
	code := false
	for i, line := range strings.Split(text, "\n") {
		start := strings.TrimSpace(line)
		fence := strings.HasPrefix(start, "```")
		code = code != fence
		n := utf8.RuneCountInString(target.ReplaceAllString(line, "]"))
		if n > docColumns && !code && !fence && !strings.HasPrefix(start, "|") {
			out = append(out, fmt.Sprintf("%s:%d has %d columns; at most %d", name, i+1, n, docColumns))
		}
	}
	return out
}

// TestSizes: lines, functions and their complexity stay within their bounds.
func TestSizes(t *testing.T) {
	root := testenv.Root()
	for _, s := range sources(t) {
		for _, c := range must.Get(tooLarge(s.file, must.Get(os.ReadFile(filepath.Join(root, s.file)))(t)))(t) {
			t.Error(c)
		}
	}
	for _, name := range testenv.Tracked(t, ":(glob)*.md", "docs/*.md") {
		if strings.HasPrefix(name, "docs/reference-run/") {
			continue // the program wrote these pages
		}
		for _, c := range wideText(name, string(must.Get(os.ReadFile(filepath.Join(root, name)))(t))) {
			t.Error(c)
		}
	}
}

// TestTooLarge: what is too wide, too long or too complex by one is found, and what may be is not.
func TestTooLarge(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct{ text, want string }{
		{"package a\n//\t" + x(114) + "\n//\t" + x(115) + "\n", "a.go:3 has 121 columns"},
		{"package a\nvar s = `\n" + x(120) + "`\n", "a.go:3 has 121 columns"},
		{"package a\nfunc f() {\n" + strings.Repeat("\tf()\n", 58) + "}\n", ""},
		{"package a\nfunc f() {\n" + strings.Repeat("\tf()\n", 59) + "}\n", "a.go: f has 61 lines and complexity 1"},
		{"package a\nfunc f(a bool) bool {\n\tfor a {\n\t}\n\treturn " + strings.Repeat("a &&\n", 24) + "a\n}\n",
			"a.go: f has 29 lines and complexity 26"},
		{"package a\nvar s struct {\n\ta int `b:\"" + x(121) + "\"`\n}\n", ""},
	} {
		got := strings.Join(must.Get(tooLarge("a.go", []byte(c.text)))(t), "\n")
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") || strings.Contains(got, "\n") {
			t.Errorf("of %q it says %q, want %q", c.text, got, c.want)
		}
	}
	code := "```\n" + x(101) + "\n```\n"
	text := code + "|" + x(101) + "|\n[a](" + x(101) + ")\nü" + x(99) + "\n" + x(101) + "\n" + code
	must.Be(t, strings.Join(wideText("a.md", text), "\n"), "a.md:7 has 101 columns; at most 100",
		"of a document it says")
}
