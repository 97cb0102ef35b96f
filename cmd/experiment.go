package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/experiment"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newExperimentCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "experiment",
		Short: "Draw tables and figures of papers, with a verdict on each claim",
	}, newExperimentListCommand(a), newExperimentShowCommand(a), newExperimentRunCommand(a))
}

func newExperimentListCommand(a *app) *cobra.Command {
	return a.lists(&cobra.Command{Use: "list", Short: "List the experiments", Args: takes()},
		func(_ *cobra.Command, _ []string, l *listing) error {
			all, err := experiments.All()
			l.header = []string{"experiment", "protocol", "claims", "title"}
			l.less = []string{"protocol"}
			for _, e := range all {
				l.add(e.Name, e.Protocol, len(e.Claims), e.Title)
			}
			return err
		})
}

// experimentOptions are those of run and show.
type experimentOptions struct {
	report  reportOptions
	run     runOptions
	quick   bool
	explain bool
}

func newExperimentShowCommand(a *app) *cobra.Command {
	var f experimentOptions
	c := &cobra.Command{
		Use:   "show NAME|FILE",
		Short: "Draw an experiment from what is stored, and decide its claims",
		Args:  takes("an experiment's name or a TOML file"),
		RunE: func(c *cobra.Command, args []string) error {
			e, err := orUsage(experiments.Load(args[0]))
			if err != nil {
				return err
			}
			return runExperimentShow(a, c, e, f)
		},
	}
	c.Flags().BoolVar(&f.quick, "quick", false, "only the part that bench experiment run --quick computes")
	permissionFlags(a, c)
	a.outputFlags(c, &f.report)
	completeExperiments(c)
	return c
}

func newExperimentRunCommand(a *app) *cobra.Command {
	var f experimentOptions
	c := &cobra.Command{
		Use:   "run NAME|FILE",
		Short: "Compute the cells of an experiment that are not stored, then show it",
		Args:  takes("an experiment's name or a TOML file"),
		RunE: func(c *cobra.Command, args []string) error {
			e, err := orUsage(experiments.Load(args[0]))
			if err != nil {
				return err
			}
			if e.MaxCell > 0 && !c.Flags().Changed("max-cell") {
				f.run.maxCell = e.MaxCell
			}
			return runExperimentRun(a, c, e, f)
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.quick, "quick", false, "a part that takes less than a minute")
	flags.BoolVar(&f.run.dryRun, "dry-run", false, "say how long it takes, and run nothing")
	flags.BoolVar(&f.explain, "explain", false, "with --dry-run: name each cell that would run, and the input that "+
		"changed")
	flags.BoolVar(&f.run.retry, "retry", false, "run cells again that failed or timed out")
	permissionFlags(a, c)
	yesToLongRuns(c)
	jobsFlag(c, &f.run.jobs, "cells to run at a time, 1 where times are compared")
	maxCellFlag(c, &f.run.maxCell, ", if the experiment sets no other limit")
	a.outputFlags(c, &f.report)
	completeExperiments(c)
	return c
}

func completeExperiments(c *cobra.Command) {
	c.ValidArgsFunction = cobra.FixedCompletions(experiments.Names(), cobra.ShellCompDirectiveDefault)
}

// runExperimentRun runs an experiment's cells and shows the experiment, even if cells are missing. The exit code is
// that of the run.
func runExperimentRun(a *app, c *cobra.Command, e *experiments.Experiment, f experimentOptions) error {
	if f.explain && !f.run.dryRun {
		return usage("--explain is of the plan that --dry-run prints; add --dry-run")
	}
	passes, err := experimentPasses(a, e, &f)
	if err != nil {
		return err
	}
	if load := processes.Busy(); e.Alone && !f.run.dryRun && load > 0.5 {
		a.say("the machine is busy (%.1f processes wanted a core in the last minute): times will vary", load)
	}
	var incomplete error
	for _, splits := range passes {
		f.run.splits = splits
		err := runRun(c.Context(), a, f.run)
		if code := (exitError{}); errors.As(err, &code) && code.code == exitIncomplete {
			incomplete = err
		} else if err != nil {
			return err
		}
	}
	if f.run.dryRun {
		return incomplete
	}
	if err := runExperimentShow(a, c, e, f); err != nil {
		return err
	}
	return incomplete
}

// experimentPasses turns an experiment into a request, and returns the splits of each run. It is one run with all
// splits. If times are compared, it is one run for each split, so that the methods take turns.
func experimentPasses(a *app, e *experiments.Experiment, f *experimentOptions) ([]string, error) {
	exp, err := a.experiment(e.Protocol)
	if err != nil {
		return nil, err
	}
	part, err := e.PartOf(exp.Protocol, f.quick)
	if err != nil {
		return nil, usageError(err)
	}
	f.run.protocol, f.run.methods, f.run.datasets = e.Protocol, part.Methods, part.Datasets
	if f.run.datasets == nil {
		f.run.datasets = exp.Protocol.Datasets
	}
	f.run.keep, f.run.explain = string(runner.KeepScores), f.explain
	f.run.plan = &listing{format: "table", out: a.out, err: a.err}
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

func runExperimentShow(a *app, c *cobra.Command, e *experiments.Experiment, f experimentOptions) error {
	return a.draw(c, f.report, func(ctx context.Context) (doc.Document, error) {
		return drawExperiment(ctx, a, c, e, f.quick)
	})
}

func drawExperiment(ctx context.Context, a *app, c *cobra.Command, e *experiments.Experiment,
	quick bool) (d doc.Document, err error) {
	exp, err := a.experiment(e.Protocol)
	if err != nil {
		return d, err
	}
	part, err := orUsage(e.PartOf(exp.Protocol, quick))
	if err != nil {
		return d, err
	}
	from, remove, err := experimentResults(ctx, a, exp)
	if err != nil {
		return d, err
	}
	defer remove()
	cells, err := cellsOf(ctx, exp, part)
	if err != nil {
		return d, err
	}
	d, err = experiment.Build(e, part, quick, experiment.Source{
		Cells: cells,
		Rows: func(methods, datasets []string) (frame.Frame, error) {
			return a.frame(ctx, reportOptions{selection: selection{protocol: e.Protocol, methods: methods,
				datasets: datasets,
				splits:   fmt.Sprint(part.Splits)}})
		},
		Drawn: map[string]experiment.Drawn{
			"boundary": func(given, methods, datasets []string) (doc.Document, error) {
				b := boundaryOptions{}
				if err := parseShown("boundary", given, b.add); err != nil {
					return doc.Document{}, err
				}
				if b.methods = methods; methods == nil {
					b.methods = exp.Protocol.Columns
				}
				if b.datasets = datasets; datasets == nil {
					b.datasets = exp.Protocol.Datasets
				}
				return drawBoundaries(a, c, exp, b)
			},
		},
	})
	if request := (*frame.RequestError)(nil); errors.As(err, &request) {
		err = usageError(err)
	}
	if from != "" {
		d.Database, d.Why = from, fmt.Sprintf("%s && %s", a.importing(exp.Protocol.Name), d.Why)
	}
	return d, err
}

// cellsOf counts the cells of a part, whether or not they are stored or their data is here.
func cellsOf(ctx context.Context, exp *plan.Experiment, part experiments.Part) (int, error) {
	splits, err := plan.Splits(fmt.Sprint(part.Splits), "")
	if err != nil {
		return 0, err
	}
	req := plan.Request{Methods: part.Methods, Datasets: part.Datasets, Splits: splits}
	if req.Methods == nil && exp.Protocol.Only {
		req.Methods = exp.Protocol.Columns
	}
	todo, err := exp.Plan(ctx, req, nil, nil)
	if err != nil {
		return 0, usageError(err)
	}
	return todo.Requested, nil
}

// parseShown reads the flags that an experiment gives to a report.
func parseShown(report string, given []string, add func(*pflag.FlagSet)) error {
	flags := pflag.NewFlagSet(report, pflag.ContinueOnError)
	add(flags)
	if err := flags.Parse(given); err != nil || flags.NArg() > 0 {
		return usage("show: flags of report %s: %v; see `bench report %[1]s --help`", report, given)
	}
	return nil
}

// experimentResults makes results of a protocol available. If the database has none, the results that come with the
// program are read into a temporary database, which is used in its place until remove is called. It is an error if the
// program comes with none either. from describes these results in words, and is "" for the user's own database.
func experimentResults(ctx context.Context, a *app, exp *plan.Experiment) (from string, remove func(), err error) {
	db, err := a.readerIfAny(ctx)
	if err != nil {
		return "", nil, err
	}
	name := exp.Protocol.Name
	if db != nil {
		stored, err := db.Versions(ctx, name)
		db.Close()
		if err != nil || len(stored) > 0 {
			return "", func() {}, err
		}
	}
	if !reference.Has(name) {
		return "", nil, usage("%s holds no result of protocol %s, and the program comes with none; "+
			"compute them with `bench experiment run`", a.db, name)
	}
	dir, err := os.MkdirTemp("", "bench-results-")
	if err != nil {
		return "", nil, err
	}
	path := filepath.Join(dir, "results.db")
	in, err := verify.New(ctx, exp, path, included(name+".bench", name))
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	from = "the results that come with the program"
	own := a.db
	a.db, a.included = path, from
	if old := cellsIn(in.Old); old > 0 {
		from += fmt.Sprintf(" (%d of %d are out of date, as by an earlier version of a method)", old, in.Taken)
	}
	a.say("%s holds no result of protocol %s: drawn from %s", own, name, from)
	return from, func() {
		a.db, a.included = own, ""
		_ = os.RemoveAll(dir)
	}, nil
}
