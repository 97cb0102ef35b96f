package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
	"github.com/spf13/cobra"
)

// The verbs that look at a model of trees: export, importances, dump. All three train
// the model of one cell again and say so in one line.

func modelCommand(a *app, use, short string, run func(context.Context, *runner.Refitted, registry.TreeModel) error,
) *cobra.Command {
	var of place
	var params string
	c := &cobra.Command{
		Use: use + " METHOD --datasets NAME --split N", Short: short,
		Args:              takes("METHOD"),
		ValidArgsFunction: a.completeMethods,
		RunE: func(c *cobra.Command, args []string) error {
			return a.lookAt(c, args[0], of, params, run)
		},
	}
	of.addAll(a, c)
	c.Flags().StringVar(&params, "params", "", `parameters as JSON, e.g. '{"max_depth": 3}'; others have their `+
		`defaults (default: those that the stored cell chose)`)
	return c
}

func newMethodsExportCommand(a *app) *cobra.Command {
	var output string
	c := modelCommand(a, "export", "Write a trained model as LightGBM text, which LightGBM and others load",
		func(_ context.Context, r *runner.Refitted, m registry.TreeModel) error {
			w, ok := m.(registry.LightGBMWriter)
			if !ok {
				return usage("its trees are not ones that LightGBM adds up, so its text cannot hold them; dump and " +
					"importances show them")
			}
			return a.writeTo(output, func(out io.Writer) error { return w.WriteLightGBM(out, r.Features) }, "")
		})
	a.outputFlag(c, &output, "file, written whole or not at all (default standard output)")
	return c
}

func newMethodsImportancesCommand(a *app) *cobra.Command {
	var l *listing
	c := modelCommand(a, "importances", "List how often a model of trees uses each feature, and what that gains",
		func(_ context.Context, r *runner.Refitted, m registry.TreeModel) error {
			splits, gain := m.Importance()
			total, order := 0.0, make([]int, len(gain))
			for j, g := range gain {
				total, order[j] = total+g, j
			}
			slices.SortStableFunc(order, func(a, b int) int {
				return cmp.Or(cmp.Compare(gain[b], gain[a]), splits[b]-splits[a])
			})
			l.header = []string{"feature", "splits", "gain", "share"}
			for _, j := range order {
				share := 0.0
				if total > 0 {
					share = math.Round(1e4*gain[j]/total) / 1e4
				}
				l.add(r.Features[j], splits[j], sixDigits(gain[j]), share)
			}
			return l.print()
		})
	l = a.listing(c)
	return c
}

func newMethodsDumpCommand(a *app) *cobra.Command {
	tree := 0
	c := modelCommand(a, "dump", "Print a tree of a model, one line a node",
		func(_ context.Context, r *runner.Refitted, m registry.TreeModel) error {
			if n := m.TreeCount(); tree < 0 || tree >= n {
				return usage("--tree %d: the model has %d trees, 0 to %d", tree, n, n-1)
			}
			text, err := m.Dump(tree, r.Features)
			if err != nil {
				return err
			}
			return a.writeText("", text, "")
		})
	c.Flags().IntVar(&tree, "tree", 0, "number of the tree")
	return c
}

// lookAt trains the model of a cell again and hands it to show.
func (a *app) lookAt(c *cobra.Command, method string, of place, params string,
	show func(context.Context, *runner.Refitted, registry.TreeModel) error) error {
	exp, err := a.experiment(of.protocol)
	if err != nil {
		return err
	}
	spec, err := a.method(exp.Registry, method)
	if err != nil {
		return err
	}
	if params != "" && !json.Valid([]byte(params)) {
		return usage(`--params %s is not JSON; write for example '{"max_depth": 3}'`, params)
	}
	if !spec.Trees {
		return usage("%s has no trees to look at; methods that have: %s", spec.Name, strings.Join(a.withTrees(), ", "))
	}
	r, err := a.refit(c, exp, method, of, params)
	if err != nil {
		return err
	}
	m, ok := r.Trees()
	if !ok {
		return fmt.Errorf("%s: this model has no trees, though the method's have", r.cell)
	}
	if err := show(c.Context(), r.Refitted, m); err != nil {
		if e, ok := err.(exitError); ok && e.err != nil {
			return exitError{e.code, fmt.Errorf("%s: %w", r.cell, e.err)}
		}
		return err
	}
	if !r.same {
		return exitError{code: exitIncomplete}
	}
	return nil
}

// A refitted is the model of a cell that was trained again.
type refitted struct {
	*runner.Refitted
	spec registry.Spec
	set  *datasets.Set
	cell runner.Cell
	same bool // the model gives the stored results on the test rows
}

// refit trains the model of a cell again, by the grid point in JSON or, if given is "", by that of the stored cell.
func (a *app) refit(c *cobra.Command, exp *plan.Experiment, method string, of place, given string) (*refitted, error) {
	spec, err := a.method(exp.Registry, method)
	if err != nil {
		return nil, err
	}
	if err := a.checkSandboxOf(exp.Protocol.Base(spec.Name)); err != nil {
		return nil, err
	}
	entry, set, err := a.load(c.Context(), of.dataset)
	if err != nil {
		return nil, err
	}
	if unfit := entry.Unfit(spec); unfit != "" {
		return nil, usage("%s on %s: %s", spec.Name, entry.Name, unfit)
	}
	cell := runner.Cell{Protocol: exp.Protocol.Name, Dataset: entry.Name, Split: of.split, Method: spec.Name}
	params, stored := json.RawMessage(given), (*store.Row)(nil)
	if given == "" {
		if stored, err = a.storedCell(c, cell, exp.Protocol, of.dataset); err != nil {
			return nil, err
		}
		params = stored.Point
	}
	if _, err := spec.Settings(registry.Shape{}, nil, params); err != nil {
		return nil, usage("%s: %w", cell, err)
	}
	r, err := runner.Refit(c.Context(), exp.Protocol, spec, set, of.split, params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cell, err)
	}
	return &refitted{r, spec, set, cell, a.printRefit(cell, spec, params, r, stored, set.Fingerprint)}, nil
}

// refitAsStored is refit for drawings, which are of stored results alone.
func (a *app) refitAsStored(c *cobra.Command, exp *plan.Experiment, method string, of place) (*refitted, error) {
	r, err := a.refit(c, exp, method, of, "")
	if err == nil && !r.same { // refit has printed the difference and what to do
		err = exitError{exitIncomplete, fmt.Errorf("%s: the model does otherwise than the stored one, so that "+
			"nothing is drawn", r.cell)}
	}
	return r, err
}

func (a *app) withTrees() []string {
	var names []string
	for _, s := range a.reg.All() {
		if s.Trees {
			names = append(names, s.Name)
		}
	}
	return names
}

// storedCell returns the row that --db holds of a cell that ended ok. dataset is the cell's set as the command names
// it.
func (a *app) storedCell(c *cobra.Command, cell runner.Cell, p *protocol.Protocol, dataset string) (*store.Row, error) {
	db, err := a.reader(c.Context())
	if err != nil {
		return nil, fmt.Errorf("%w; --params does without", err)
	}
	defer db.Close()
	s, found, err := db.Attempt(c.Context(), cell.Protocol, cell.Dataset, cell.Method, cell.Split)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, usage("%s holds no result of %s under %s; `%s` makes it, or give --params",
			a.db, cell, cell.Protocol, a.invocation(p.Name, p.Path, p.Splits).Command([]string{cell.Method},
				[]string{dataset}, []int{cell.Split}, false))
	case s.Status != result.OK:
		return nil, usage("%s under %s is stored as %s (%s), so no parameters were chosen; give --params", cell,
			cell.Protocol, s.Status, firstLine(s.Error))
	}
	return &s, nil
}

// printRefit prints what was trained. If there is a stored result, it reports whether the model gives the same results
// on the test rows.
func (a *app) printRefit(cell runner.Cell, spec registry.Spec, params json.RawMessage, r *runner.Refitted,
	stored *store.Row, fingerprint string) bool {
	var result string
	if r.Test.Correct != nil {
		result = fmt.Sprintf("%d of %d test rows right", *r.Test.Correct, r.Test.N)
	} else {
		result = fmt.Sprintf("root mean squared error %v on %d test rows", *r.Test.RMSE, r.Test.N)
	}
	line := fmt.Sprintf("%s under %s, %s, trained on %d rows: %s", cell, cell.Protocol, params, r.Shape.N, result)
	if stored == nil {
		fmt.Fprintln(a.err, line)
		return true
	}
	was, is := orNone(stored.Score.RMSE), orNone(r.Test.RMSE)
	if r.Test.Correct != nil {
		was, is = orNone(stored.Score.Correct), orNone(r.Test.Correct)
	}
	if was == is && stored.TestRows == r.Test.N {
		a.say("%s, as stored in %s", line, cmp.Or(a.included, a.db))
		return true
	}
	why := "the program has changed since"
	switch {
	case stored.Fingerprint != fingerprint:
		why = "the data has changed since"
	case stored.MethodVersion != spec.Version:
		why = fmt.Sprintf("it was run with version %s of the method, this is %s", stored.MethodVersion, spec.Version)
	}
	a.say("%s, but %s has %s on %d: %s; `bench run` with the same cell stores the present result", line, a.db, was,
		stored.TestRows, why)
	return false
}

// sixDigits rounds v to the six digits of %.6g.
func sixDigits(v float64) float64 {
	short, _ := strconv.ParseFloat(fmt.Sprintf("%.6g", v), 64) // its own output is a number
	return short
}

func orNone[T any](v *T) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprint(*v)
}
