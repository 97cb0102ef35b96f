package store

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/internal/test/must"
	sqlite3 "github.com/mattn/go-sqlite3"
)

// TestPublishedFollowsTheProgram: a database with other values is brought up to date.
func TestPublishedFollowsTheProgram(t *testing.T) {
	db, path := fresh(t)
	must.Get(db.sql.Exec(`DELETE FROM published_values; INSERT INTO published_values VALUES ('s', 'd', 'm', 'u', 1,` +
		` 2,` +
		` 'k', '3 4')`))(t)
	const query = `SELECT source, dataset, method, unit, mean, std, spread, folds FROM published ORDER BY source, ` +
		`dataset, method`
	got, err := listOf(t.Context(), open(t, path).sql, query, func(p *experiments.Value) []any {
		return []any{&p.Source, &p.Dataset, &p.Method, &p.Unit, &p.Mean, &p.Std, &p.Spread, &p.Folds}
	})
	if want := sortedPublished(); err != nil || !reflect.DeepEqual(want, got) {
		t.Errorf("%d published values, %v; want %d", len(got), err, len(want))
	}
}

// TestBegunOnAFullDisk: a database whose tables were made, and nothing after them for want of room, is not damaged. The
// next command that opens it for writing completes it. One with a run has printed values.
func TestBegunOnAFullDisk(t *testing.T) {
	db, path := fresh(t)
	const begun = `DELETE FROM published_values; DELETE FROM checksums`
	must.Get(db.sql.Exec(begun))(t)
	must.Be(t, len(must.Get(db.Check(t.Context()))(t)), 0)
	must.Be(t, len(must.Get(open(t, path).Check(t.Context()))(t)), 0)
	values := must.Get(db.one(t.Context(), `SELECT count(*) FROM published_values`))(t)
	must.Be(t, values, any(int64(len(sortedPublished()))))

	must.Get(db.sql.Exec(`DELETE FROM published_values`))(t)
	must.Be(t, len(must.Get(db.Check(t.Context()))(t)), 1, "the values alone are gone")

	with := smallDatabase(t)
	db = open(t, with)
	must.Get(db.sql.Exec(begun))(t)
	must.Be(t, len(must.Get(db.Check(t.Context()))(t)), 1, "a run is stored")
}

// TestAdviceComesOnce: an error that passes several hands has its advice once.
func TestAdviceComesOnce(t *testing.T) {
	full := sqlite3.Error{Code: sqlite3.ErrFull}
	err := explain(fmt.Errorf("published value: %w", explain(fmt.Errorf("a row: %w", full))))
	must.Be(t, strings.Count(err.Error(), "free space on its disk"), 1, err)
	must.Be(t, passes(err), true)
}

// printedElsewhere are values of a source that the program does not have.
func printedElsewhere() []experiments.Value {
	const source = "Doe 2026, Table 1"
	return []experiments.Value{
		{Source: source, Dataset: "sonar", Method: "NewNet", Unit: "share of correct labels", Mean: 0.85,
			Quoted: &experiments.Quoted{}},
		{Source: source, Dataset: "wine", Method: "NewNet", Unit: "percent of correct labels", Mean: 98.5,
			Std: new(1.5), Spread: experiments.Deviation,
			Quoted: &experiments.Quoted{N: new(20), Protocol: "table2", SameSplits: true}},
	}
}

// TestQuotedValues: what is stored comes back; the same file changes nothing; another value is refused whole, unless it
// replaces all that its source had.
func TestQuotedValues(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	want := printedElsewhere()
	source := want[0].Source
	stored := func() []experiments.Value { return must.Get(db.Quoted(t.Context()))(t) }
	for i, fresh := range []int{2, 0} {
		n, contradicted, err := db.PutQuoted(t.Context(), source, want, false)
		if n != fresh || contradicted != nil || err != nil || !reflect.DeepEqual(stored(), want) {
			t.Fatalf("time %d: %d stored, want %d; %v, %v; the database has %v", i+1, n, fresh, contradicted, err,
				stored())
		}
	}
	_, rows := query(t, db, `SELECT method, mean, std, spread, n, protocol, same_splits FROM published
		WHERE source = '`+source+`' ORDER BY dataset`)
	must.Be(t, fmt.Sprint(rows),
		"[[NewNet 0.85 <nil>  <nil>  0] [NewNet 98.5 1.5 standard deviation 20 table2 1]]", "view")
	other := printedElsewhere()
	other[0].Dataset, other[1].Mean = "heart", 99
	_, contradicted, err := db.PutQuoted(t.Context(), source, other, false)
	if err != nil || !reflect.DeepEqual(contradicted, want[1:]) || !reflect.DeepEqual(stored(), want) {
		t.Errorf("another value of wine: %v, %v; the database has %v", contradicted, err, stored())
	}
	if _, _, err := db.PutQuoted(t.Context(), source, other, true); err != nil || !reflect.DeepEqual(stored(), other) {
		t.Errorf("replaced: %v, the database has %v", err, stored())
	}
	sound(t, db)
	if _, _, err := db.PutQuoted(t.Context(), source, nil, true); err != nil || stored() != nil {
		t.Errorf("replaced by nothing: %v, the database has %v", err, stored())
	}
}

// TestAnUpgradeUnderAnOlderProgram: a database that another program has open stays as it is, and an error says why.
func TestAnUpgradeUnderAnOlderProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	older := must.Get(connect(path, url.Values{"_journal_mode": {"WAL"}}))(t)
	old, _, _ := strings.Cut(schema, fmt.Sprintf("PRAGMA user_version = %d;", schemaVersion))
	must.Get(older.sql.Exec(old + `CREATE VIEW history AS SELECT id AS run_id, peak_rss_bytes FROM runs`))(t)
	for _, try := range []func(context.Context, string) (*DB, error){OpenReader, Open} {
		must.Say(t, must.Err(try(t.Context(), path)), fmt.Sprintf("its schema is version %d, and becomes %d once no "+
			"other program has the file open: database is locked", schemaVersion-1, schemaVersion))
	}
	must.Be(t, must.Get(older.version(t.Context(), older.sql))(t), int64(schemaVersion-1), "version")
	must.Do(t, older.Close())
	db := must.Get(Open(t.Context(), path))(t)
	defer db.Close()
	must.Be(t, must.Get(db.version(t.Context(), db.sql))(t), int64(schemaVersion), "version")
}

// TestAnOlderVersionGrows: a database of an older version keeps its rows and gets what it lacks, whoever opens it.
func TestAnOlderVersionGrows(t *testing.T) {
	for i := range 2 * (schemaVersion - oldestVersion) {
		try := []func(context.Context, string) (*DB, error){OpenReader, Open}[i%2]
		path := filepath.Join(t.TempDir(), "r.db")
		pool := must.Get(connect(path, nil))(t)
		old, _, found := strings.Cut(schema, fmt.Sprintf("PRAGMA user_version = %d;", oldestVersion+1+i/2))
		must.Be(t, found, true, "a part of the schema for each version")
		must.Get(pool.sql.Exec(old + `CREATE VIEW history AS SELECT id AS run_id, peak_rss_bytes FROM runs`))(t)
		// The program that made the file added a column, which the view of the newer version shows, too.
		must.Get(pool.sql.Exec("ALTER TABLE runs ADD COLUMN train_groups INTEGER"))(t)
		must.Do(t, pool.replaceAll(t.Context(), sealedSecrets, [][]any{{"what", "value"}}))
		must.Do(t, pool.Close())
		db := must.Get(try(t.Context(), path))(t)
		defer db.Close()
		sound(t, db)
		_, rows := query(t, db, "SELECT value FROM secrets")
		must.Be(t, fmt.Sprint(rows), "[[value]]", "rows")
		_, rows = query(t, db, "SELECT count(train_groups) FROM results")
		must.Be(t, fmt.Sprint(rows), "[[0]]", "an added column")
		must.Be(t, must.Get(db.version(t.Context(), db.sql))(t), int64(schemaVersion), "version")
		must.Be(t, must.Get(db.Quoted(t.Context()))(t), nil, "imported values")
		must.Be(t, len(must.Get(db.Comparisons(t.Context(), ""))(t)), 0, "registered comparisons")
	}
}
