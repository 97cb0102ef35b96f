package frame

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/doc"
)

// pick resolves a requested method. This is a name of the program or of stored cells, or NAME@VERSION with
// the beginning of a stored version, or its place among unnumbered ones. It returns the name of the column.
func (f *Frame) pick(ctx context.Context, from Rows, asked string, rows []store.Row) (string, error) {
	name, err := f.Method(asked, rows)
	at := strings.LastIndex(asked, "@")
	if err == nil || at < 1 {
		return name, err
	}
	versions, readErr := from.Versions(ctx, f.Protocol.Name)
	if readErr != nil {
		return "", readErr
	}
	i := slices.IndexFunc(versions, func(v store.Version) bool { return strings.EqualFold(v.Method, asked[:at]) })
	if i < 0 {
		if _, err := f.Method(asked[:at], rows); err != nil {
			return "", err
		}
		return "", fmt.Errorf("nothing of %s is stored under protocol %s, at any version", asked[:at], f.Protocol.Name)
	}
	method, prefix := versions[i].Method, asked[at+1:]
	var stored []string
	for _, v := range versions {
		if v.Method == method {
			stored = append(stored, v.Version)
		}
	}
	fitting := store.Fitting(stored, prefix)
	switch len(fitting) {
	case 0:
		return "", fmt.Errorf("no stored version of %s begins with %q; stored are %s", method, prefix,
			strings.Join(stored, ", "))
	case 1:
	default:
		return "", fmt.Errorf("several stored versions of %s begin with %q: %s; write more of one", method, prefix,
			strings.Join(fitting, ", "))
	}
	v := store.Version{Method: method, Version: fitting[0]}
	for column, other := range f.pinned {
		if other == v {
			return column, nil
		}
	}
	if f.pinned == nil {
		f.pinned = map[string]store.Version{}
	}
	column := method + "@" + prefix
	f.pinned[column] = v
	return column, nil
}

// own reports whether a column is in Table.Own. A file of results has the times of fits, and test scores have none.
func (f *Frame) own(column string) bool {
	method := cmp.Or(f.pinned[column].Method, column)
	return f.Registry.Foreign(method) && !slices.ContainsFunc(f.Rows, func(r store.Row) bool {
		return r.Method == method && r.Imported != "" && r.FitSeconds != nil
	})
}

// Latest returns that version of a column's method which began to run last, of the column and of those in Also.
func (f *Frame) Latest(column string) string {
	method := func(column string) string { return cmp.Or(f.pinned[column].Method, column) }
	began := map[string]string{}
	for _, r := range f.Rows {
		if began[r.Method] == "" || r.StartedAt < began[r.Method] {
			began[r.Method] = r.StartedAt
		}
	}
	latest := column
	for _, asked := range f.Also {
		other, err := f.Method(asked, f.Rows)
		if err == nil && method(other) == method(column) && began[other] > began[latest] {
			latest = other
		}
	}
	return latest
}

// readPinned adds the rows of the requested versions under the names of their columns.
func (f *Frame) readPinned(ctx context.Context, from Rows, rows []store.Row) ([]store.Row, error) {
	for column, v := range f.pinned {
		of, err := from.RowsOf(ctx, f.Protocol.Name, v, f.Folds)
		if err != nil {
			return nil, err
		}
		for _, r := range of {
			r.Method = column
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b store.Row) int {
		return cmp.Or(strings.Compare(a.Dataset, b.Dataset), strings.Compare(a.Method, b.Method), a.Split-b.Split)
	})
	return rows, nil
}

// Pinned returns the version of a column NAME@VERSION.
func (t *Table) Pinned(method string) (store.Version, bool) {
	v, ok := t.Frame.pinned[method]
	return v, ok
}

// Version is the version of a method's cells on a set; "" without cells. If versions differ in the libraries of a
// plugin, all are named, with "; " between them.
func (t *Table) Version(dataset, method string) string {
	return strings.Join(t.versions(dataset, method), "; ")
}

func (t *Table) versions(dataset, method string) []string {
	var out []string
	for _, r := range t.rows[cellKey{dataset, method}] {
		AppendUnique(&out, r.MethodVersion)
	}
	return out
}

// mixedVersions are the columns that hold more than one version, with what brings them to one.
func (t *Table) mixedVersions() [][]any {
	var mixed, methods, several []string
	for _, m := range t.Methods {
		var sets Groups[string, string]
		for _, s := range t.Sets {
			for _, v := range t.versions(s.Name, m) {
				sets.Add(v, s.Name)
			}
		}
		if len(sets.Keys) < 2 {
			continue
		}
		slices.SortStableFunc(sets.Keys, func(a, b string) int { return len(sets.Of[b]) - len(sets.Of[a]) })
		versions := doc.Map(sets.Keys, func(v string) string {
			return fmt.Sprintf("version %s on %s", v, Briefly(sets.Of[v], "set"))
		})
		mixed = append(mixed, m+": "+strings.Join(versions, ", "))
		for _, s := range sets.Of {
			several = slices.Concat(several, s)
		}
		_, err := t.Frame.Registry.Lookup(m)
		if err == nil || slices.ContainsFunc(sets.Keys, registry.OfPlugin) {
			methods = append(methods, m)
		}
	}
	text := strings.Join(mixed, "; ")
	if len(mixed) > 3 {
		text = fmt.Sprintf("%s hold several versions each; column version of `--format csv` has each",
			Count(len(mixed), "column"))
	}
	if len(methods) > 0 {
		sets := t.Frame.Datasets
		beyond := func(name string) bool { return !slices.Contains(t.Frame.Protocol.Datasets, name) }
		if sets == nil && slices.ContainsFunc(several, beyond) { // the command would leave these out
			slices.Sort(several)
			sets = slices.Compact(several)
		}
		text += fmt.Sprintf("; `%s` brings them to one version", t.Frame.Run.Command(methods, sets, t.Frame.Splits,
			false))
	}
	return when(mixed != nil, text)
}
