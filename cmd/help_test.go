package cmd

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/registry"
	"github.com/spf13/cobra"
)

// TestHelp: every verb has a place in the help of bench, no line of any help made by the program is wider than a narrow terminal or ends with
// spaces, and bench alone says what to type first, with commands that exist.
func TestHelp(t *testing.T) {
	var out, errs bytes.Buffer
	help := func(args ...string) string {
		out.Reset()
		if code := execute(registry.New(), args, &out, &errs); code != exitOK {
			t.Fatalf("bench %s ends with %d: %s", strings.Join(args, " "), code, errs.String())
		}
		return out.String()
	}
	root := newRootCommand(&app{out: newOutput(&out), err: &messages{}, sets: catalogue.Builtin()})
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		path := strings.Fields(c.CommandPath())[1:]
		said := help(append(path, "--help")...)
		made := said[strings.LastIndex(said, "Usage:"):]
		for line := range strings.Lines(made) {
			line = strings.TrimSuffix(line, "\n")
			example := strings.HasPrefix(line, "  bench ")
			if wide := utf8.RuneCountInString(line) > helpWidth; wide && !example || strings.HasSuffix(line, " ") {
				t.Errorf("bench %s --help has the line %q", strings.Join(path, " "), line)
			}
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				if c == root && (sub.GroupID == "" || !strings.Contains(said, "\n  "+sub.Name()+" ")) {
					t.Errorf("%s has no place in the help", sub.Name())
				}
				walk(sub)
			}
		}
	}
	walk(root)
	first := help()
	for line := range strings.Lines(first) {
		if command, is := strings.CutPrefix(line, "  bench "); is {
			if c, _, err := root.Find(strings.Fields(command)); err != nil || c == root {
				t.Errorf("bench alone says to type %q: %v", command, err)
			}
		}
	}
	if strings.Count(first, "\n") > 15 {
		t.Errorf("bench alone says\n%s", first)
	}
}
