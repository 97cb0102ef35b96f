// Loc counts lines of code: lines that are neither blank nor comment alone, in kinds of files. A line of more
// than 120 columns counts as the lines that it would fill, so that long lines save nothing.
//
//	go run ./scripts/loc            the tracked files as they are in the working tree
//	go run ./scripts/loc A [B ..]   the files of commits; the last column is the last less the first
//
// Files below testdata are data, and so are docs. Scripts of the command line (txtar) are counted, since they
// take the place of tests in Go, but not in the sum.
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	columns  = 120
	tabWidth = 4
)

// A kind is a row of the output.
type kind struct {
	name    string
	of      func(file string) bool
	comment *regexp.Regexp // what is no code; nil for Go, whose own scanner finds comments
	aside   bool           // the kind is no part of the sum
}

func ending(ends ...string) func(string) bool {
	return func(file string) bool {
		for _, end := range ends {
			if strings.HasSuffix(file, end) {
				return true
			}
		}
		return false
	}
}

// A string or a regular expression that holds the beginning of a comment is matched first, and kept.
var (
	cLike = regexp.MustCompile(`(?s)"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|` + "`[^`]*`" + `|//[^\n]*|/\*.*?\*/`)
	// Texts that stand alone are a docstring.
	python   = regexp.MustCompile(`(?ms)^\s*[rR]?""".*?"""\s*$|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*`)
	template = regexp.MustCompile(`(?s)<!--.*?-->|\{\{-?\s*/\*.*?\*/\s*-?\}\}|/\*.*?\*/`)
)

var kinds = []kind{
	{name: "Go without tests", of: func(f string) bool {
		return strings.HasSuffix(f, ".go") && !strings.HasSuffix(f, "_test.go")
	}},
	{name: "Go, tests", of: ending("_test.go")},
	{name: "JavaScript", of: ending(".js"), comment: cLike},
	{name: "C", of: ending(".c", ".h"), comment: cLike},
	{name: "Python", of: ending(".py"), comment: python},
	{name: "templates and styles", of: ending(".tmpl", ".html", ".css"), comment: template},
	{name: "scripts of tests (txtar)", of: ending(".txtar"), comment: regexp.MustCompile(`(?m)^#[^\n]*`), aside: true},
}

// counts are the lines of one tree by kind, comments in Go last.
type counts struct {
	lines    []int
	comments int
}

func main() {
	var all []counts
	var err error
	if len(os.Args) == 1 {
		err = run(&all, "git", "ls-files", "-z")
	}
	for _, commit := range os.Args[1:] {
		err = errors.Join(err, run(&all, "git", "archive", commit))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "loc:", err)
		os.Exit(1)
	}
	show(os.Stdout, all)
}

// run counts the files that a command of git lists or packs.
func run(all *[]counts, name string, args ...string) error {
	command := exec.Command(name, args...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return err
	}
	c := counts{lines: make([]int, len(kinds))}
	if args[0] == "ls-files" {
		for file := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
			text, err := os.ReadFile(file)
			if err != nil && !os.IsNotExist(err) { // a deleted file has no lines
				return err
			}
			c.add(file, text)
		}
		*all = append(*all, c)
		return nil
	}
	for files := tar.NewReader(bytes.NewReader(out)); ; {
		head, err := files.Next()
		if err == io.EOF {
			*all = append(*all, c)
			return nil
		}
		if err != nil {
			return err
		}
		text, err := io.ReadAll(files)
		if err != nil {
			return err
		}
		c.add(head.Name, text)
	}
}

func (c *counts) add(file string, text []byte) {
	scripts := strings.HasSuffix(file, ".txtar")
	if strings.Contains("/"+path.Dir(file)+"/", "/testdata/") && !scripts || strings.HasPrefix(file, "docs/") {
		return
	}
	for i, k := range kinds {
		switch {
		case !k.of(file):
		case k.comment == nil:
			code, comments := goCode(text)
			c.lines[i] += lines(code)
			c.comments += comments
		default:
			c.lines[i] += lines(without(k.comment, text))
		}
	}
}

// without replaces comments by blanks, and keeps the ends of lines.
func without(comment *regexp.Regexp, text []byte) []byte {
	return comment.ReplaceAllFunc(text, func(match []byte) []byte {
		first := bytes.TrimSpace(match)
		if len(first) > 0 && strings.ContainsRune("'\"`", rune(first[0])) && !bytes.HasPrefix(first, []byte(`"""`)) {
			return match
		}
		return bytes.Repeat([]byte("\n"), bytes.Count(match, []byte("\n")))
	})
}

// goCode returns a Go file without its comments, and the number of lines that comments fill.
func goCode(text []byte) (code []byte, comments int) {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	code = bytes.Clone(text)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return code, comments
		}
		if tok == token.COMMENT {
			at := file.Offset(pos)
			for i := at; i < at+len(literal); i++ {
				if code[i] != '\n' {
					code[i] = ' '
				}
			}
			comments += 1 + strings.Count(literal, "\n")
		}
	}
}

// lines counts lines that are not blank, each as the number of lines of 120 columns that it fills.
func lines(text []byte) int {
	n := 0
	for line := range bytes.Lines(text) {
		if line = bytes.TrimRight(line, " \t\r\n"); len(line) > 0 {
			width := utf8.RuneCount(line) + (tabWidth-1)*bytes.Count(line, []byte("\t"))
			n += (width + columns - 1) / columns
		}
	}
	return n
}

func show(to io.Writer, all []counts) {
	row := func(name string, of func(counts) int) {
		fmt.Fprintf(to, "%-26s", name)
		for _, c := range all {
			fmt.Fprintf(to, "%9d", of(c))
		}
		if len(all) > 1 {
			fmt.Fprintf(to, "%+9d", of(all[len(all)-1])-of(all[0]))
		}
		fmt.Fprintln(to)
	}
	sum := func(c counts) int {
		n := 0
		for i, k := range kinds {
			if !k.aside {
				n += c.lines[i]
			}
		}
		return n
	}
	for i, k := range kinds {
		if !k.aside {
			row(k.name, func(c counts) int { return c.lines[i] })
		}
	}
	row("lines of code", sum)
	for i, k := range kinds {
		if k.aside {
			row(k.name, func(c counts) int { return c.lines[i] })
		}
	}
	row("comments in Go", func(c counts) int { return c.comments })
}
