package cmd

import (
	"bytes"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestHelp: every verb has a place in the help of bench, no line of any help made by the program is wider than a narrow
// terminal or ends with spaces, rare flags are in `--help --all` alone, and bench alone says what to type first, with
// commands that exist.
func TestHelp(t *testing.T) {
	var out, errs bytes.Buffer
	help := func(args ...string) string {
		out.Reset()
		// nil would be the test's own arguments
		if code := execute(registry.New(), append([]string{}, args...), &out, &errs); code != exitOK {
			t.Fatalf("bench %s ends with %d: %s", strings.Join(args, " "), code, errs.String())
		}
		return out.String()
	}
	root := testRoot(registry.New())
	verbs := help("--help")
	check := func(c *cobra.Command) {
		path := strings.Fields(c.CommandPath())[1:]
		said, whole := help(append(path, "--help")...), help(append(path, "--help", "--all")...)
		for line := range strings.Lines(said) {
			line = strings.TrimSuffix(line, "\n")
			stays := strings.HasPrefix(line, "  ") && strings.Index(said, line) < strings.LastIndex(said, "\nFlags:")
			if wide := utf8.RuneCountInString(line) > helpWidth; wide && !stays || strings.HasSuffix(line, " ") {
				t.Errorf("bench %s --help has the line %q", strings.Join(path, " "), line)
			}
		}
		for _, part := range blocks(c.Long) {
			if !part.lines && strings.Contains(part.text, "\n ") {
				t.Errorf("bench %s --help: lines that stay as they are begin without an empty line before them: %q",
					strings.Join(path, " "), part.text)
			}
		}
		hidden := 0
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			flag := regexp.MustCompile(`(?m)^(  -., |      )--` + f.Name + `\b`)
			if _, few := f.Annotations[rareFlag]; few {
				hidden++
				must.Be(t, flag.MatchString(said), false, "bench", strings.Join(path, " "), f.Name)
				must.Be(t, flag.MatchString(whole), true, "bench", strings.Join(path, " "), f.Name)
				must.Be(t, strings.Contains(c.Example, "--"+f.Name), false, "bench", strings.Join(path, " "), f.Name)
			} else if !flag.MatchString(said) {
				t.Errorf("bench %s --help does not have --%s", strings.Join(path, " "), f.Name)
			}
		})
		must.Be(t, strings.Contains(said, "--help --all\" shows "), (hidden > 0), "bench", strings.Join(path, " "))
		must.Be(t, strings.Contains(whole, "--help --all\" shows "), false, "bench", strings.Join(path, " "))
		if c.Parent() == root && (c.GroupID == "" || !strings.Contains(verbs, "\n  "+c.Name()+" ")) {
			t.Errorf("%s has no place in the help", c.Name())
		}
	}
	check(root)
	everyCommand(root, check)
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

// TestHelpFiles: each help file has the name of a command, and the printed help has no {placeholder} left.
func TestHelpFiles(t *testing.T) {
	root := testRoot(registry.New())
	for _, f := range must.Get(helpFiles.ReadDir("help"))(t) {
		name := strings.TrimSuffix(f.Name(), ".txt")
		if name == "bench" || name == "model" {
			continue
		}
		if c, _, err := root.Find(strings.Split(name, "-")); err != nil || c == root || c.Long+c.Example == "" ||
			strings.Contains(c.Long, "{") {
			t.Errorf("help/%s is of no command, or not filled in: %v", f.Name(), err)
		}
	}
}

// testRoot is the program's command with the methods of reg.
func testRoot(reg registry.Registry) *cobra.Command {
	return newRootCommand(&app{reg: reg, out: newOutput(io.Discard), err: &messages{}, sets: catalogue.Builtin()})
}

// TestHelpOfANarrowTerminal: at 40 columns prose and flags are 40 columns wide, but for names that are wider.
func TestHelpOfANarrowTerminal(t *testing.T) {
	root := testRoot(registry.New())
	dressed := func(width int) string {
		formatHelp(root, width)
		run, _ := must.Get2(root.Find([]string{"run"}))(t)
		var out bytes.Buffer
		run.SetOut(&out)
		must.Do(t, run.Help())
		return out.String()
	}
	defer dressed(helpWidth) // the templates of help are the same for all commands of the process
	said := dressed(leastHelpWidth)
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, " \n")
		if words := strings.Fields(line); utf8.RuneCountInString(line) > leastHelpWidth && len(words) > 1 &&
			!strings.HasPrefix(line, "  bench ") && !strings.HasPrefix(line, `"bench `) {
			t.Errorf("the line %q", line)
		}
	}
}

// TestManual: the manual page has every command, every flag, exit code and variable, and groff finds nothing wrong with
// it.
func TestManual(t *testing.T) {
	var out, errs bytes.Buffer
	if code := execute(registry.New(), []string{"help", "--man"}, &out, &errs); code != exitOK {
		t.Fatalf("bench help --man ends with %d: %s", code, errs.String())
	}
	page := out.String()
	has := func(want string) { must.Hold(t, page, "\n"+want) }
	root := testRoot(registry.New())
	everyCommand(root, func(c *cobra.Command) {
		has(".SS " + roffText.Replace(c.CommandPath()))
		everyFlag(c.NonInheritedFlags(), func(typed, _ string) { has(".B " + roffText.Replace(typed)) })
	})
	for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "FLAGS OF EVERY COMMAND",
		"EXIT STATUS", "ENVIRONMENT", "FILES"} {
		has(".SH " + section)
	}
	has(".B 130\ninterrupted")
	has(".B BENCH_DATA\n")
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") &&
			!regexp.MustCompile(`^\.(TH|SH|SS|PP|TP|B|nf|fi)\b`).MatchString(line) {
			t.Errorf("the line %q is an instruction that no manual page needs", line)
		}
	}
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("there is no groff to read the page with; its structure is checked")
	}
	c := exec.Command("groff", "-man", "-Tutf8", "-k", "-ww", "-z")
	c.Stdin = strings.NewReader(page)
	if said, err := c.CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("groff: %v\n%s", err, said)
	}
}
