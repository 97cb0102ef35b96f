package cmd

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/kernelboosting/bench/datasets/fetch"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/spf13/cobra"
)

func newDataAddCommand(a *app) *cobra.Command {
	add := fetch.Adder{Web: &fetch.Polite{Options: fetch.Options{Agent: "bench/" + environment.ProgramVersion}}}
	c := &cobra.Command{
		Use:   "add REF ...",
		Short: "Add data sets of OpenML by their numbers",
		Args:  takesSome("at least one REF, such as openml:40981"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			out := []cobra.Completion{fetch.Set, fetch.Task}
			for _, name := range fetch.Suites() {
				out = append(out, fetch.Suite+name)
			}
			return out, cobra.ShellCompDirectiveNoSpace
		},
		RunE: func(c *cobra.Command, args []string) error {
			return runDataAdd(a, c, add, args)
		},
	}
	flags := c.Flags()
	flags.StringVar(&add.Server, "server", os.Getenv("BENCH_OPENML"), "address of the server (default $BENCH_OPENML, "+
		"else "+fetch.PublicServer+")")
	flags.StringVar(&add.From, "from", "", "a folder with ARFF files that is asked before the server, such as the "+
		"folder openml of another data directory")
	flags.BoolVar(&add.DropText, "drop-text", false, "leave out columns of text and of dates; without it a set that "+
		"has one is refused")
	dropFlag(c, &add.Drop)
	groupFlag(c, &add.Group)
	a.forceFlag(c)
	flags.DurationVar(&add.Web.Pause, "pause", time.Second, "time between two requests")
	rare(c, "server", "pause")
	return c
}

func runDataAdd(a *app, c *cobra.Command, add fetch.Adder, refs []string) error {
	ctx, done := a.untilSignal(c.Context())
	defer done()
	add.Dir, add.Memory, add.Write = a.added(), a.memory, a.write
	for _, ref := range refs {
		if err := fetch.Check(ref); err != nil {
			return usageError(err)
		}
	}
	if add.From != "" {
		if info, err := os.Stat(add.From); err != nil || !info.IsDir() {
			return usage("--from %s: that is no folder; name one with ARFF files", add.From)
		}
	}
	add.Tell = a.say
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
