package frame

import (
	"cmp"
	"fmt"

	"github.com/kernelboosting/bench/harness/store"
)

// importedNotes says which cells were not computed with this database but imported, and where they
// were computed: a note for each file and machine.
func importedNotes(rows []store.Row) []string {
	type origin struct{ file, cpu string }
	type told struct {
		cells   int
		methods []string
	}
	var order []origin
	all := map[origin]*told{}
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
		if all[key] == nil {
			all[key] = &told{}
			order = append(order, key)
		}
		all[key].cells++
		note(&all[key].methods, r.Method)
	}
	var notes []string
	for _, o := range order {
		if o.cpu == "" {
			notes = append(notes, fmt.Sprintf("Imported from %s, test scores of a method elsewhere that were counted here: %s of %s.",
				o.file, Count(all[o].cells, "cell"), Briefly(all[o].methods, "method")))
			continue
		}
		notes = append(notes, fmt.Sprintf("Imported from %s, computed on %s: %s of %s. Their times do not compare with those of another processor.",
			o.file, o.cpu, Count(all[o].cells, "cell"), Briefly(all[o].methods, "method")))
	}
	return notes
}
