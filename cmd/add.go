package cmd

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/kernelboosting/bench/datasets/fetch"
	"github.com/kernelboosting/bench/datasets/openml"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/spf13/cobra"
)

func newDataAddCommand(a *app) *cobra.Command {
	add := openml.Adder{Web: &fetch.Polite{Options: fetch.Options{Agent: "bench/" + environment.ProgramVersion}}}
	c := &cobra.Command{
		Use:   "add REF ...",
		Short: "Add data sets of OpenML by their numbers: sets, tasks with their splits, whole suites",
		Long: `add brings data sets of OpenML into the folder openml of the data directory, each with a
description, and makes them known by name: data set 40981, Australian, is Australian-40981.
REF is openml:40981 for a data set with its default target, openml-task:146818 for the data
set of a task with the task's target and splits, or openml-suite:99 (also openml-suite:OpenML-CC18)
for the sets of all its tasks, and a group of these for --datasets.

Files are compared with the server's MD5, and their SHA-256 goes into the description. What
is there is not asked for again, so that an interrupted suite goes on where it was. A set of
a suite that cannot be had or read is left out with the reason, and the exit code is then 3.

A set without some of its columns (--drop) is another set, and its name says so:
Australian-40981-without-A1-A7. So is one whose rows belong together by a column (--group):
the name ends in -by- and the column.`,
		Example: `  bench data add openml:40981
  bench data add openml-suite:OpenML-CC18
  bench run --methods LGBM --datasets OpenML-CC18`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("bench data add takes at least one REF, such as openml:40981; see `bench data add --help`")
			}
			for _, ref := range args {
				if err := openml.Check(ref); err != nil {
					return usage("%w", err)
				}
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			out := []cobra.Completion{openml.Set, openml.Task}
			for _, name := range openml.Suites() {
				out = append(out, openml.Suite+name)
			}
			return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		},
		RunE: func(c *cobra.Command, args []string) error { return a.add(c, add, args) },
	}
	flags := c.Flags()
	flags.StringVar(&add.Server, "server", os.Getenv("BENCH_OPENML"), "address of the server (default $BENCH_OPENML, "+
		"else "+openml.PublicServer+")")
	flags.StringVar(&add.From, "from", "", "a folder with ARFF files that is asked before the server, such as the "+
		"folder openml of another data directory")
	flags.BoolVar(&add.DropText, "drop-text", false, "leave columns of text and of dates out; otherwise a set that "+
		"has one is refused")
	dropFlag(c, &add.Drop)
	groupFlag(c, &add.Group)
	a.forceFlag(c)
	flags.DurationVar(&add.Web.Pause, "pause", time.Second, "between two requests")
	rare(c, "server", "pause")
	return c
}

func (a *app) add(c *cobra.Command, add openml.Adder, refs []string) error {
	ctx, done := a.untilSignal(c.Context())
	defer done()
	add.Dir, add.Memory, add.Write = a.added(), a.memory, a.write
	if add.From != "" {
		if info, err := os.Stat(add.From); err != nil || !info.IsDir() {
			return usage("--from %s: that is no folder; name one with ARFF files", add.From)
		}
	}
	add.Tell = func(format string, args ...any) { fmt.Fprintf(a.err, format+"\n", args...) }
	add.Web.Waiting = func(address string, wait time.Duration, why error) {
		add.Tell("%s: %v; asked again in %v", address, why, wait.Round(time.Second))
	}
	var failures []error
	left := 0
	for _, ref := range refs {
		out, err := add.Add(ctx, ref)
		left += len(out)
		if err != nil {
			failures = append(failures, err)
		}
		if ctx.Err() != nil {
			return exitError{exitInterrupted, err}
		}
	}
	switch err := errors.Join(failures...); {
	case err != nil:
		return exitError{exitIncomplete, err}
	case left > 0:
		return exitError{exitIncomplete, fmt.Errorf("%s left out, for the reasons above", plural(left, "set"))}
	}
	return nil
}
