// Package cmd is the command line of bench: one file per verb.
//
// [Execute] runs it over a registry of methods, so that a program of five lines
// with methods of its own has every verb. A command reads its flags, calls
// harness, datasets, registry or reports, and prints: data on standard output,
// everything else on standard error. There is no algorithm, no SQL and no table
// layout here.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/system/sandbox"
	"github.com/kernelboosting/bench/internal/system/scarcity"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Exit codes of the program.
const (
	exitOK          = 0
	exitInternal    = 1
	exitUsage       = 2
	exitIncomplete  = 3
	exitConflict    = 4
	exitScarce      = scarcity.ExitCode
	exitInterrupted = 130
	exitUnread      = 141
)

// exitError is an error that decides the exit code. A nil err prints nothing.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e exitError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return exitError{exitUsage, fmt.Errorf(format, args...)}
}

// usageError gives an error the exit code of wrong usage, unless it has an exit code already.
func usageError(err error) error {
	if e := (exitError{}); err == nil || errors.As(err, &e) {
		return err
	}
	return exitError{exitUsage, err}
}

// orUsage returns what a function found that the user asked for; its error is one of wrong usage.
func orUsage[T any](found T, err error) (T, error) { return found, usageError(err) }

// app is what every command shares.
type app struct {
	own      registry.Registry // without plugins
	reg      registry.Registry
	out      *output   // standard output
	err      *messages // standard error
	db       string
	force    bool   // files of others are replaced
	included string // name of a temporary database with results that come with the program
	data     string
	limit    string // --memory as it was given
	memory   int64  // bytes that cells together, or the loading of one set, may need
	sets     *catalogue.Catalogue
	signals  func() (<-chan os.Signal, func()) // replaced in tests
	aliased  []string                          // the aliases whose methods were named to the user
	plugins
}

func (a *app) dataDir() catalogue.Directory {
	return catalogue.Directory{Root: a.data, Memory: a.memory}
}

func (a *app) say(format string, args ...any) { a.err.say(format, args...) }

// added is the folder of the sets that `bench data add` brought.
func (a *app) added() string { return filepath.Join(a.dataDir().Dir(), "openml") }

// experiment returns the named protocol with the methods and sets of this program. It is a built-in protocol, that of a
// TOML file, or one that the database holds.
func (a *app) experiment(name string) (*plan.Experiment, error) {
	name = protocolNamed(name)
	if !strings.HasSuffix(name, ".toml") && !slices.Contains(protocol.Names(), name) {
		if exp, err := protocolOfDatabase(a, name); exp != nil || err != nil {
			return exp, err
		}
	}
	p, err := protocol.Load(name)
	if err == nil {
		err = p.ResolveSets(a.sets)
	}
	return a.experimentOf(p, err)
}

// protocolNamed is the protocol of an experiment that comes with the program, or the name itself.
func protocolNamed(name string) string {
	if slices.Contains(experiments.Names(), name) && !slices.Contains(protocol.Names(), name) {
		if e, err := experiments.Load(name); err == nil {
			return e.Protocol
		}
	}
	return name
}

// experimentOf returns a protocol that was read, with the methods and sets of this program.
func (a *app) experimentOf(p *protocol.Protocol, err error) (*plan.Experiment, error) {
	if err != nil {
		return nil, usageError(err)
	}
	reg, err := p.Resolve(a.reg)
	if err != nil && a.knowIfAllowed("", nil) == nil { // a variant may be of a plugin's method
		reg, err = p.Resolve(a.reg)
	}
	if err != nil {
		return nil, usageError(err)
	}
	return &plan.Experiment{Protocol: p, Registry: reg, Catalogue: a.sets, Data: a.dataDir()}, nil
}

// set returns the catalogue's entry called name, or reads a TOML file of the user's.
func (a *app) set(name string) (*catalogue.Entry, error) {
	if strings.HasSuffix(name, ".toml") {
		return orUsage(a.sets.Add(name))
	}
	e, err := a.sets.Lookup(name)
	if suite, known := suiteNotAdded(a, name); err != nil && known {
		return nil, usage("%s is a suite that is not added; `%s` adds it, and `bench run --datasets %s --dry-run` "+
			"says how large its %d sets are", suite.Name, howToAdd(a, suite), suite.Name, len(suite.Tasks))
	}
	return orUsage(e, err)
}

func (a *app) load(ctx context.Context, name string) (*catalogue.Entry, *datasets.Set, error) {
	e, err := a.set(name)
	if err != nil {
		return nil, nil, err
	}
	set, err := read.Load(ctx, a.dataDir(), e)
	if err != nil {
		return nil, nil, exitError{exitIncomplete, err}
	}
	return e, set, nil
}

// Execute runs the command line on the methods of reg and returns the exit code.
// A program of its own is
//
//	func main() { os.Exit(cmd.Execute(methods.All().With(mymethod.Spec()))) }
func Execute(reg registry.Registry) int {
	if err := sandbox.FreezeTimes(); err != nil { // in a worker, before it makes or opens files
		fmt.Fprintln(os.Stderr, "bench:", err)
		return exitInternal
	}
	return execute(reg, os.Args[1:], os.Stdout, os.Stderr)
}

func execute(reg registry.Registry, args []string, stdout, stderr io.Writer) int {
	out, said := newOutput(stdout), &messages{wording.Writer{To: stderr}}
	a := &app{own: reg, reg: reg, out: out, err: said, sets: catalogue.Builtin(), signals: interrupts}
	root := newRootCommand(a)
	args, whole := withAllFlags(args)
	if whole {
		root.Annotations = map[string]string{rareFlag: ""}
	}
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(said)
	defer a.closePlugins()
	// A pipe that nobody reads any more is an error of writing, and no signal that leaves private folders behind.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	err := root.ExecuteContext(context.Background())
	switch {
	case errors.Is(out.err, syscall.EPIPE):
		return exitUnread
	case out.err != nil: // also if cobra, which prints help, ignores the error
		err = exitError{exitScarce, fmt.Errorf("standard output: %w", out.err)}
	case err == nil:
		return exitOK
	}
	e := withCode(err)
	if e.err != nil {
		lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
		for i, line := range lines {
			lines[i] = wording.Spelled(line)
		}
		fmt.Fprintf(said, "bench: %s\n", strings.Join(lines, "\n"))
	}
	return e.code
}

// withCode chooses the exit code of an error that has none. What the system refuses has its own code, whatever was done
// then, but for an interrupt.
func withCode(err error) exitError {
	var e exitError
	if !errors.As(err, &e) {
		e = exitError{exitInternal, err}
		switch {
		case isUsage(err), errors.Is(err, fs.ErrNotExist): // a path that was asked for
			e.code = exitUsage
		case store.IsDamage(err):
			e.code = exitIncomplete
		case errors.As(err, new(syscall.Errno)):
			e.code = exitScarce
		}
	}
	refused := errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
	if e.code != exitInterrupted && (scarcity.Is(err) || store.Scarce(err)) || e.code == exitUsage && refused {
		e.code = exitScarce
	}
	return e
}

// takes requires an argument for each name, and no further one.
func takes(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		want, got := "no argument", "none"
		if len(names) > 0 {
			want = strings.Join(names, " ")
		}
		if len(args) > 0 {
			got = strings.Join(args, " ")
		}
		return usage("%s takes %s, not %s; see `%[1]s --help`", c.CommandPath(), want, got)
	}
}

func takesSome(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return usage("%s takes %s, not none; see `%[1]s --help`", c.CommandPath(), what)
	}
}

// isUsage recognises the errors that cobra makes itself; it has no type for them.
func isUsage(err error) bool {
	starts := []string{"unknown command", "unknown flag", "unknown shorthand", "flag needs", "invalid argument",
		"required flag"}
	return slices.ContainsFunc(starts, func(start string) bool { return strings.HasPrefix(err.Error(), start) })
}

func newRootCommand(a *app) *cobra.Command {
	root := group(&cobra.Command{
		Use:               "bench",
		Short:             "Compare kernel and boosting methods under one protocol, with the evidence kept",
		Version:           environment.ProgramVersion,
		SilenceUsage:      true,
		SilenceErrors:     true,
		DisableAutoGenTag: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	})
	root.PersistentFlags().StringVar(&a.db, "db", "results.db", "results database")
	root.PersistentFlags().StringVar(&a.data, "data", "", "data directory (default $BENCH_DATA, else the user's cache)")
	root.PersistentFlags().StringVar(&a.limit, "memory", "", "limit of the memory that cells need together, an "+
		"isolated cell needs, or loading a data set or a model needs, e.g. 8GiB (default three quarters of the "+
		"machine's)")
	root.PersistentFlags().StringArrayVar(&a.named, "plugin", nil, "add the method of a plugin, by its `file`; "+
		"repeatable (plugins in plugins/ and $BENCH_PLUGINS are found without it)")
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) (err error) {
		if a.memory, err = memoryLimit(a.limit); err != nil {
			return err
		}
		if a.db == "" || a.db == ":memory:" {
			return usage("--db %q names no file", a.db)
		}
		if _, err := environment.Forced(); err != nil {
			return usageError(err)
		}
		if err := a.sets.AddFolder(a.added()); err != nil {
			return usage("%w", err)
		}
		if err := a.checkPermissions(); err != nil || a.named == nil || !needsMethods(c) {
			return err
		}
		if err := a.findPlugins(); err != nil {
			return err
		}
		return a.ask(func(f *foundPlugin) bool { return f.from == fromFlag })
	}
	root.SetVersionTemplate("bench {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newRunCommand(a), newWorkerCommand(a), newStatusCommand(a), newQueryCommand(a),
		newVerifyCommand(a), newDiffCommand(a), newImportCommand(a), newExportCommand(a), newPaperCommand(a),
		newExperimentCommand(a),
		newDataCommand(a), newProtocolCommand(a), newMethodsCommand(a), newDBCommand(a), newVersionCommand(a),
		newCellCommand(a))
	root.AddCommand(newReportCommands(a)...)
	checkHelp(root)
	formatHelp(root, min(max(terminalWidth(a.out, ""), leastHelpWidth), helpWidth))
	readHelp(root)
	root.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknown(c, args[0])
		}
		_, err := fmt.Fprint(c.OutOrStdout(), begin)
		return err
	}
	return root
}

// group is a command that only holds others: called alone it shows its help, and
// a word it does not know is a usage error with suggestions.
func group(c *cobra.Command, members ...*cobra.Command) *cobra.Command {
	c.AddCommand(members...)
	c.Args, c.Run = cobra.ArbitraryArgs, nil
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return unknown(c, args[0])
	}
	return c
}

// flagError is the error of a flag that the command c does not have. It suggests flags of c with similar names, or else
// the help. If c only holds other commands, a word before the flag is a mistyped command, and the error is about it.
func flagError(c *cobra.Command, err error) error {
	if words := c.Flags().Args(); c.HasSubCommands() && len(words) > 0 {
		return unknown(c, words[0])
	}
	if name, found := strings.CutPrefix(err.Error(), "unknown flag: --"); found {
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		name, _, _ = strings.Cut(name, "=")
		if meant := wording.Suggest(name, known); meant != nil {
			return usage("%w; did you mean --%s?", err, strings.Join(meant, " or --"))
		}
	}
	return usage("%w; see `%s --help`", err, c.CommandPath())
}

// unknown is the error that c has no command of this name; it suggests similar names.
func unknown(c *cobra.Command, name string) error {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(append(names, sub.Name()), sub.Aliases...)
		}
	}
	hint := "see `" + c.CommandPath() + " --help`"
	if meant := wording.Suggest(name, names); meant != nil {
		hint = "did you mean " + strings.Join(meant, " or ") + "?"
	}
	return usage("unknown command %q for %q; %s", name, c.CommandPath(), hint)
}

// checkHelp makes `bench help` and `bench completion` fail for a command that does not exist.
func checkHelp(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"})
	group(completion)
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, args []string) error {
		if c, rest, _ := root.Find(args); len(rest) > 0 {
			return unknown(c, rest[0])
		}
		return nil
	}
	var man bool
	help.Flags().BoolVar(&man, "man", false, "the manual page of all commands, in roff")
	show := help.Run
	help.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case !man:
			show(c, args)
			return nil
		case len(args) > 0:
			return usage("help --man is one page of all commands; leave %s out", strings.Join(args, " "))
		}
		_, err := io.WriteString(c.OutOrStdout(), manual(c.Root()))
		return err
	}
}

var memoryUnits = []struct {
	suffix string
	bytes  float64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6},
	{"B", 1}}

// memoryLimit parses "8GiB"; the default is three quarters of what
// the machine, or the control group that the program is in, has.
func memoryLimit(text string) (int64, error) {
	if text == "" {
		return processes.MemoryBytes() / 4 * 3, nil
	}
	for _, u := range memoryUnits {
		if number, ok := strings.CutSuffix(text, u.suffix); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err == nil && v*u.bytes >= 1 && v*u.bytes < 1<<62 {
				return int64(v * u.bytes), nil
			}
			break
		}
	}
	return 0, usage("--memory %q is not a size of at least one byte with its unit; write for example 8GiB or 500MiB",
		text)
}

// collectWithin makes the garbage collector work before the program outgrows --memory, and returns a function that
// undoes this. GOMEMLIMIT may ask for less.
func collectWithin(memory int64) (undo func()) {
	before := debug.SetMemoryLimit(-1)
	if memory > 0 {
		debug.SetMemoryLimit(min(before, runner.HeapLimit(memory)))
	}
	return func() { debug.SetMemoryLimit(before) }
}

func newVersionCommand(a *app) *cobra.Command {
	return a.lists(&cobra.Command{
		Use:   "version",
		Short: "Print the version of the program and what results record of this machine",
		Args:  takes(),
	}, func(_ *cobra.Command, _ []string, l *listing) error {
		e := environment.Current()
		l.header, l.rows = []string{"what", "value"}, [][]any{
			{"version", e.ProgramVersion}, {"revision", e.VCSRevision}, {"modified", e.VCSModified},
			{"go", e.GoVersion},
			{"system", fmt.Sprintf("%s/%s %s", e.OS, e.Arch, e.Kernel)}, {"cpu", e.CPU}, {"cores", e.Cores},
			{"memory_bytes", e.MemoryBytes},
			{"data", a.dataDir().Dir()},
		}
		return nil
	})
}
