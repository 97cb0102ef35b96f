package cmd

import (
	"context"
	"slices"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/curves"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/report"
	"github.com/spf13/cobra"
)

type curveFlags struct {
	report       reportFlags
	rows, rounds []int
	options      report.Options
}

func newReportCurveCommand(a *app) *cobra.Command {
	var f curveFlags
	c := &cobra.Command{
		Use:               "curve METHOD...",
		Short:             "Learning curves: results by the number of training rows, or of rounds",
		Args:              takesSome("METHOD..."),
		ValidArgsFunction: a.completeMethods,
		RunE: func(c *cobra.Command, args []string) error {
			f.report.methods = args
			return a.reportCurve(c, f)
		},
	}
	flags := c.Flags()
	protocolFlag(c, &f.report.protocol, defaultProtocol)
	f.report.addSets(a, c)
	flags.IntSliceVar(&f.rows, "rows", nil, "numbers of training rows; the curve ends with all rows (default a half, "+
		"a quarter and so on)")
	flags.IntSliceVar(&f.rounds, "rounds", nil, "numbers of rounds, in place of training rows, e.g. 1,5,10; those "+
		"that a model does not have are left out")
	f.options.AddFlags(flags)
	rare(c, "title", "label")
	permissionFlags(a, c)
	a.outputFlags(c, &f.report)
	return c
}

func (a *app) reportCurve(c *cobra.Command, f curveFlags) error {
	switch {
	case len(f.report.datasets) == 0:
		return usage("name a data set with --datasets, such as two-moons")
	case f.rows != nil && f.rounds != nil:
		return usage("--rows and --rounds are two drawings; give one of them")
	}
	for _, n := range slices.Concat(f.rows, f.rounds) {
		if n < 1 {
			return usage("--rows and --rounds take whole numbers from 1 on, not %d", n)
		}
	}
	quantity := "training rows"
	if f.rounds != nil {
		quantity = "round"
	}
	return a.draw(c, f.report, func(ctx context.Context) (d doc.Document, err error) {
		exp, err := a.experiment(f.report.protocol)
		if err != nil {
			return d, err
		}
		rows, err := a.frame(ctx, f.report)
		for i, r := range rows.Rows {
			if err == nil && r.Status == result.OK {
				rows.Rows[i].Stages, err = a.learned(ctx, c, exp, r, f)
			}
		}
		if err != nil {
			return d, err
		}
		t, err := rows.Table(f.options.Metric)
		if err != nil {
			return orUsage(d, err)
		}
		if d, err = orUsage(curves.Learning(&t, quantity)); err == nil {
			f.options.Complete("curve", &t, &d)
		}
		return d, err
	})
}

// learned trains the model of a stored cell again. It returns the tests of the model's first rounds, or the tests
// of models that learned from fewer rows and of the model itself.
func (a *app) learned(ctx context.Context, c *cobra.Command, exp *plan.Experiment, r store.Row,
	f curveFlags) ([]result.Stage, error) {
	with, p := *exp, *exp.Protocol
	p.Semantics.Rounds = f.rounds
	with.Protocol = &p
	whole, err := a.refitAsStored(c, &with, r.Method, place{dataset: r.Dataset, split: r.Split})
	if err != nil {
		return nil, err
	}
	if f.rounds != nil {
		if _, ok := whole.Model.(registry.Stager); !ok {
			return nil, usage("--rounds: %s has no rounds", whole.spec.Name)
		}
		return whole.Stages, nil
	}
	p.Semantics.Folds = 0 // nothing is chosen, so folds are not needed
	var out []result.Stage
	for _, n := range sizes(f.rows, whole.Shape.N) {
		less, err := runner.Refit(ctx, p.WithTrainRows(whole.spec.Name, n), whole.spec, whole.set, r.Split, r.Point)
		if err != nil {
			return nil, usage("%s with %d training rows: %w", whole.cell, n, err)
		}
		out = append(out, result.Stage{Round: n, Score: less.Test})
	}
	return append(out, result.Stage{Round: whole.Shape.N, Score: whole.Test}), nil
}

// sizes returns the smaller numbers of training rows to try, ascending. They are the requested ones, or else a half, a
// quarter and so on of all rows: at most five, none below 20 rows.
func sizes(asked []int, all int) []int {
	if asked == nil {
		for n := all / 2; n >= 20 && len(asked) < 5; n /= 2 {
			asked = append(asked, n)
		}
	}
	asked = slices.DeleteFunc(slices.Clone(asked), func(n int) bool { return n >= all })
	slices.Sort(asked)
	return slices.Compact(asked)
}
