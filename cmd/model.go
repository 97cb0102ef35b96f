package cmd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
	"github.com/spf13/cobra"
)

func newMethodsExportCommand(a *app) *cobra.Command {
	var of place
	var params, output string
	c := &cobra.Command{
		Use:               "export METHOD --datasets NAME --split N",
		Short:             "Write a trained model as LightGBM text, which LightGBM and others load",
		Args:              takes("METHOD"),
		ValidArgsFunction: completion(a.names("methods"), false),
		RunE: func(c *cobra.Command, args []string) error {
			return runMethodsExport(a, c, args[0], of, params, output)
		},
	}
	of.addAll(a, c)
	c.Flags().StringVar(&params, "params", "", `parameters as JSON, e.g. '{"max_depth": 3}'; others have their `+
		`defaults (default: those that the stored cell chose)`)
	a.outputFlag(c, &output, "file, written whole or not at all (default standard output)")
	return c
}

func runMethodsExport(a *app, c *cobra.Command, method string, of place, params, output string) error {
	exp, spec, err := a.methodOf(of.protocol, method)
	if err != nil {
		return err
	}
	if params != "" {
		if err := strictjson.Unmarshal([]byte(params), new(map[string]json.RawMessage)); err != nil {
			return usage(`--params %s: %v; write for example '{"max_depth": 3}'`, params, err)
		}
	}
	if !spec.LightGBM {
		var have []string
		for _, s := range a.reg.All() {
			if s.LightGBM {
				have = append(have, s.Name)
			}
		}
		return usage("models of %s cannot be written as LightGBM text; those of these methods can: %s", spec.Name,
			strings.Join(have, ", "))
	}
	r, err := refit(a, c, exp, method, of, params)
	if err != nil {
		return err
	}
	m, ok := r.LightGBM()
	if !ok {
		return fmt.Errorf("%s: this model is no LightGBM text, though the method's are", r.cell)
	}
	if err := a.writeTo(output, func(out io.Writer) error { return m.WriteLightGBM(out, r.Features) }, ""); err != nil {
		return err
	}
	if fills := r.set.Gaps.Impute; fills != "" && fills != datasets.None {
		a.say("note: missing values of %s were filled in (%s) before the model learned: fill them in before it scores "+
			"rows", r.cell.Dataset, fills)
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
func refit(a *app, c *cobra.Command, exp *plan.Experiment, method string, of place, given string) (*refitted, error) {
	spec, err := a.method(exp.Registry, method)
	if err != nil {
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
		if stored, err = storedCell(a, c, cell, exp.Protocol, of.dataset); err != nil {
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
	return &refitted{r, spec, set, cell, printRefit(a, cell, spec, params, r, stored, set.Fingerprint)}, nil
}

// refitAsStored is refit for drawings, which are of stored results alone.
func refitAsStored(a *app, c *cobra.Command, exp *plan.Experiment, method string, of place) (*refitted, error) {
	r, err := refit(a, c, exp, method, of, "")
	if err == nil && !r.same { // refit has printed the difference and what to do
		err = exitError{exitIncomplete, fmt.Errorf("%s: the model does otherwise than the stored one, so that "+
			"nothing is drawn", r.cell)}
	}
	return r, err
}

// storedCell returns the row that --db holds of a cell that ended ok. dataset is the cell's set as the command names
// it.
func storedCell(a *app, c *cobra.Command, cell runner.Cell, p *protocol.Protocol, dataset string) (*store.Row, error) {
	given := func(advice string) string { // where the command takes parameters
		if c.Flags().Lookup("params") == nil {
			return ""
		}
		return advice
	}
	db, err := a.reader(c.Context())
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, given("; --params does without"))
	}
	defer db.Close()
	s, found, err := db.Attempt(c.Context(), cell.Protocol, cell.Dataset, cell.Method, cell.Split)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, usage("%s holds no result of %s under %s; `%s` makes it%s",
			a.db, cell, cell.Protocol, a.invocation(p.Shown(), p.Path, p.Splits).Command([]string{cell.Method},
				[]string{dataset}, []int{cell.Split}, false), given(", or give --params"))
	case s.Status != result.OK:
		return nil, usage("%s under %s is stored as %s (%s), so no parameters were chosen%s", cell,
			cell.Protocol, s.Status, wording.FirstLine(s.Error), given("; give --params"))
	}
	return &s, nil
}

// printRefit prints what was trained. If there is a stored result, it reports whether the model gives the same results
// on the test rows.
func printRefit(a *app, cell runner.Cell, spec registry.Spec, params json.RawMessage, r *runner.Refitted,
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

func orNone[T any](v *T) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprint(*v)
}
