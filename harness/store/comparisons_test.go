package store

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store/storetest"
	"github.com/kernelboosting/bench/internal/test/must"
)

// comparison is of version 1 of M with N on d and e, at a time.
func comparison(t *testing.T, created string) result.Comparison {
	c := result.Comparison{Created: must.Get(time.Parse(time.RFC3339, created))(t), Metric: "accuracy", Level: 0.05,
		Splits: []int{1, 2}, Protocol: result.Named{ID: "p"}, Method: result.ComparedMethod{ID: "M", Version: "1"},
		Against: []result.ComparedMethod{{ID: "N", Version: "1"}}, Datasets: []result.Named{{ID: "d"}, {ID: "e"}}}
	return must.Get(c.Written())(t)
}

// TestComparisons: a comparison is stored once, and not after a result of its method's version on one of its sets. A
// result that began earlier and comes later, as by an import, is named. Results of other versions, other sets and other
// methods are none of it, and neither are failures.
func TestComparisons(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	add := func(method, version, dataset, protocol, started string, status result.Status) {
		r := storetest.Finished(method, dataset, 1)
		r.MethodVersion, r.StartedAt, r.Protocol = version, started, protocol
		r.Key = strings.Join([]string{method, version, dataset, protocol, started}, " ")
		if r.Status = status; status != result.OK {
			r.Error, r.Class = "it failed", "error"
		}
		put(t, db, r)
	}
	add("N", "1", "d", "p", "2026-01-01T00:00:00Z", result.OK)
	add("M", "2", "d", "p", "2026-01-01T00:00:00Z", result.OK)
	add("M", "1", "f", "p", "2026-01-01T00:00:00Z", result.OK)
	add("M", "1", "d", "p", "2026-01-01T00:00:00Z", result.Failed)
	add("M", "11 sklearn=1", "d", "p", "2026-01-01T00:00:00Z", result.OK)
	first := comparison(t, "2026-02-01T00:00:00.5Z")
	must.Be(t, must.Get(db.PutComparison(t.Context(), first))(t), first)
	stored := func() result.Comparison {
		all := must.Get(db.Comparisons(t.Context(), "p"))(t)
		must.Be(t, len(all), 1)
		return all[0]
	}
	must.Be(t, stored(), first)
	must.Be(t, len(must.Get(db.Comparisons(t.Context(), "another"))(t)), 0)
	must.Be(t, must.Get(db.PutComparison(t.Context(), comparison(t, "2026-03-01T00:00:00Z")))(t), first, "asked again")

	add("M", "1", "d", "p", "2026-02-01T00:00:00.51Z", result.OK)
	must.Be(t, stored().Earlier, "", "with a later result")
	other := comparison(t, "2026-03-01T00:00:00Z")
	other.Level = 0.01
	must.Be(t, must.Get(db.PutComparison(t.Context(), other))(t).Earlier, "d, split 1, of 2026-02-01T00:00")
	must.Be(t, stored().Earlier, "", "after one that is refused")

	add("M", "1", "e", "another", "2026-02-01T00:00:00Z", result.OK)
	must.Be(t, stored().Earlier, "e, split 1, of 2026-02-01T00:00")
	libraries := comparison(t, "2026-03-01T00:00:00Z")
	libraries.Method.Version = "11 sklearn=2"
	must.Be(t, must.Get(db.PutComparison(t.Context(), libraries))(t).Earlier, "d, split 1, of 2026-01-01T00:00")
	sound(t, db)
	must.Get(db.sql.Exec("UPDATE comparisons SET created_at = '2020'"))(t)
	found := must.Get(db.Check(t.Context()))(t)
	must.Be(t, len(found), 1)
	must.Be(t, found[0].String(), "registered comparison "+first.Short()+": "+badChecksum)
}
