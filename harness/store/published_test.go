package store

import (
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/harness/published"
)

// TestPublishedFollowsTheProgram: a database with other values is brought up to date.
func TestPublishedFollowsTheProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	db := open(t, path)
	if _, err := db.sql.Exec(`DELETE FROM published_values; INSERT INTO published_values VALUES ('s', 'd', 'm', 1, 2)`); err != nil {
		t.Fatal(err)
	}
	got, err := open(t, path).publishedValues(t.Context())
	if want := published.Values(); err != nil || !samePublished(want, got) {
		t.Errorf("%d published values, %v; want %d", len(got), err, len(want))
	}
}
