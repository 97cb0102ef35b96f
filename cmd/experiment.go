package cmd

import (
	"errors"
	"fmt"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/system/machine"
	"github.com/spf13/cobra"
)

func newExperimentCommand(a *app) *cobra.Command {
	c := group(&cobra.Command{
		Use:   "experiment",
		Short: "Tables and figures of papers, by name, with a verdict on what they claim",
		Long: `experiment draws the tables and figures of the papers behind this program, the printed
numbers beside ours, and says of each claim whether it holds, fails or is not told
apart. An experiment is a protocol, the reports that draw it, and claims with a rule on
the numbers (docs/explanation/experiments.md); one of your own is a TOML file of the same form.`,
		Example: `  bench experiment list
  bench experiment show ecml-figure2
  bench experiment run ecml-figure2 --quick`,
	})
	c.AddCommand(newExperimentListCommand(a), newExperimentShowCommand(a), newExperimentRunCommand(a))
	return c
}

func newExperimentListCommand(a *app) *cobra.Command {
	return a.lists(&cobra.Command{Use: "list", Short: "List the experiments", Args: takes()}, func(*cobra.Command, []string) (*listing, error) {
		all, err := experiments.All()
		l := &listing{header: []string{"experiment", "protocol", "claims", "title"}}
		for _, e := range all {
			l.add(e.Name, e.Protocol, len(e.Claims), e.Title)
		}
		return l, err
	})
}

// experimentFlags are the flags of run and show.
type experimentFlags struct {
	report reportFlags
	run    runFlags
	quick  bool
	why    bool
}

func newExperimentShowCommand(a *app) *cobra.Command {
	var f experimentFlags
	c := &cobra.Command{
		Use:   "show NAME|FILE",
		Short: "Draw an experiment from what is stored, and decide its claims",
		Long: `show draws an experiment from the results in the database. Without any there, it draws
the results that come with the program, where it has them.`,
		Example: `  bench experiment show ecml-figure2
  bench experiment show ecml-figure3 -o figures/
  bench experiment show mine.toml --format html -o mine.html`,
		Args: takes("an experiment's name or a TOML file"),
		RunE: func(c *cobra.Command, args []string) error {
			e, err := a.experiment(args[0])
			if err != nil {
				return err
			}
			return a.showExperiment(c, e, f)
		},
	}
	c.Flags().BoolVar(&f.quick, "quick", false, "only the part that bench experiment run --quick computes")
	outputFlags(c, &f.report)
	completeExperiments(c)
	return c
}

func newExperimentRunCommand(a *app) *cobra.Command {
	var f experimentFlags
	c := &cobra.Command{
		Use:   "run NAME|FILE",
		Short: "Compute what an experiment needs and is not stored, then show it",
		Long: `run computes the cells of an experiment that are not stored, as ` + "`bench run`" + ` does: an
interrupted run is continued by the same command, and --quick computes a part in less
than a minute that the whole keeps. Where an experiment compares times, one cell runs at a
time and the methods take turns, one split after the other; leave the machine alone then.`,
		Example: `  bench experiment run ecml-figure2 --quick
  bench experiment run ecml-figure2 --dry-run
  bench experiment run ecml-figure2 --dry-run --why`,
		Args: takes("an experiment's name or a TOML file"),
		RunE: func(c *cobra.Command, args []string) error {
			e, err := a.experiment(args[0])
			if err != nil {
				return err
			}
			if e.MaxCell > 0 && !c.Flags().Changed("max-cell") {
				f.run.maxCell = e.MaxCell
			}
			return a.runExperiment(c, e, f)
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.quick, "quick", false, "a part that takes less than a minute")
	flags.BoolVar(&f.run.dryRun, "dry-run", false, "say how long it takes, run nothing")
	flags.BoolVar(&f.why, "why", false, "with --dry-run: name each cell that would run, and the input that changed")
	flags.BoolVar(&f.run.retry, "retry", false, "run again cells that failed or timed out")
	flags.BoolVar(&f.run.yes, "yes", false, "start without asking, however long it takes")
	jobsFlag(c, &f.run.jobs, "cells to run at a time, 1 where times are compared")
	flags.DurationVar(&f.run.maxCell, "max-cell", defaultMaxCell, "skip cells that are predicted to take longer on one core, if the experiment sets no other limit; 0 for none")
	outputFlags(c, &f.report)
	completeExperiments(c)
	return c
}

func completeExperiments(c *cobra.Command) {
	c.ValidArgsFunction = cobra.FixedCompletions(experiments.Names(), cobra.ShellCompDirectiveDefault)
}

// experiment loads an experiment by its name or file.
func (a *app) experiment(name string) (*experiments.Experiment, error) {
	return asked(experiments.Load(name))
}

// runExperiment runs an experiment's cells and shows the experiment, even if cells are missing. The exit code is that of
// the run.
func (a *app) runExperiment(c *cobra.Command, e *experiments.Experiment, f experimentFlags) error {
	if f.why && !f.run.dryRun {
		return usage("--why is of the plan that --dry-run prints; add --dry-run")
	}
	passes, err := a.passes(e, &f)
	if err != nil {
		return err
	}
	if load := machine.Busy(); e.Alone && !f.run.dryRun && load > 0.5 {
		fmt.Fprintf(a.err, "the machine is busy (%.1f processes wanted a core in the last minute): times will vary\n", load)
	}
	var incomplete error
	for _, splits := range passes {
		f.run.splits = splits
		err := a.run(c.Context(), f.run)
		if code := (exitError{}); errors.As(err, &code) && code.code == exitIncomplete {
			incomplete = err
		} else if err != nil {
			return err
		}
	}
	if f.run.dryRun {
		return incomplete
	}
	if err := a.showExperiment(c, e, f); err != nil {
		return err
	}
	return incomplete
}

// passes turns an experiment into a request, and returns the splits of each run. It is one run with all splits. If times
// are compared, it is one run for each split, so that the methods take turns.
func (a *app) passes(e *experiments.Experiment, f *experimentFlags) ([]string, error) {
	h, err := a.harness(e.Protocol)
	if err != nil {
		return nil, err
	}
	part, err := e.Of(h.Protocol, f.quick)
	if err != nil {
		return nil, exitError{exitUsage, err}
	}
	f.run.protocol, f.run.methods, f.run.datasets = e.Protocol, part.Methods, part.Datasets
	if f.run.datasets == nil {
		f.run.datasets = h.Protocol.Datasets
	}
	f.run.keep, f.run.explain, f.run.format = string(runner.KeepScores), f.why, "table"
	if !e.Alone || f.run.dryRun {
		return []string{fmt.Sprintf("1-%d", part.Splits)}, nil
	}
	f.run.jobs = 1
	var out []string
	for s := 1; s <= part.Splits; s++ {
		out = append(out, fmt.Sprintf("%d-%d", s, s))
	}
	return out, nil
}
