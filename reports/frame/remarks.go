package frame

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/kernelboosting/bench/harness/store"
)

// importedNotes says which cells were not computed with this database but imported, and where they
// were computed: a note for each file and machine.
func importedNotes(rows []store.Row) []string {
	type origin struct{ file, cpu string }
	var methods Groups[origin, string] // of each cell
	for _, r := range rows {
		if r.Imported == "" {
			continue
		}
		key := origin{file: r.Imported}
		if e := r.Environment; e != nil && r.FitSeconds != nil { // without a fit there are scores alone
			key.cpu = cmp.Or(e.CPU, "a processor that was not recorded")
			if e.Cores > 0 {
				key.cpu += fmt.Sprintf(" (%s)", Count(e.Cores, "core"))
			}
		}
		methods.Add(key, r.Method)
	}
	var notes []string
	for _, o := range methods.Keys {
		format := "Imported from %s, test scores of a method elsewhere that were counted here%s: %s of %s."
		if o.cpu != "" {
			format = "Imported from %s, computed on %s: %s of %s. Their times do not compare with those of another processor."
		}
		var names []string
		for _, m := range methods.Of[o] {
			Note(&names, m)
		}
		notes = append(notes, fmt.Sprintf(format, o.file, o.cpu, Count(len(methods.Of[o]), "cell"), Briefly(names, "method")))
	}
	return notes
}

// details are the values that end a warning, "key=value key=value", which differ from fit to fit.
var details = regexp.MustCompile(` [\w.-]+=.*$`)

// warningNotes says in one note that fits gave warnings, and quotes the text if it is always the same.
func warningNotes(rows []store.Row) []string {
	var methods, sets, texts []string
	times := 0
	for _, r := range rows {
		for _, w := range r.Warnings {
			Note(&methods, r.Method)
			Note(&sets, r.Dataset)
			Note(&texts, details.ReplaceAllString(w.Text, ""))
			times += w.Times
		}
	}
	if texts == nil {
		return nil
	}
	what := Count(len(texts), "message")
	if len(texts) == 1 {
		what = texts[0]
	}
	return []string{fmt.Sprintf("Fits of %s warn on %s, %s: %s. Table warnings has each.",
		Briefly(methods, "method"), Briefly(sets, "data set"), Count(times, "time"), what)}
}

// findings are warnings about findings against methods of the table. A finding counts if the shown cells have its version
// and data.
func (t *Table) findings(found []store.Finding) []string {
	shown := func(f store.Finding) bool {
		for _, m := range t.Methods {
			if slices.ContainsFunc(t.rows[cellKey{f.Dataset, m}], func(r store.Row) bool {
				method := r.Method
				if v, ok := t.Pinned(m); ok {
					method = v.Method
				}
				return method == f.Method && r.MethodVersion == f.MethodVersion && r.Fingerprint == f.Fingerprint
			}) {
				return true
			}
		}
		return false
	}
	return store.Describe(slices.DeleteFunc(slices.Clone(found), func(f store.Finding) bool { return !shown(f) }))
}
