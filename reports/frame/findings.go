package frame

import (
	"slices"

	"github.com/kernelboosting/bench/harness/store"
)

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
