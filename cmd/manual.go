package cmd

import (
	"fmt"
	"strings"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everyCommand calls do for each command below c that help lists, in that order.
func everyCommand(c *cobra.Command, do func(*cobra.Command)) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			do(sub)
			everyCommand(sub, do)
		}
	}
}

// everyFlag calls do for each flag of a set but --help, with the flag as one types it and what it means with its default.
func everyFlag(set *pflag.FlagSet, do func(typed, means string)) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		one := pflag.NewFlagSet("", pflag.ContinueOnError)
		one.AddFlag(f)
		typed, means, _ := strings.Cut(strings.TrimSpace(one.FlagUsages()), "   ")
		do(typed, strings.TrimSpace(means))
	})
}

// A block of a text of help is a paragraph, or lines that stay as they are.
type block struct {
	text  string
	lines bool
}

// blocks divides a text of help, in which lines that stay as they are begin with blanks.
func blocks(text string) []block {
	var out []block
	for part := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		out = append(out, block{part, strings.HasPrefix(part, " ")})
	}
	return out
}

// roffText is a text for roff: no character of it is an instruction, and none is replaced by a nicer one.
var roffText = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`, `"`, `\(dq`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`, "\n.", "\n\\&.")

// manual is the manual page bench(1) in roff, made from what help says.
func manual(root *cobra.Command) string {
	var b strings.Builder
	line := func(macro, text string) {
		fmt.Fprintf(&b, "%s\n", strings.TrimRight(macro+" "+roffText.Replace(text), " "))
	}
	prose := func(text string) {
		for _, part := range blocks(text) {
			form := ".PP\n%s\n"
			if part.lines {
				form = ".PP\n.nf\n%s\n.fi\n"
			}
			fmt.Fprintf(&b, form, roffText.Replace(part.text))
		}
	}
	item := func(name, means string) {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roffText.Replace(name), roffText.Replace(means))
	}
	fmt.Fprintf(&b, ".TH BENCH 1 \"\" \"bench %s\"\n", roffText.Replace(environment.ProgramVersion))
	line(".SH", "NAME")
	fmt.Fprintf(&b, "bench \\- %s\n", roffText.Replace(lowered(root.Short)))
	line(".SH", "SYNOPSIS")
	line(".B", "bench COMMAND [flags]")
	line(".SH", "DESCRIPTION")
	prose(root.Long)
	prose(root.Example)
	line(".SH", "COMMANDS")
	everyCommand(root, func(c *cobra.Command) {
		line(".SS", c.UseLine())
		prose(sentence(c.Short))
		if c.Long != "" {
			prose(c.Long)
		}
		everyFlag(c.NonInheritedFlags(), item)
		if c.Example != "" {
			prose(c.Example)
		}
	})
	line(".SH", "FLAGS OF EVERY COMMAND")
	everyFlag(root.PersistentFlags(), item)
	line(".SH", "EXIT STATUS")
	for _, e := range exitCodes {
		item(fmt.Sprint(e.code), e.means)
	}
	line(".SH", "ENVIRONMENT")
	for _, v := range variables {
		item(listed(v.names), v.means)
	}
	line(".SH", "FILES")
	item("results.db", "the results database, where --db names no other")
	item("plugins/", "beside the database: methods in other processes")
	return b.String()
}

// sentence is what a command does, with the point that help leaves out.
func sentence(short string) string {
	if strings.HasSuffix(short, "?") {
		return short
	}
	return short + "."
}

// lowered is a text that begins with a small letter.
func lowered(text string) string { return strings.ToLower(text[:1]) + text[1:] }
