package architecture

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// The most columns of a line of Go, where a tab is 4 columns, and of a line of text in a document.
const (
	goColumns  = 120
	docColumns = 100
)

// wideGo returns the lines of a Go file that are too wide. A line with the tag of a field may be: Go cannot divide it.
func wideGo(name string, text []byte) ([]string, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	tagged := map[int]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok && f.Tag != nil {
			tagged[set.Position(f.Tag.Pos()).Line] = true
		}
		return true
	})
	var out []string
	for i, line := range strings.Split(string(text), "\n") {
		n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
		if n > goColumns && !tagged[i+1] {
			out = append(out, fmt.Sprintf("%s:%d has %d columns; at most %d", name, i+1, n, goColumns))
		}
	}
	return out, nil
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

func TestLines(t *testing.T) {
	root := testenv.Root()
	for _, s := range sources(t, root) {
		for _, c := range must.Get(wideGo(s.file, must.Get(os.ReadFile(filepath.Join(root, s.file)))(t)))(t) {
			t.Error(c)
		}
	}
	documents := must.Get(filepath.Glob(filepath.Join(root, "*.md")))(t)
	must.Do(t, filepath.WalkDir(filepath.Join(root, "docs"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "reference-run" { // the program wrote these pages
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".md") {
			documents = append(documents, name)
		}
		return err
	}))
	for _, name := range documents {
		for _, c := range wideText(strings.TrimPrefix(name, root+"/"), string(must.Get(os.ReadFile(name))(t))) {
			t.Error(c)
		}
	}
}

// TestWideLines: what is too wide by one column is found, and what may be is not.
func TestWideLines(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct{ text, want string }{
		{"package a\n//\t" + x(114) + "\n//\t" + x(115) + "\n", "a.go:3 has 121 columns"},
		{"package a\nvar s = `\n" + x(120) + "`\n", "a.go:3 has 121 columns"},
		{"package a\nvar s struct {\n\ta int `b:\"" + x(121) + "\"`\n}\n", ""},
	} {
		got := strings.Join(must.Get(wideGo("a.go", []byte(c.text)))(t), "\n")
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") || strings.Contains(got, "\n") {
			t.Errorf("of %q it says %q, want %q", c.text, got, c.want)
		}
	}
	code := "```\n" + x(101) + "\n```\n"
	text := code + "|" + x(101) + "|\n[a](" + x(101) + ")\nü" + x(99) + "\n" + x(101) + "\n" + code
	if got := strings.Join(wideText("a.md", text), "\n"); got != "a.md:7 has 101 columns; at most 100" {
		t.Errorf("of a document it says %q", got)
	}
}
