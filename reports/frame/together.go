package frame

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
)

// together is the cells that may be in one table, and the notes on the cells that may not.
type together struct {
	rows     []store.Row
	changed  []Change
	warnings []string // cells that are left out for other data
	notes    []string // cells that are left out for other reasons
}

// consistent keeps the cells that may be in one table. Their protocol is today's. All cells of a set have one kind
// of data. All cells of a method on a set have one version and one grid: those of the cell that ran last. If there
// are cells of the program's own version, only these count as last, since cells of an older version may have been
// imported later. Versions of a plugin that differ only in its libraries count as one version, so that results of
// several machines are in one table; a warning names them.
func (f Frame) consistent(rows []store.Row) together {
	t := together{rows: rows}
	t.dropOutdated("the protocol as it was before it was edited", func(r store.Row) bool {
		return f.Protocol.Hash != "" && r.ProtocolHash != f.Protocol.Hash
	})
	t.oneKindOfData(f.Sets.Now)
	fits := map[cellKey]store.Row{}
	todays := func(r store.Row) bool {
		if f.Registry == nil {
			return false
		}
		spec, err := f.Registry.Lookup(r.Method)
		return err == nil && spec.Version == r.MethodVersion
	}
	for _, r := range t.rows {
		key := cellKey{r.Dataset, r.Method}
		if best, there := fits[key]; !there || todays(r) && !todays(best) ||
			todays(r) == todays(best) && r.StartedAt > best.StartedAt {
			fits[key] = r
		}
	}
	t.dropOutdated("another method version or grid", func(r store.Row) bool {
		newest := fits[cellKey{r.Dataset, r.Method}]
		own, _ := registry.Libraries(r.MethodVersion)
		kept, _ := registry.Libraries(newest.MethodVersion)
		return own != kept || r.GridHash != newest.GridHash
	})
	return t
}

// dropped is cells that are left out of a table.
type dropped struct {
	cells              int
	pairs              []string // METHOD on SET
	methods, sets, was []string // was: fingerprints of the data
}

// drop removes the cells for which out is true.
func (t *together) drop(out func(store.Row) bool) (d dropped) {
	t.rows = slices.DeleteFunc(t.rows, func(r store.Row) bool {
		if !out(r) {
			return false
		}
		d.cells++
		AppendUnique(&d.pairs, r.Method+" on "+r.Dataset)
		AppendUnique(&d.methods, r.Method)
		AppendUnique(&d.sets, r.Dataset)
		AppendUnique(&d.was, r.Fingerprint)
		return true
	})
	return d
}

func (d dropped) where() string {
	return Briefly(d.methods, "method") + " on " + Briefly(d.sets, "data set")
}

// dropOutdated removes cells that a run brings up to date, and adds a note that names them.
func (t *together) dropOutdated(what string, out func(store.Row) bool) {
	d := t.drop(out)
	where := strings.Join(d.pairs, ", ")
	if len(d.pairs) > fewNames {
		where = d.where()
	}
	if d.cells > 0 {
		t.notes = append(t.notes, fmt.Sprintf("Left out, %s of %s: %s; `bench run` brings them up to date.",
			Count(d.cells, "cell"), what, where))
	}
}

// oneKindOfData keeps for each set the cells of the data that its files have now. If there are none, or
// the files are unknown, it keeps the cells with the data of the last run. Two files that ran under one name are
// two kinds of data.
func (t *together) oneKindOfData(now func(string) (Data, bool)) {
	var names []string
	newest := map[string]store.Row{}
	for _, r := range t.rows {
		AppendUnique(&names, r.Dataset)
		if r.StartedAt > newest[r.Dataset].StartedAt {
			newest[r.Dataset] = r
		}
	}
	var all dropped
	for _, name := range names {
		keep := newest[name].Fingerprint
		data, known := now(name)
		isNow := known && slices.ContainsFunc(t.rows, func(r store.Row) bool {
			return r.Dataset == name && r.Fingerprint == data.Fingerprint
		})
		if isNow {
			keep = data.Fingerprint
		} else if known {
			t.changed = append(t.changed, Change{Dataset: name, File: data.File, Was: keep, Is: data.Fingerprint})
		}
		d := t.drop(func(r store.Row) bool { return r.Dataset == name && r.Fingerprint != keep })
		if d.cells == 0 {
			continue
		}
		why := fmt.Sprintf("run on other data (%s) than the cells that are shown (%.8s)", shortened(d.was), keep)
		if isNow {
			why = changedSince(data.File, keep, d.was...)
		}
		t.warnings = append(t.warnings, fmt.Sprintf("Left out, %s of %s: %s.", Count(d.cells, "cell"), d.where(), why))
		all.cells, all.sets = all.cells+d.cells, append(all.sets, name)
		for _, m := range d.methods {
			AppendUnique(&all.methods, m)
		}
	}
	if len(t.warnings) > fewNames {
		t.warnings = []string{fmt.Sprintf("Left out, %s of %s: run on other data than the cells that are shown.",
			Count(all.cells, "cell"), all.where())}
	}
}

// changedSince names a file and the fingerprints of its data then and now.
func changedSince(file, is string, was ...string) string {
	return fmt.Sprintf("%s changed since (data was %s, is %.8s)", file, shortened(was), is)
}

// shortened lists fingerprints by their first digits.
func shortened(fingerprints []string) string {
	short := make([]string, len(fingerprints))
	for i, f := range fingerprints {
		short[i] = fmt.Sprintf("%.8s", f)
	}
	return strings.Join(short, " and ")
}

// withoutProbabilities removes the cells that lack a metric of probabilities, and says why: their method does
// not declare that its scores are probabilities, or they were stored before the metric existed. It
// returns the methods that lost all cells for the first reason.
func (t *Table) withoutProbabilities(of *together) (methods []string) {
	if !t.Metric.Probabilities {
		return nil
	}
	declares := func(method string) bool {
		spec, err := t.Frame.Registry.Lookup(method)
		return err == nil && spec.Probability != nil
	}
	has := map[string]bool{}
	for _, r := range of.rows {
		has[r.Method] = has[r.Method] || t.Value(r) != nil
	}
	methods = of.drop(func(r store.Row) bool { return !has[r.Method] && !declares(r.Method) }).methods
	old := of.drop(func(r store.Row) bool { return r.Status == result.OK && t.Value(r) == nil })
	if methods != nil {
		of.notes = append(of.notes, fmt.Sprintf("No %s of methods whose scores are not declared as probabilities: %s.",
			t.Metric.Name, strings.Join(methods, ", ")))
	}
	if old.cells > 0 {
		of.notes = append(of.notes, fmt.Sprintf("Left out, %s of %s stored without %s; `bench run --rerun %s` "+
			"computes them again.",
			Count(old.cells, "cell"), strings.Join(old.methods, ", "), t.Metric.Name, strings.Join(old.methods, ",")))
	}
	return methods
}

// Fits counts the distinct fits among cells that ended ok, by the bits of their test scores: on a set whose
// rows are divided once ([Dataset].Draws) splits may repeat a fit. It returns false if a hash is not known.
func Fits(cells []store.Row) (distinct int, known bool) {
	seen := map[string]bool{}
	for _, r := range cells {
		if r.Status != result.OK {
			continue
		}
		if r.ScoresHash == "" {
			return 0, false
		}
		seen[r.ScoresHash] = true
	}
	return len(seen), true
}

// withMetric removes the sets for which the metric does not exist, with all their cells, and names them.
func (t *Table) withMetric() ([]Dataset, []store.Row) {
	f := t.Frame
	stored := map[string]string{} // task by set
	for _, r := range f.Rows {
		stored[r.Dataset] = r.Task
	}
	fits := func(task registry.Task) bool { return task == 0 || t.Metric.Tasks&task != 0 }
	left := map[string]bool{}
	for _, d := range f.sets {
		if task := f.task(d.Name, stored[d.Name]); !fits(task) {
			left[d.Name] = true
			t.Missing = append(t.Missing, Missing{Kind: OtherTask, Dataset: d.Name, Reason: t.why(task)})
		}
	}
	sets := slices.DeleteFunc(slices.Clone(f.sets), func(d Dataset) bool { return left[d.Name] })
	rows := slices.DeleteFunc(slices.Clone(f.Rows), func(r store.Row) bool {
		task, err := registry.ParseTask(r.Task)
		return left[r.Dataset] || err == nil && !fits(task)
	})
	return sets, rows
}

// why says why a set of a task lacks the metric.
func (t *Table) why(task registry.Task) string {
	switch {
	case task == registry.Regression:
		return "the target is a number (regression)"
	case t.Metric.Tasks == registry.Regression:
		return "the target is a class"
	}
	return fmt.Sprintf("the task is %s", task)
}

// nothing is the error of a table without a cell.
func (t *Table) nothing(sets []Dataset) error {
	f := t.Frame
	if t.Metric.Probabilities && len(t.other) > 0 {
		return &RequestError{fmt.Errorf("%w: %s", ErrNoResults, strings.Join(t.other, " "))}
	}
	if other := t.OtherTasks(); other.Keys != nil && len(sets) == 0 {
		why := other.Keys[0]
		names := other.Of[why]
		return &RequestError{fmt.Errorf("%w: %s: %s, and this table is of %s; --metric takes %s",
			ErrNoResults, strings.Join(names, ", "), why, plural(t.Metric.Name),
			strings.Join(others(f, names[0]), ", "))}
	}
	var asked []string
	if f.Datasets != nil {
		asked = arguments(sets, nil)
	}
	return &RequestError{fmt.Errorf("%w: %s holds no %s of protocol %s for what was asked; `%s` makes them, `bench "+
		"status` lists what is stored",
		ErrNoResults, f.Path, plural(t.Metric.Name), f.Protocol.Name, f.Run.Command(f.Methods, asked, f.Splits, false))}
}

// others names the metrics that a set has.
func others(f *Frame, dataset string) []string {
	stored := ""
	for _, r := range f.Rows {
		if r.Dataset == dataset {
			stored = r.Task
		}
	}
	var names []string
	for _, m := range metric.All() {
		if m.Tasks&f.task(dataset, stored) != 0 {
			names = append(names, m.Name)
		}
	}
	return names
}

// plural writes the plural of a metric: "accuracies", and "values of" for every other metric.
func plural(name string) string {
	if name == "accuracy" {
		return "accuracies"
	}
	return "values of " + name
}
