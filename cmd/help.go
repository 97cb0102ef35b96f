package cmd

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Help is as wide as the terminal, within these bounds; on paper and in files it has the upper one.
const leastHelpWidth, helpWidth = 40, 80

// verbs are the groups of the help, and their commands in the order in which one needs them.
var verbs = []struct{ title, names string }{
	{"Results", "run status report compare experiment query verify diff paper"},
	{"Results of others", "import export"},
	{"Data", "data protocol"},
	{"Methods", "methods"},
	{"Machines and the program", "worker db version help"},
}

//go:embed help/*.txt
var helpFiles embed.FS

// readHelp gives commands the text and the examples of their files in the folder help, which are called as the command,
// with hyphens.
func readHelp(root *cobra.Command) {
	about := func(file string) string {
		text, _ := helpFiles.ReadFile("help/" + file + ".txt") // most groups of commands have none
		return strings.TrimSpace(string(text))
	}
	values := strings.NewReplacer("{exit codes}", exitCodesInWords())
	read := func(c *cobra.Command) {
		path := strings.ReplaceAll(strings.TrimPrefix(c.CommandPath(), "bench "), " ", "-")
		if text := about(path); text != "" {
			c.Long, c.Example, _ = strings.Cut("\n"+values.Replace(text), "\nExamples:\n")
			c.Long = strings.TrimSpace(c.Long)
		}
	}
	read(root)
	everyCommand(root, read)
}

// formatHelp puts the commands of root into groups, and wraps all help at a width.
func formatHelp(root *cobra.Command, width int) {
	cobra.EnableCommandSorting = false
	cobra.AddTemplateFunc("proseOf", func(c *cobra.Command) string {
		said := c.Long
		if said == "" {
			said = c.Short
		}
		var out []string
		for _, part := range blocks(said) {
			if !part.lines {
				part.text = hanging(strings.ReplaceAll(part.text, "\n", " "), 0, width)
			}
			out = append(out, part.text)
		}
		return strings.Join(out, "\n\n")
	})
	cobra.AddTemplateFunc("flagsOf", func(c *cobra.Command) string {
		shown, _ := shownFlags(c)
		return strings.TrimRight(shown.FlagUsagesWrapped(width), "\n ")
	})
	cobra.AddTemplateFunc("hiddenOf", func(c *cobra.Command) string {
		switch _, hidden := shownFlags(c); hidden {
		case 0:
			return ""
		case 1:
			return fmt.Sprintf("%q shows one more flag.", c.CommandPath()+" --help --all")
		default:
			return fmt.Sprintf("%q shows %d more flags.", c.CommandPath()+" --help --all", hidden)
		}
	})
	cobra.AddTemplateFunc("inheritedOf", func(c *cobra.Command) string {
		return strings.TrimRight(c.InheritedFlags().FlagUsagesWrapped(width), "\n ")
	})
	cobra.AddTemplateFunc("verb", func(c *cobra.Command) string {
		indent := c.NamePadding() + 3
		means := strings.Join(append([]string{c.Short}, c.Aliases...), "; also called ")
		return "  " + fmt.Sprintf("%-*s", indent-2, c.Name()) + hanging(means, indent, width)
	})
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(usageTemplate)
	for _, g := range verbs {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, name := range strings.Fields(g.names) {
			c, _, err := root.Find([]string{name})
			if err != nil || c == root {
				panic("cmd: the help names the unknown verb " + name)
			}
			root.RemoveCommand(c) // the order of the list is that of the help
			root.AddCommand(c)
			c.GroupID = g.title
		}
	}
}

// rareFlag is the annotation of flags that few need, and of the root where help shows these, too.
const rareFlag = "rare"

// rare marks flags of c that few need. Help shows them with --all; the reference and the manual have them like others.
func rare(c *cobra.Command, names ...string) {
	for _, name := range names {
		if err := c.Flags().SetAnnotation(name, rareFlag, nil); err != nil {
			panic(fmt.Sprintf("cmd: %s: %v", c.Name(), err))
		}
	}
}

// shownFlags returns the flags of c itself that its help shows, and how many it leaves out.
func shownFlags(c *cobra.Command) (shown *pflag.FlagSet, hidden int) {
	_, all := c.Root().Annotations[rareFlag]
	shown = pflag.NewFlagSet(c.Name(), pflag.ContinueOnError)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, few := f.Annotations[rareFlag]; few && !all {
			hidden++
			return
		}
		shown.AddFlag(f)
	})
	return shown, hidden
}

// withAllFlags reports whether arguments ask for help with --all. The rest is without that word, since it is also a
// flag of some commands, such as `bench run`.
func withAllFlags(args []string) (rest []string, whole bool) {
	words := args
	if end := slices.Index(args, "--"); end >= 0 {
		words = args[:end]
	}
	asks := slices.Contains(words, "--help") || slices.Contains(words, "-h") || len(words) > 0 && words[0] == "help"
	if !asks || !slices.Contains(words, "--all") {
		return args, false
	}
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return word == "--all" }), true
}

// hanging wraps at a width a text that begins at column indent, where its further lines begin too.
func hanging(said string, indent, width int) string {
	lines := strings.Split(text.WrapSoft(said, width-indent), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n"+strings.Repeat(" ", indent))
}

const helpTemplate = `{{proseOf .}}
{{if or .Runnable .HasSubCommands}}
{{.UsageString}}{{end}}`

const usageTemplate = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}{{if .Groups}}{{$all := .Commands}}{{range $group := .Groups}}

{{.Title}}{{range $all}}{{if and (eq .GroupID $group.ID) (or .IsAvailableCommand (eq .Name "help"))}}
{{verb .}}{{end}}{{end}}{{end}}{{else}}

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
{{verb .}}{{end}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{flagsOf .}}{{end}}{{if .HasAvailableInheritedFlags}}

Flags of every command:
{{inheritedOf .}}{{end}}{{if .HasAvailableSubCommands}}

"{{.CommandPath}} COMMAND --help" says more about a command.{{end}}{{with hiddenOf .}}

{{.}}{{end}}
`

// begin says what to type first; it is what bench prints without a verb.
const begin = `bench runs methods on data sets under one protocol, keeps every evaluation, and
says which method is better, and how sure that is.

  bench import reference                  store a published table, computed again
  bench report leaderboard                who leads in it
  bench compare GBRFF2 LGBM               is one better than the other?
  bench data fetch                        get the data sets
  bench data describe my.csv -o my.toml   read data of your own
  bench methods new Mine --lang python    write a method of your own
  bench run --methods Mine --splits 3     compare it with the stored ones

"bench --help" lists all commands.
`

// everyCommand calls do for each command below c that help lists, in that order.
func everyCommand(c *cobra.Command, do func(*cobra.Command)) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			do(sub)
			everyCommand(sub, do)
		}
	}
}

// everyFlag calls do for each flag of a set but --help, with the flag as one types it and what it means with its
// default.
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
var roffText = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`, `"`, `\(dq`, "`", `\(ga`, `^`, `\(ha`, `~`,
	`\(ti`, "\n.", "\n\\&.")

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
	fmt.Fprintf(&b, "bench \\- %s\n", roffText.Replace(strings.ToLower(root.Short[:1])+root.Short[1:]))
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
	item("plugins/", "beside the database: plugins, which are methods in other processes")
	return b.String()
}

// sentence is what a command does, with the point that help leaves out.
func sentence(short string) string {
	if strings.HasSuffix(short, "?") {
		return short
	}
	return short + "."
}

// exitCodes are the exit codes of the program with their meanings, for help, the manual and the reference.
var exitCodes = []struct {
	code  int
	means string
}{
	{exitOK, "the command did all that it was asked for, and found nothing wrong (what a run finds against a method, " +
		"such as a leak, is no error of the run; bench status lists it)"},
	{exitInternal, "internal error"},
	{exitUsage, "wrong usage"},
	{exitIncomplete, "the command ended, but something failed, is missing, differs or is damaged (a cell, a " +
		"data set, a stored row), or what --fail-if names came true"},
	{exitConflict, "two workers gave different results for one cell, or a worker sent results that are impossible or " +
		"that differ from those computed here"},
	{exitScarce, "the system refuses what the command needs: memory, threads, file descriptors, " +
		"space or rights on a disk"},
	{exitInterrupted, "interrupted"},
	{exitUnread, "nobody reads standard output any more, as with `| head`"},
}

func exitCodesInWords() string {
	var codes []string
	for _, e := range exitCodes {
		codes = append(codes, fmt.Sprintf("%d %s", e.code, e.means))
	}
	return "Exit codes: " + strings.Join(codes, "; ") + "."
}

// variables are the environment variables that the program reads, by name or names, with their meanings, for the manual
// and the reference. TestVariables compares the names with the sources.
var variables = []struct{ names, means string }{
	{"BENCH_DATA", "the data directory, where --data names none (default bench/data in the user's cache directory)"},
	{"BENCH_MIRROR", "where data files are looked for before their public addresses: a directory or URL laid out " +
		"like the data directory"},
	{"BENCH_OPENML", "the server that bench data add asks (default that of OpenML)"},
	{"BENCH_PLUGINS", "folders whose files are plugins, joined as in PATH; the folder plugins beside the database " +
		"is searched without it"},
	{"BENCH_PYTHON", "the Python that runs plugins (default python3 of the PATH)"},
	{"BENCH_PROGRAM", "read by the Python package: the program that it calls (default the one that it carries, else " +
		"bench of the PATH)"},
	{"BENCH_PRIVATE", "set by the program for its own processes, and not for users: the folder in which they make " +
		"private folders"},
	{"BENCH_NAMESPACES BENCH_SANDBOX", "set by the program for its own processes, and not for users: whether the " +
		"system gives namespaces, and that a process is the first of a sandbox"},
	{"BENCH_MOUNTS_BEFORE", "set by the program for its own processes, and not for users: the mounts that there " +
		"were before them"},
	{"BENCH_YARDSTICK", "for tests: how many times as slow as that of the reference run the machine is taken for, " +
		"such as 0.25 or 4, instead of a measurement"},
	{"COLUMNS", "how many columns wide tables and help are; default those of the terminal. In a pipe reports and " +
		"help have 100, and listings one line a row"},
	{"NO_COLOR", "if it is not empty, nothing is printed bold or in colour"},
	{"TERM", "dumb: nothing bold or in colour, and nothing that moves the cursor"},
	{"TMPDIR", "the folder of private and temporary files; where it is not set, private folders lie in memory if " +
		"there is room"},
	{"OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS BLIS_NUM_THREADS VECLIB_MAXIMUM_THREADS NUMEXPR_NUM_THREADS",
		"threads of numerical libraries in plugins: 1 where they are not set, since several cells run at a time"},
	{"PYTHONHASHSEED JOBLIB_MULTIPROCESSING", "of plugins: 0 where they are not set"},
	{"PYTHONPATH LD_LIBRARY_PATH R_LIBS R_LIBS_USER", "of plugins: the folders that they name may be read, and " +
		"PYTHONPATH has the package benchplugin before them"},
}

// listed are the names of an entry of variables with commas between them.
func listed(names string) string { return strings.ReplaceAll(names, " ", ", ") }
