package store

import (
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// version12 is smallDatabase as the last program with version 12 of the schema stored it.
func version12(t *testing.T) string {
	t.Helper()
	f := must.Get(os.Open("testdata/version12.db.gz"))(t)
	defer f.Close()
	in := must.Get(gzip.NewReader(f))(t)
	raw := must.Get(io.ReadAll(in))(t)
	path := filepath.Join(t.TempDir(), "r.db")
	must.Do(t, os.WriteFile(path, raw, 0o644))
	return path
}

// TestFromEarlierVersions: whoever opens such a database finds what it held, and a run can begin. Version 13 differs from 12
// in what is under way.
func TestFromEarlierVersions(t *testing.T) {
	want := must.Get(printed(smallDatabase(t)))(t)
	const to13 = `DROP TABLE claims; CREATE TABLE underway_cells (key TEXT PRIMARY KEY, run INTEGER NOT NULL, begun INTEGER NOT NULL, deaths INTEGER NOT NULL);
		INSERT INTO underway_cells VALUES ('a', 7, 1, 2); INSERT INTO goose_db_version (version_id, is_applied) VALUES (13, 1)`
	for name, c := range map[string]struct {
		open  func(context.Context, string) (*DB, error)
		first string
		cells int64
	}{"Open": {Open, `CREATE TABLE underway (run INTEGER); CREATE TABLE underway_cells (run INTEGER); INSERT INTO underway_cells VALUES (7)`, 0},
		"OpenReader": {OpenReader, to13, 1}} {
		path := version12(t)
		change(t, path, c.first)
		db, err := c.open(t.Context(), path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n, err := db.one(t.Context(), `SELECT count(*) FROM underway_cells`); err != nil || n != c.cells {
			t.Errorf("%s: %v cells are under way, %v", name, n, err)
		}
		sound(t, db)
		must.Do(t, db.Close())
		if r := register(t, open(t, path), "a"); r.Close() != nil {
			t.Errorf("%s: no run can begin", name)
		}
		if got, err := printed(path); err != nil || got != want {
			t.Errorf("%s: %v, and other values are printed:\n%s\nwant\n%s", name, err, got, want)
		}
	}
}

// TestDamageBeforeAMigration is not sealed: the file stays as it is.
func TestDamageBeforeAMigration(t *testing.T) {
	for _, statement := range []string{
		`UPDATE runs SET n_correct = n_correct - 1, tp = tp - 1, fn = fn + 1 WHERE key = 'k001'`,
		`UPDATE fold_counts SET fit_seconds = 7 WHERE fold = 2`,
		`UPDATE grid_points SET params = '{"c":3}' WHERE grid_index = 1`,
		`DELETE FROM stages`,
		`UPDATE models SET data = x'00'`,
	} {
		path := version12(t)
		change(t, path, statement)
		before, _ := os.ReadFile(path)
		must.Say(t, must.Err(Open(t.Context(), path)), "not what was stored")
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("%s: the file changed", statement)
		}
	}
}

func change(t *testing.T, path, statements string) {
	t.Helper()
	db := must.Get(connect(path, nil))(t)
	must.Get(db.sql.Exec(statements))(t)
	must.Do(t, db.Close())
}
