// Package sample makes frames for the tests of reports and layouts: rows in memory, under protocols
// and sets that exist nowhere else.
package sample

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/spf13/pflag"
)

// Input is rows and all else that a report knows. The zero value is completed by Frame.
type Input struct {
	frame.Source
	Rows  []store.Row
	Older []store.Row // earlier attempts, which are superseded by Rows
	Known map[string]Set
	Tasks map[string]registry.Task // the tasks of methods; a method without an element solves all tasks
	Own   []string                 // methods that did not come with the program
	Left  []result.Exclusion
	Found []store.Finding
	Grids map[string][]json.RawMessage
	// Printed are values that others print.
	Printed []experiments.Value
	// Comparisons are registered ones.
	Comparisons []result.Comparison
}

// Set is what is known of a data set.
type Set struct {
	Entry catalogue.Entry // Name and, without one, Task are filled in
	File  string
	Now   *frame.Data
	Err   error // instead of an entry
}

// Frame reads the input as a database is read.
func (in Input) Frame(t testing.TB) frame.Frame {
	t.Helper()
	return must.Get(in.Read(t.Context()))(t)
}

// Read is Frame with its error.
func (in Input) Read(ctx context.Context) (frame.Frame, error) {
	if in.Protocol.Name == "" {
		in.Protocol.Name = "table2"
	}
	if in.Protocol.Order == nil {
		in.Protocol.Order = slices.Clone[[]string]
	}
	if in.Protocol.Sizes == nil {
		in.Protocol.Sizes = split.Splitter{TestFraction: 0.3, Folds: 2}.Sizes
	}
	in.Registry, in.Sets = in, in
	return frame.Read(ctx, rows{in}, in.Source)
}

// Of is the input of rows, on their data sets in the order in which these come.
func Of(splits int, rows ...store.Row) Input {
	in := Input{Known: map[string]Set{}, Rows: rows}
	in.Protocol.Splits = splits
	for _, r := range rows {
		if _, ok := in.Known[r.Dataset]; !ok {
			in.Known[r.Dataset] = Set{}
			in.Protocol.Datasets = append(in.Protocol.Datasets, r.Dataset)
		}
	}
	return in
}

// Build makes a report of the input, with flags and arguments as on the command line.
func Build(t testing.TB, r frame.Report, in Input, args ...string) doc.Document {
	t.Helper()
	return must.Get(Make(t, r, in, args...))(t)
}

// Make is Build with the error of the report.
func Make(t testing.TB, r frame.Report, in Input, args ...string) (doc.Document, error) {
	t.Helper()
	flags := pflag.NewFlagSet(r.Name, pflag.ContinueOnError)
	build := r.Add(flags)
	must.Do(t, flags.Parse(args))
	if r.Select != nil {
		s := frame.Selection{Protocol: in.Protocol.Name}
		must.Do(t, r.Select(flags.Args(), &s))
		in.Methods, in.Datasets, in.Also = s.Methods, s.Datasets, s.Also
	}
	return build(in.Frame(t))
}

// rows is an input as the store hands it over.
type rows struct{ in Input }

func (r rows) Path() string { return "some_results.db" }

func (r rows) Skipped(context.Context, string) ([]result.Exclusion, error) { return r.in.Left, nil }

func (r rows) Findings(context.Context, string) ([]store.Finding, error) { return r.in.Found, nil }

func (r rows) Comparisons(context.Context, string) ([]result.Comparison, error) {
	return r.in.Comparisons, nil
}

func (r rows) Quoted(context.Context) ([]experiments.Value, error) { return r.in.Printed, nil }

func (r rows) Grids(context.Context, string) (map[string][]json.RawMessage, error) {
	return r.in.Grids, nil
}

func (r rows) Versions(context.Context, string) (out []store.Version, err error) {
	for _, row := range slices.Concat(r.in.Older, r.in.Rows) {
		if v := (store.Version{Method: row.Method, Version: row.MethodVersion}); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out, nil
}

// RowsOf takes for each cell the first row of Older and Rows, so a test must put the last attempt first.
func (r rows) RowsOf(_ context.Context, _ string, v store.Version, _ bool) (out []store.Row, err error) {
	for _, row := range slices.Concat(r.in.Older, r.in.Rows) {
		there := slices.ContainsFunc(out, func(o store.Row) bool {
			return o.Dataset == row.Dataset && o.Split == row.Split
		})
		if !there && row.Method == v.Method && row.MethodVersion == v.Version && row.Status == result.OK {
			out = append(out, row)
		}
	}
	return out, nil
}

func (r rows) AttemptsOf(_ context.Context, _, method string) ([]store.Row, error) {
	return slices.DeleteFunc(slices.Concat(r.in.Older, r.in.Rows), func(row store.Row) bool {
		return row.Method != method || row.Status != result.OK
	}), nil
}

func (r rows) Rows(context.Context, string, bool) ([]store.Row, error) {
	sorted := slices.Clone(r.in.Rows)
	slices.SortStableFunc(sorted, func(a, b store.Row) int {
		return cmp.Or(strings.Compare(a.Dataset, b.Dataset), strings.Compare(a.Method, b.Method), a.Split-b.Split)
	})
	return sorted, nil
}

// Lookup knows every method that has no version in its name, but for those whose Tasks are 0.
func (in Input) Lookup(name string) (registry.Spec, error) {
	tasks, ok := in.Tasks[name]
	if strings.Contains(name, "@") || ok && tasks == 0 {
		return registry.Spec{}, fmt.Errorf("no method is named %q", name)
	}
	if !ok {
		tasks = registry.Binary | registry.Multiclass | registry.Regression
	}
	return registry.Spec{Name: name, Tasks: tasks}, nil
}

// Foreign knows the methods of Own.
func (in Input) Foreign(name string) bool { return slices.Contains(in.Own, name) }

// Alias knows none.
func (in Input) Alias(string) string { return "" }

// Open knows the sets whose file is the path.
func (in Input) Open(path string) (*catalogue.Entry, error) {
	for name, s := range in.Known {
		if s.File == path {
			return in.Entry(name)
		}
	}
	return nil, fmt.Errorf("open %s: no such file", path)
}

// Entry knows the sets of Known.
func (in Input) Entry(name string) (*catalogue.Entry, error) {
	s, ok := in.Known[name]
	if !ok {
		return nil, fmt.Errorf("no data set is named %q", name)
	}
	if s.Err != nil {
		return nil, s.Err
	}
	e := s.Entry
	e.Name = name
	if e.Task == 0 {
		e.Task = registry.Binary
	}
	return &e, nil
}

// File is the TOML file of a set.
func (in Input) File(name string) string { return in.Known[name].File }

// Now is what a set's files hold.
func (in Input) Now(name string) (frame.Data, bool) {
	if d := in.Known[name].Now; d != nil {
		return *d, true
	}
	return frame.Data{}, false
}

var environment = &result.Environment{ProgramVersion: "v0", CPU: "2 cores"}

// OK is a finished run of a binary set.
func OK(dataset, method string, split, correct, test int) store.Row {
	fn := test - correct
	tp, tn, fp := correct/2, correct-correct/2, 0
	return store.Row{Planned: result.Planned{Dataset: dataset, Method: method, Split: split, Task: "binary",
		Fingerprint: "f"}, Status: result.OK, TestRows: test, TrainRows: 2 * test,
		StartedAt: "2026-01-01", Environment: environment,
		Score: result.Score{N: test, Correct: &correct, TN: &tn, FP: &fp, FN: &fn, TP: &tp}}
}

// Failed is a run without a result.
func Failed(dataset, method string, split int, status result.Status, reason string) store.Row {
	r := OK(dataset, method, split, 0, 1)
	r.Status, r.Error, r.Score = status, reason, result.Score{}
	return r
}

// Numbers is a finished run of a set of regression.
func Numbers(dataset, method string, split int, rmse float64) store.Row {
	r := OK(dataset, method, split, 0, 10)
	r.Task, r.Score = "regression", result.Score{N: 10, RMSE: &rmse, MAE: &rmse, R2: &rmse}
	return r
}

// Records returns a document's records of a name, each row by the names of its columns.
func Records(t testing.TB, d doc.Document, name string) []map[string]any {
	t.Helper()
	for _, b := range d.Blocks {
		r, ok := b.(doc.Records)
		if !ok || r.Name != name {
			continue
		}
		var out []map[string]any
		for _, row := range r.Rows {
			if len(row) != len(r.Columns) {
				t.Fatalf("%s has %d columns and a row of %d", name, len(r.Columns), len(row))
			}
			m := map[string]any{}
			for i, c := range r.Columns {
				m[c] = row[i]
			}
			out = append(out, m)
		}
		return out
	}
	t.Fatalf("no records %s", name)
	return nil
}
