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
	must.Get(db.sql.Exec(`DELETE FROM published_values; INSERT INTO published_values VALUES ('s', 'd', 'm', 1, 2, '3 4')`))(t)
	got, err := listOf(t.Context(), open(t, path).sql, `SELECT source, dataset, method, mean, std, folds FROM published_values ORDER BY source, dataset, method`, func(p *published.Value) []any {
		return []any{&p.Source, &p.Dataset, &p.Method, &p.Mean, &p.Std, &p.Folds}
	})
	if want := sortedPublished(); err != nil || !reflect.DeepEqual(want, got) {
		t.Errorf("%d published values, %v; want %d", len(got), err, len(want))
	}
}
