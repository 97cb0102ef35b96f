package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/kernelboosting/bench/harness/admit"
	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports"
	"github.com/kernelboosting/bench/reports/claims"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/report"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// showExperiment draws an experiment and decides its claims.
func (a *app) showExperiment(c *cobra.Command, e *experiments.Experiment, f experimentFlags) error {
	out, err := newReportOutput(f.report)
	if err != nil {
		return err
	}
	h, err := a.harness(e.Protocol)
	if err != nil {
		return err
	}
	part, err := e.Of(h.Protocol, f.quick)
	if err != nil {
		return exitError{exitUsage, err}
	}
	ctx, done := a.untilSignal(c.Context())
	defer done()
	from, remove, err := a.experimentResults(ctx, h)
	if err != nil {
		return err
	}
	defer remove()
	d := doc.Document{Report: "experiment", Title: e.Title, Label: "exp:" + e.Name}
	if f.quick {
		d.Warnings = append(d.Warnings, fmt.Sprintf("This is the quick part of the experiment; `bench experiment run %s` computes the whole.", nameOf(e)))
	}
	rows, err := a.experimentFrame(ctx, c, e, h, part, experiments.Show{})
	if err != nil {
		return err
	}
	decided, err := claims.Decide(rows, e.Claims)
	if err != nil {
		return exitError{exitUsage, err}
	}
	verdicts := claims.Blocks(decided)
	if verdicts != nil {
		d.Blocks = append(d.Blocks, verdicts[0])
	}
	for _, show := range e.Shows {
		if show.Datasets != nil && f.quick && part.Datasets != nil {
			show.Datasets = slices.DeleteFunc(slices.Clone(show.Datasets), func(set string) bool { return !slices.Contains(part.Datasets, set) })
			if len(show.Datasets) == 0 {
				continue
			}
		}
		one, err := a.drawn(ctx, c, e, h, part, show)
		if err != nil {
			return err
		}
		add(&d, one)
	}
	if verdicts != nil {
		d.Blocks = append(d.Blocks, verdicts[1:]...)
	}
	d.Notes = append(append([]string{"Source: " + e.Source + "."}, e.Notes...), d.Notes...)
	if from != "" {
		d.Database = from
	}
	return a.emit(ctx, d, f.report, out)
}

// nameOf is what a command calls an experiment.
func nameOf(e *experiments.Experiment) string {
	if e.Path != "" {
		return e.Path
	}
	return e.Name
}

// drawn is the document of one report of an experiment.
func (a *app) drawn(ctx context.Context, c *cobra.Command, e *experiments.Experiment, h *plan.Experiment, part experiments.Part, show experiments.Show) (doc.Document, error) {
	if show.Report == "boundary" {
		return a.drawnBoundaries(c, e, h, part, show)
	}
	all := reports.All()
	at := slices.IndexFunc(all, func(r report.Report) bool {
		return (r.Name == show.Report || slices.Contains(r.Aliases, show.Report)) && r.Args == ""
	})
	if at < 0 {
		return doc.Document{}, usage("experiment %s: show: no report is named %q; `bench report` lists them", e.Name, show.Report)
	}
	flags := pflag.NewFlagSet(show.Report, pflag.ContinueOnError)
	build := all[at].Flags(flags)
	if err := flags.Parse(show.Flags); err != nil || flags.NArg() > 0 {
		return doc.Document{}, usage("experiment %s: show: flags of report %s: %v; see `bench report %[2]s --help`", e.Name, show.Report, show.Flags)
	}
	rows, err := a.experimentFrame(ctx, c, e, h, part, show)
	if err != nil {
		return doc.Document{}, err
	}
	d, err := build(rows, nil)
	if err != nil {
		return d, exitError{exitUsage, fmt.Errorf("experiment %s: report %s: %w", e.Name, show.Report, err)}
	}
	return d, nil
}

// drawnBoundaries draws boundaries of an experiment: of the part's methods and sets where show names none.
func (a *app) drawnBoundaries(c *cobra.Command, e *experiments.Experiment, h *plan.Experiment, part experiments.Part, show experiments.Show) (doc.Document, error) {
	var b boundaryFlags
	flags := pflag.NewFlagSet(show.Report, pflag.ContinueOnError)
	b.add(flags)
	if err := flags.Parse(show.Flags); err != nil || flags.NArg() > 0 {
		return doc.Document{}, usage("experiment %s: show: flags of report boundary: %v; see `bench report boundary --help`", e.Name, show.Flags)
	}
	b.methods, b.datasets = firstOf(show.Methods, part.Methods, h.Protocol.Columns), firstOf(show.Datasets, part.Datasets, h.Protocol.Datasets)
	return a.boundaries(c, h, b)
}

// firstOf returns the first of the lists that is not nil, and nil if all are.
func firstOf(lists ...[]string) []string {
	for _, l := range lists {
		if l != nil {
			return l
		}
	}
	return nil
}

// experimentFrame reads what a report of an experiment is made of.
func (a *app) experimentFrame(ctx context.Context, c *cobra.Command, e *experiments.Experiment, h *plan.Experiment, part experiments.Part, show experiments.Show) (frame.Frame, error) {
	f := reportFlags{selection: selection{protocol: e.Protocol, methods: firstOf(show.Methods, part.Methods), datasets: firstOf(show.Datasets, part.Datasets), splits: fmt.Sprint(part.Splits)}}
	if f.methods == nil && h.Protocol.Only {
		f.methods = h.Protocol.Columns
	}
	rows, err := a.frame(ctx, c, f)
	for _, p := range e.Printed {
		rows.Protocol.Sweep.Printed = append(rows.Protocol.Sweep.Printed, frame.Printed(p))
	}
	return rows, err
}

// add puts the blocks of a report into a document that has several.
func add(d *doc.Document, one doc.Document) {
	if d.Environment == nil {
		d.Provenance = one.Provenance
	} else {
		d.Queries = append(d.Queries, one.Queries...)
	}
	for _, w := range one.Warnings {
		if !slices.Contains(d.Warnings, w) {
			d.Warnings = append(d.Warnings, w)
		}
	}
	for _, n := range one.Notes {
		if !slices.Contains(d.Notes, n) {
			d.Notes = append(d.Notes, n)
		}
	}
	for i, b := range one.Blocks {
		if code, ok := b.(doc.Code); ok && code.Language == "sh" {
			continue // how to run what is missing: `bench experiment run` does
		}
		if prose, ok := b.(doc.Prose); ok && i == 0 && prose.Heading == "" {
			prose.Heading = one.Title
			b = prose
		}
		d.Blocks = append(d.Blocks, b)
	}
}

// experimentResults makes the database hold results of a protocol: where it has none, those that come with the program are read
// into a temporary database. from says so in words, "" for the user's own database; remove deletes the temporary one.
func (a *app) experimentResults(ctx context.Context, h *plan.Experiment) (from string, remove func(), err error) {
	name := h.Protocol.Name
	db, err := store.OpenReader(ctx, a.db)
	switch {
	case err == nil:
		stored, err := db.Versions(ctx, name)
		db.Close()
		if err != nil || len(stored) > 0 {
			return "", func() {}, err
		}
	case !isNoDatabase(err):
		return "", nil, unreadable(err)
	}
	file, there, err := reference.File(name)
	if err != nil {
		return "", nil, err
	}
	if !there {
		return "", nil, exitError{exitUsage, fmt.Errorf("%s holds no result of protocol %s, and the program comes with none; compute them with `bench experiment run`", a.db, name)}
	}
	runs, err := bundle.Read(file)
	if err != nil {
		return "", nil, err
	}
	in, err := admit.Runs(ctx, h, runs, name+".bench", nil)
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "bench-experiment-")
	if err != nil {
		return "", nil, err
	}
	stored := a.db
	remove = func() { a.db = stored; _ = os.RemoveAll(dir) }
	a.db = filepath.Join(dir, "results.db")
	to, err := store.Open(ctx, a.db)
	if err == nil {
		err = a.storeImported(ctx, to, in.Runs)
		to.Close()
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	old := 0
	for _, g := range in.Old {
		old += g.Cells
	}
	from = "the results that come with the program"
	if old > 0 {
		from += fmt.Sprintf(" (%d of %d are out of date and left out)", old, len(runs))
	}
	fmt.Fprintf(a.err, "%s holds no result of protocol %s: drawn from %s\n", stored, name, from)
	return from, remove, nil
}
