package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	inlineCommand = regexp.MustCompile("(?:^|[^\\\\])`(bench [^`]*)`")
	endOfCommand  = regexp.MustCompile(`\s+(#|&&|\||>|<|;)|\s{2,}| \.\.\.?`)
	placeholder   = regexp.MustCompile(`^flag needs an argument|help requested|^invalid argument "[A-Zs]"`)
	shellWord     = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)
)

// TestNamedCommands: every command that a document or a help text names, in a line of its own or within a sentence,
// exists with its flags.
func TestNamedCommands(t *testing.T) {
	root := testRoot(methods.All())
	root.InitDefaultCompletionCmd()
	named := 0
	check := func(place, command string) {
		named++
		if loc := endOfCommand.FindStringIndex(command); loc != nil {
			command = command[:loc[0]]
		}
		c, rest, err := root.Find(shellWord.FindAllString(command, -1)[1:])
		if err == nil && c.Name() != "help" { // help takes the words of any command
			err = c.ParseFlags(rest)
		}
		left := c.Flags().Args()
		switch unknown := err != nil && !placeholder.MatchString(err.Error()); {
		case unknown:
			t.Errorf("%s: %s: %v", place, command, err)
		case c.HasSubCommands() && len(left) > 0 && left[0] == strings.ToLower(left[0]):
			t.Errorf("%s: %s: %s has no command %s", place, command, c.CommandPath(), left[0])
		}
	}
	for _, page := range testenv.Documents(t) {
		if filepath.Base(page) == "commands.md" { // made of the help texts below
			continue
		}
		raw := must.Get(os.ReadFile(filepath.Join(testenv.Root(), page)))(t)
		for i, part := range strings.Split(string(raw), "\n```") {
			if i%2 == 1 {
				checkLines(page, part, check)
			} else {
				checkInline(page, part, check)
			}
		}
	}
	everyCommand(root, func(c *cobra.Command) {
		checkInline("the help of "+c.CommandPath(), c.Long, check)
		checkLines("the examples of "+c.CommandPath(), c.Example, check)
	})
	if named < 300 {
		t.Errorf("%d commands are named", named)
	}
}

// TestEveryFlagHasItsUse: a document other than the list of commands says what a flag is for. A flag that no text needs
// is not needed.
func TestEveryFlagHasItsUse(t *testing.T) {
	var said strings.Builder
	for _, page := range testenv.Documents(t) {
		if filepath.Base(page) != "commands.md" {
			said.Write(must.Get(os.ReadFile(filepath.Join(testenv.Root(), page)))(t))
		}
	}
	root := testRoot(methods.All())
	everyCommand(root, func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !regexp.MustCompile(`--`+f.Name+`\b[^-]`).MatchString(said.String()) {
				t.Errorf("no document says what --%s of %s is for", f.Name, c.CommandPath())
			}
		})
	})
}

// checkLines hands over the lines that are commands, behind a $ or not.
func checkLines(place, text string, check func(place, command string)) {
	for line := range strings.Lines(text) {
		if line = strings.TrimPrefix(strings.TrimSpace(line), "$ "); strings.HasPrefix(line, "bench ") {
			check(place, line)
		}
	}
}

// checkInline hands over the commands within sentences.
func checkInline(place, text string, check func(place, command string)) {
	for _, m := range inlineCommand.FindAllStringSubmatch(strings.ReplaceAll(text, "\n", " "), -1) {
		check(place, m[1])
	}
}
