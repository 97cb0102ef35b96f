package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"pgregory.net/rapid"
)

// A fortress is a database with another one beside it that no query may open, and what both hold.
type fortress struct {
	db     *DB
	dir    string
	before string
}

const secret = "what no query may see"

func newFortress(t testing.TB) *fortress {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "r.db")
	db := must.Get(Open(context.Background(), path))(t)
	put(t, db, testRun("k1", result.OK), testRun("k2", result.Failed))
	must.Do(t, db.Close())
	other := must.Get(connect(filepath.Join(dir, "other.db"), nil))(t)
	must.Get(other.sql.Exec("CREATE TABLE s (t); INSERT INTO s VALUES ('" + secret + "')"))(t)
	_ = other.Close()
	f := &fortress{dir: dir}
	f.db = must.Get(OpenReader(context.Background(), path))(t)
	t.Cleanup(func() { _ = f.db.Close() })
	f.before = f.files(t)
	return f
}

// files are the names and the bytes of all files but the index of the log, which readers write.
func (f *fortress) files(t testing.TB) string {
	t.Helper()
	entries := must.Get(os.ReadDir(f.dir))(t)
	var b strings.Builder
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "-shm") {
			continue
		}
		raw := must.Get(os.ReadFile(filepath.Join(f.dir, e.Name())))(t)
		if strings.HasSuffix(e.Name(), "-wal") && len(raw) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s %x\n", e.Name(), raw)
	}
	return b.String()
}

// hold asks a query and looks whether it did anything but read.
func (f *fortress) hold(t testing.TB, query string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	rows := 0
	_ = f.db.Query(ctx, query, func([]string) error { return nil }, func(row []any) error {
		if rows++; rows > 1000 {
			return context.Canceled
		}
		text := fmt.Sprint(row...)
		if !strings.Contains(query, secret) && strings.Contains(text, secret) {
			t.Fatalf("%q read another file: %s", query, text)
		}
		return nil
	})
	for pragma, want := range map[string]string{"SELECT * FROM pragma_query_only": "1",
		"SELECT name FROM pragma_database_list WHERE name <> 'temp'": "main"} {
		got := ""
		err := f.db.Query(context.Background(), pragma, func([]string) error { return nil }, func(row []any) error {
			got += fmt.Sprint(row...)
			return nil
		})
		if err != nil || got != want {
			t.Fatalf("after %q %s is %v, %v", query, pragma, got, err)
		}
	}
	must.Be(t, f.files(t), f.before, query)
}

func ask(t testing.TB, db *DB, query string) (rows string, err error) {
	t.Helper()
	var b strings.Builder
	err = db.Query(t.Context(), query, func([]string) error {
		return nil
	}, func(r []any) error { fmt.Fprintln(&b, r...); return nil })
	return b.String(), err
}

// TestAnAnswerComparesWhatItRead: of the folds, those of the runs that it came to, on every way to them.
func TestAnAnswerComparesWhatItRead(t *testing.T) {
	testenv.NotUnderRace(t)
	for _, c := range []struct{ damage, query, noticed string }{
		{changedFold, "SELECT * FROM evaluations WHERE dataset = 'wine' AND method = 'CART' AND split = 2",
			"CART on wine, split 2"},
		{changedFold, "SELECT * FROM evaluations WHERE dataset = 'wine' AND method = 'CART' AND split = 3", ""},
		{changedFold, "SELECT count(*) FROM results", ""},
		{changedFold, "SELECT * FROM published", ""},
		{changedFold, "SELECT outputs FROM scores", ""},
		{changedFold, "SELECT count(*) FROM evaluations", "CART on wine, split 2"},
		{changedFold, "SELECT max(n_correct) FROM evaluations GROUP BY dataset, method, split LIMIT 1",
			"CART on wine, split 2"},
		{changedFold, "SELECT split FROM evaluations WHERE dataset = 'wine' AND method = 'CART' AND n_correct = 10 " +
			"AND split < 3", "CART on wine, split 2"},
		{changedFold, "SELECT (SELECT sum(n_correct) FROM evaluations e WHERE (e.dataset, e.method, e.split) = " +
			"(r.dataset, r.method, r.split)) FROM results r WHERE split = 2", "CART on wine, split 2"},
		{changedFold, "SELECT (SELECT sum(n_correct) FROM evaluations e WHERE (e.dataset, e.method, e.split) = " +
			"(r.dataset, r.method, r.split)) FROM results r WHERE split = 3", ""},
		{changedFold, "WITH e AS (SELECT * FROM evaluations WHERE split = 2) SELECT a.fold FROM e a JOIN e b USING " +
			"(dataset, method, grid_index, fold) LIMIT 1", "CART on wine, split 2"},
		{changedFold, "SELECT 1 FROM results r LEFT JOIN evaluations e ON (e.dataset, e.method, e.split) = " +
			"(r.dataset, r.method, r.split) AND e.split = 2", "CART on wine, split 2"},
		{changedFold, "SELECT 1 WHERE EXISTS (SELECT 1 FROM evaluations WHERE split = 2 AND n_correct = 1000)",
			"CART on wine, split 2"},
		{changedFold, "SELECT fold FROM evaluations WHERE split = 3 UNION SELECT fold FROM evaluations WHERE split = " +
			"2 AND method = 'CART'", "CART on wine, split 2"},
		// Ways past the view that notes runs: everything is compared.
		{changedFold, "SELECT * FROM fold_counts WHERE run_id = 3", "CART on wine, split 2"},
		{changedFold, "SELECT * FROM Main.evaluations WHERE split = 3", "CART on wine, split 2"},
		// of which SQLite tells nothing
		{changedFold, "SELECT median(split) FROM fold_counts JOIN results USING (run_id)", "CART on wine, split 2"},
		{"UPDATE cells SET split = 7 WHERE split = 2", "SELECT 1 FROM cells JOIN stages USING (run_id)", "split 7"},
		{changedFold, "SELECT * FROM mine", "CART on wine, split 2"},
		{changedFold, "SELECT 1 FROM \"M\"\"ine\" WHERE one", "CART on wine, split 2"},
		{changedFold, "SELECT count(*) FROM mine, (SELECT 1 FROM evaluations WHERE split = 3 LIMIT 1)",
			"CART on wine, split 2"},
		// Folds that are gone are noticed where they would have stood.
		{goneFolds, "SELECT * FROM evaluations WHERE dataset = 'wine' AND method = 'CART' AND split = 2",
			"CART on wine, split 2"},
		{goneFolds, "SELECT * FROM evaluations WHERE dataset = 'wine' AND method = 'CART' AND split = 3", ""},
		{"UPDATE scores SET outputs = 2", "SELECT * FROM evaluations", ""},
		{"UPDATE scores SET outputs = 2", "SELECT outputs FROM scores JOIN results USING (run_id)",
			"its scores or its model"},
		{"UPDATE published_values SET mean = mean + 1", "SELECT * FROM evaluations", ""},
		{"UPDATE published_values SET mean = mean + 1", "SELECT * FROM published LIMIT 1", "published values"},
		{"DELETE FROM cells WHERE split = 2 AND dataset = 'wine' AND method = 'CART'",
			"SELECT count(*) FROM evaluations WHERE split = 2", "its cell has no current attempt"},
	} {
		db := open(t, smallDatabase(t))
		must.Get(db.sql.Exec(`CREATE VIEW mine AS SELECT 1 AS one FROM evaluations WHERE split = 3; CREATE VIEW ` +
			`"m""ine" AS SELECT 1 AS one FROM evaluations;` + c.damage))(t)
		_, err := ask(t, db, c.query)
		if damage := (*DamageError)(nil); c.noticed == "" && err != nil || c.noticed != "" &&
			(!errors.As(err, &damage) || !strings.Contains(err.Error(), c.noticed)) {
			t.Errorf("%s, then %s: %v; want a word of %q", c.damage, c.query, err, c.noticed)
		}
	}
}

const (
	changedFold = "UPDATE fold_counts SET n_correct = n_correct - 1, tp = tp - 1, fn = fn + 1 WHERE grid_index = 1 " +
		"AND fold = 3 AND run_id = (SELECT id FROM runs WHERE key = 'k002')"
	goneFolds = "DELETE FROM fold_counts WHERE run_id = (SELECT id FROM runs WHERE key = 'k002')"
)

// TestOtherAnswersAreNoticed: where damaged folds change an answer, a DamageError says so, whatever is asked.
func TestOtherAnswersAreNoticed(t *testing.T) {
	testenv.NotUnderRace(t)
	whole := open(t, smallDatabase(t))
	from := []string{"evaluations", "evaluations e JOIN results r USING (dataset, method, split)",
		"results r LEFT JOIN evaluations e USING (dataset, method, split)",
		"(SELECT * FROM evaluations ORDER BY n_correct LIMIT 7)", "evaluations e JOIN evaluations f USING (dataset, " +
			"split, grid_index, fold)", "fold_counts f JOIN results r USING (run_id)", "main.evaluations"}
	where := []string{"dataset = 'wine'", "method = 'CART'", "split = 2", "split < 3", "grid_index = 1",
		"fold IN (1, 2, 3)", "e.n_correct > 10", "params LIKE '%1%'", "NOT method = 'CART'", "tp = 5 OR split = 1"}
	what := []string{"count(*), sum(fold)", "*", "dataset, method, max(fold)", "median(split)"}
	changed := 0
	rapid.Check(t, func(r *rapid.T) {
		conditions := strings.Join(rapid.SliceOfN(rapid.SampledFrom(where), 1, 3).Draw(r, "where"), " AND ")
		query := "SELECT " + rapid.SampledFrom(what).Draw(r, "what") + " FROM " + rapid.SampledFrom(from).Draw(r,
			"from") + " WHERE " + conditions
		before, err := ask(t, whole, query)
		if err != nil {
			return // an ambiguous column, say
		}
		path := filepath.Join(t.TempDir(), fmt.Sprint(rapid.Uint64().Draw(r, "file"), ".db"))
		must.Get(whole.sql.Exec("VACUUM INTO ?", path))(r)
		defer os.Remove(path)
		db := must.Get(Open(t.Context(), path))(r)
		defer db.Close()
		some := fmt.Sprintf(" WHERE run_id %% 14 = %d AND fold %% 30 < %d", rapid.IntRange(0, 13).Draw(r, "run"),
			rapid.IntRange(1, 30).Draw(r, "folds"))
		damage := rapid.SampledFrom([]string{"DELETE FROM fold_counts", "UPDATE fold_counts SET n_correct = " +
			"n_correct " +
			"+ 1, fp = fp - 1, tn = tn + 1", "UPDATE fold_counts SET fold = fold + 100",
			"UPDATE OR REPLACE fold_counts SET run_id = 3"}).Draw(r, "damage")
		must.Get(db.sql.Exec(damage + some))(r)
		after, err := ask(t, db, query)
		if damage := (*DamageError)(nil); after != before && !errors.As(err, &damage) {
			r.Fatalf("%s, then %s: another answer, and it says %v", damage, query, err)
		} else if err != nil {
			changed++
		}
	})
	if changed == 0 {
		t.Error("no damage was noticed: the test damages nothing that is read")
	}
}

// TestUnknownNames: the error of a name that SQLite does not know has the near ones.
func TestUnknownNames(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	for query, want := range map[string]string{
		"SELECT acuracy FROM results":           "no such column: acuracy; did you mean accuracy?",
		"SELECT r.acuracy FROM results r":       "no such column: r.acuracy; did you mean accuracy?",
		"SELECT cost_units FROM results":        "no such column: cost_units here; it is a column of runs",
		"SELECT 1 FROM resuls":                  "no such table: resuls; did you mean results?",
		"SELECT 1 FROM main.resuls":             "no such table: main.resuls; did you mean results?",
		"SELECT stdev(accuracy) FROM results":   "no such function: stdev; did you mean stddev?",
		"SELECT qwertyuiop FROM results":        "no such column: qwertyuiop",
		"SELECT 'no such column: x' FROM x.y.z": `near ".": syntax error`,
	} {
		if _, err := ask(t, db, query); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
	}
}

// hostile are queries that try to do more than read.
var hostile = []string{
	"SELECT 1", "SELECT * FROM results", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i " +
		"FROM n", "EXPLAIN DELETE FROM runs",
	"DELETE FROM runs", "DELETE FROM runs RETURNING key", "INSERT INTO runs (key) VALUES ('x') RETURNING key",
	"UPDATE runs SET error = 'x' RETURNING key",
	"WITH x AS (SELECT 1) DELETE FROM runs RETURNING key", "REPLACE INTO checksums VALUES ('x', 1) RETURNING what",
	"ATTACH 'other.db' AS o", "ATTACH 'file:other.db?mode=rwc' AS o", "DETACH main", "SELECT * FROM o.s",
	"VACUUM", "VACUUM INTO 'copy.db'", "REINDEX", "ANALYZE", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", "SAVEPOINT x",
	"CREATE TABLE x (a)", "CREATE TEMP TABLE x AS SELECT 1", "CREATE VIRTUAL TABLE x USING fts4(a)",
	"CREATE TEMP TRIGGER x AFTER INSERT ON runs BEGIN SELECT 1; END", "DROP VIEW results",
	"ALTER TABLE runs ADD COLUMN x",
	"PRAGMA query_only = 0", "PRAGMA query_only(off)", "PRAGMA journal_mode = DELETE", "PRAGMA journal_mode(OFF)",
	"PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA writable_schema = 1", "PRAGMA user_version = 7",
	"PRAGMA application_id = 1",
	"PRAGMA temp_store_directory = '.'", "PRAGMA data_store_directory = '.'", "PRAGMA optimize",
	"PRAGMA incremental_vacuum", "PRAGMA schema.user_version = 3", "PRAGMA main.query_only=0", "PRAGMA mmap_size=1",
	"PRAGMA locking_mode=EXCLUSIVE",
	"SELECT load_extension('x')", "SELECT fts3_tokenizer('simple')", "SELECT writefile('x', 'y')",
	"SELECT readfile('other.db')", "SELECT * FROM pragma_query_only(0)",
	"SELECT * FROM pragma_journal_mode('delete')", "SELECT * FROM pragma_table_info('runs')",
	"SELECT edit('x')", "SELECT sqlite_version()", "SELECT * FROM sqlite_dbpage", "SELECT 1; DELETE FROM runs",
	"/* */ ; DELETE FROM runs", "SELECT ';'; DROP TABLE runs", "SELECT 1 -- \n; DELETE FROM runs",
	"\x00DELETE FROM runs", "SELECT '\x00'; DELETE FROM runs",
}

// TestQueriesOnlyRead whatever they ask for.
func TestQueriesOnlyRead(t *testing.T) {
	testenv.NotUnderRace(t)
	f := newFortress(t)
	t.Chdir(f.dir)
	for _, q := range []string{"ATTACH 'other.db' AS o", "PRAGMA query_only = 0", "PRAGMA wal_checkpoint(TRUNCATE)",
		"SELECT load_extension('x')", "VACUUM INTO 'copy.db'", "DELETE FROM runs RETURNING key"} {
		err := f.db.Query(context.Background(), q, func([]string) error {
			return nil
		}, func([]any) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "more than read this database") &&
			!strings.Contains(err.Error(), "not authorized") && !strings.Contains(err.Error(), "use SELECT") {
			t.Errorf("%s: %v", q, err)
		}
	}
}

// TestQueriesOnlyReadProperty: also where hostile words are put together.
func TestQueriesOnlyReadProperty(t *testing.T) {
	testenv.NotUnderRace(t)
	f := newFortress(t)
	t.Chdir(f.dir)
	words := strings.Fields("SELECT DELETE FROM runs WHERE INSERT INTO VALUES ( ) ' \" ; -- /* */ , * = 0 1 " +
		"'other.db' AS o ATTACH PRAGMA query_only journal_mode main . temp RETURNING WITH x UNION VACUUM " +
		"load_extension pragma_query_only EXPLAIN QUERY PLAN CREATE TABLE TEMP VIEW results")
	rapid.Check(t, func(r *rapid.T) {
		f.hold(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 12).Draw(r, "words"), " "))
		pieces := rapid.SliceOfN(rapid.SampledFrom(hostile), 2, 3).Draw(r, "statements")
		f.hold(t, strings.Join(pieces, rapid.SampledFrom([]string{";", " ; ", "\n", "--\n;", "/*;*/", "'"}).Draw(r,
			"between")))
	})
}

// FuzzQuery: no text makes a query do more than read.
func FuzzQuery(f *testing.F) {
	testenv.NotUnderRace(f)
	for _, q := range hostile {
		f.Add([]byte(q))
	}
	fort := newFortress(f)
	must.Do(f, os.Chdir(fort.dir))
	f.Fuzz(func(t *testing.T, query []byte) {
		if bytes.Contains(bytes.ToLower(query), []byte("randomblob")) || bytes.Contains(bytes.ToLower(query),
			[]byte("zeroblob")) {
			t.Skip("takes memory, which is its asker's")
		}
		fort.hold(t, string(query))
	})
}
