package frame

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
)

// consistent keeps in taken the cells that may be in one table. Their protocol is today's. All cells of a set have one
// kind of data. All cells of a method on a set have one version and one grid: those of the cell that ran last. If there
// are cells of the program's own version, only these count as last, since cells of an older version may have been
// imported later. Versions of a plugin that differ only in its libraries count as one version, so that results of
// several machines are in one table; a warning names them.
func (t *Table) consistent() {
	f := t.Frame
	t.dropOutdated("the protocol as it was before it was edited", func(r store.Row) bool {
		return f.Protocol.Hash != "" && r.ProtocolHash != f.Protocol.Hash
	})
	t.oneKindOfData()
	fits := map[cellKey]*store.Row{}
	todays := func(r *store.Row) bool {
		if f.Registry == nil {
			return false
		}
		spec, err := f.Registry.Lookup(r.Method)
		return err == nil && spec.Version == r.MethodVersion
	}
	for i := range t.taken {
		r := &t.taken[i]
		key := cellKey{r.Dataset, r.Method}
		if best, there := fits[key]; !there || todays(r) && !todays(best) ||
			todays(r) == todays(best) && r.StartedAt > best.StartedAt {
			fits[key] = r
		}
	}
	t.dropOutdated("another method version or grid", func(r store.Row) bool {
		newest := fits[cellKey{r.Dataset, r.Method}]
		switch {
		case r.GridHash != newest.GridHash:
			return true
		case r.MethodVersion == newest.MethodVersion:
			return false
		}
		own, _ := registry.Libraries(r.MethodVersion)
		kept, _ := registry.Libraries(newest.MethodVersion)
		return own != kept
	})
}

// dropped is cells that are left out of a table.
type dropped struct {
	what               string // they are, or why they are left out
	cells              int
	pairs              []string // METHOD on SET
	methods, sets, was []string // was: fingerprints of the data
}

func (t *Table) drop(what string, out func(store.Row) bool) dropped {
	d := dropped{what: what}
	for _, r := range t.taken {
		if out(r) {
			d.cells++
			AppendUnique(&d.pairs, r.Method+" on "+r.Dataset)
			AppendUnique(&d.methods, r.Method)
			AppendUnique(&d.sets, r.Dataset)
			AppendUnique(&d.was, r.Fingerprint)
		}
	}
	t.taken = without(t.taken, out)
	return d
}

func (d dropped) where() string {
	return Briefly(d.methods, "method") + " on " + Briefly(d.sets, "data set")
}

// briefly names the cells' methods and sets in pairs, if these are few.
func (d dropped) briefly() string {
	if len(d.pairs) > fewNames {
		return d.where()
	}
	return strings.Join(d.pairs, ", ")
}

// dropOutdated leaves out cells that a run brings up to date.
func (t *Table) dropOutdated(what string, out func(store.Row) bool) {
	if d := t.drop(what, out); d.cells > 0 {
		t.outdated = append(t.outdated, d)
	}
}

// oneKindOfData keeps for each set the cells of the data that its files have now. If there are none, or
// the files are unknown, it keeps the cells with the data of the last run. Two files that ran under one name are
// two kinds of data.
func (t *Table) oneKindOfData() {
	var names []string
	newest, kinds := map[string]*store.Row{}, map[string][]string{} // kinds are fingerprints
	for i := range t.taken {
		r := &t.taken[i]
		AppendUnique(&names, r.Dataset)
		if of := kinds[r.Dataset]; !slices.Contains(of, r.Fingerprint) {
			kinds[r.Dataset] = append(of, r.Fingerprint)
		}
		if best := newest[r.Dataset]; best == nil || r.StartedAt > best.StartedAt {
			newest[r.Dataset] = r
		}
	}
	for _, name := range names {
		keep := newest[name].Fingerprint
		data, known := t.Frame.Sets.Now(name)
		isNow := known && slices.Contains(kinds[name], data.Fingerprint)
		if isNow {
			keep = data.Fingerprint
		} else if known {
			t.Changed = append(t.Changed, Change{Dataset: name, File: data.File, Was: keep, Is: data.Fingerprint})
		}
		if len(kinds[name]) == 1 {
			continue
		}
		d := t.drop("", func(r store.Row) bool { return r.Dataset == name && r.Fingerprint != keep })
		d.what = fmt.Sprintf("run on other data (%s) than the cells that are shown (%.8s)", shortened(d.was), keep)
		if isNow {
			d.what = changedSince(data.File, keep, d.was...)
		}
		t.otherData = append(t.otherData, d)
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

// withoutProbabilities leaves out the cells that lack a metric of probabilities: their method does not declare that its
// scores are probabilities, or they were stored before the metric existed.
func (t *Table) withoutProbabilities() {
	if !t.Metric.Probabilities {
		return
	}
	declares := func(method string) bool {
		spec, err := t.Frame.Registry.Lookup(method)
		return err == nil && spec.Probability != nil
	}
	has := map[string]bool{}
	for _, r := range t.taken {
		has[r.Method] = has[r.Method] || t.Value(r) != nil
	}
	t.undeclared = t.drop("", func(r store.Row) bool { return !has[r.Method] && !declares(r.Method) }).methods
	t.unmeasured = t.drop("", func(r store.Row) bool { return r.Status == result.OK && t.Value(r) == nil })
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

// withMetric takes the sets and cells for which the metric exists, and names the other sets.
func (t *Table) withMetric() {
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
	t.datasets = slices.DeleteFunc(slices.Clone(f.sets), func(d Dataset) bool { return left[d.Name] })
	for i, d := range t.datasets {
		t.datasets[i].File = cmp.Or(d.File, f.Sets.File(d.Name))
	}
	t.taken = without(f.Rows, func(r store.Row) bool {
		task, err := registry.ParseTask(r.Task)
		return left[r.Dataset] || err == nil && !fits(task)
	})
}

func (t *Table) why(task registry.Task) string {
	switch {
	case task == registry.Regression:
		return "the target is a number (regression)"
	case t.Metric.Tasks == registry.Regression:
		return "the target is a class"
	}
	return fmt.Sprintf("the task is %s", task)
}

func (t *Table) nothing() error {
	f := t.Frame
	if left := t.say(remark); t.Metric.Probabilities && left != nil {
		return &RequestError{fmt.Errorf("%w: %s", ErrNoResults, strings.Join(left, " "))}
	}
	if other := t.OtherTasks(); other.Keys != nil && len(t.datasets) == 0 {
		why := other.Keys[0]
		names := other.Of[why]
		return &RequestError{fmt.Errorf("%w: %s: %s, and this table is of %s; --metric takes %s",
			ErrNoResults, strings.Join(names, ", "), why, plural(t.Metric.Name),
			strings.Join(others(f, names[0]), ", "))}
	}
	var asked []string
	if f.Datasets != nil {
		asked = t.arguments(nil)
	}
	return &RequestError{fmt.Errorf("%w: %s holds no %s of protocol %s for what was asked; `%s` makes them, `bench "+
		"status` lists what is stored",
		ErrNoResults, f.Path, plural(t.Metric.Name), f.Protocol.Name, f.Run.Command(f.Methods, asked, f.Splits, false))}
}

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
