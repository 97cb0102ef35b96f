package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kernelboosting/bench/harness/admit"
	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/experiment"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// showExperiment draws an experiment and decides its claims.
func (a *app) showExperiment(c *cobra.Command, e *experiments.Experiment, f experimentFlags) error {
	return a.draw(c, f.report, func(ctx context.Context) (doc.Document, error) { return a.drawExperiment(ctx, c, e, f.quick) })
}

func (a *app) drawExperiment(ctx context.Context, c *cobra.Command, e *experiments.Experiment, quick bool) (d doc.Document, err error) {
	h, err := a.harness(e.Protocol)
	if err != nil {
		return d, err
	}
	part, err := asked(e.Of(h.Protocol, quick))
	if err != nil {
		return d, err
	}
	from, remove, err := a.experimentResults(ctx, h)
	if err != nil {
		return d, err
	}
	defer remove()
	cells, err := a.cellsOf(ctx, h, part)
	if err != nil {
		return d, err
	}
	d, err = experiment.Build(e, part, quick, experiment.Source{
		Cells: cells,
		Rows: func(methods, datasets []string) (frame.Frame, error) {
			return a.frame(ctx, c, reportFlags{selection: selection{protocol: e.Protocol, methods: methods, datasets: datasets, splits: fmt.Sprint(part.Splits)}})
		},
		Drawn: map[string]experiment.Drawn{
			"boundary": func(given, methods, datasets []string) (doc.Document, error) {
				b := boundaryFlags{}
				if err := parseShown("boundary", given, b.add); err != nil {
					return doc.Document{}, err
				}
				if b.methods = methods; methods == nil {
					b.methods = h.Protocol.Columns
				}
				if b.datasets = datasets; datasets == nil {
					b.datasets = h.Protocol.Datasets
				}
				return a.boundaries(c, h, b)
			},
			"loss": func(given, _, _ []string) (doc.Document, error) {
				l := lossFlags{}
				if err := parseShown("loss", given, l.add); err != nil {
					return doc.Document{}, err
				}
				return l.build()
			},
		},
	})
	if request := (*frame.RequestError)(nil); errors.As(err, &request) {
		err = refused(err)
	}
	d.Database = cmp.Or(from, d.Database)
	return d, err
}

// cellsOf counts the cells of a part, whether or not they are stored or their data is here.
func (a *app) cellsOf(ctx context.Context, h *plan.Experiment, part experiments.Part) (int, error) {
	splits, err := plan.Splits(fmt.Sprint(part.Splits), "")
	if err != nil {
		return 0, err
	}
	req := plan.Request{Methods: part.Methods, Datasets: part.Datasets, Splits: splits}
	if req.Methods == nil && h.Protocol.Only {
		req.Methods = h.Protocol.Columns
	}
	todo, err := h.Plan(ctx, req, nil, nil)
	if err != nil {
		return 0, refused(err)
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

// experimentResults makes results of a protocol available. If the database has none, the results that come with the program
// are read into a temporary database. from describes the source in words, "" for the user's own database. remove deletes
// the temporary database.
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
	dir, err := os.MkdirTemp("", "bench-experiment-")
	if err != nil {
		return "", nil, err
	}
	temporary := filepath.Join(dir, "results.db")
	in, there, err := admit.Included(ctx, h, temporary)
	if err == nil && !there {
		err = exitError{exitUsage, fmt.Errorf("%s holds no result of protocol %s, and the program comes with none; compute them with `bench experiment run`", a.db, name)}
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	own := a.db
	a.db, a.included, remove = temporary, "the results that come with the program", func() { a.db, a.included = own, ""; _ = os.RemoveAll(dir) }
	old := 0
	for _, g := range in.Old {
		old += g.Cells
	}
	from = a.included
	if old > 0 {
		from += fmt.Sprintf(" (%d of %d are out of date and left out)", old, in.Taken)
	}
	fmt.Fprintf(a.err, "%s holds no result of protocol %s: drawn from %s\n", own, name, from)
	return from, remove, nil
}
