package store

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/kernelboosting/bench/harness/published"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestPublishedFollowsTheProgram: a database with other values is brought up to date.
func TestPublishedFollowsTheProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	db := open(t, path)
	must.Get(db.sql.Exec(`DELETE FROM published_values; INSERT INTO published_values VALUES ('s', 'd', 'm', 'u', 1,` +
		` 2,` +
		` 'k', '3 4')`))(t)
	const query = `SELECT source, dataset, method, unit, mean, std, spread, folds FROM published ORDER BY source, ` +
		`dataset, method`
	got, err := listOf(t.Context(), open(t, path).sql, query, func(p *published.Value) []any {
		return []any{&p.Source, &p.Dataset, &p.Method, &p.Unit, &p.Mean, &p.Std, &p.Spread, &p.Folds}
	})
	if want := sortedPublished(); err != nil || !reflect.DeepEqual(want, got) {
		t.Errorf("%d published values, %v; want %d", len(got), err, len(want))
	}
}
