package store

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	db, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	w := db.NewWriter(Environment{ProgramVersion: "test"}, nil)
	_, failed := w.Put(testRun("k1", OK)), w.Put(testRun("k2", Failed))
	if failed != nil {
		t.Fatal(failed)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := connect(filepath.Join(dir, "other.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.sql.Exec("CREATE TABLE s (t); INSERT INTO s VALUES ('" + secret + "')"); err != nil {
		t.Fatal(err)
	}
	_ = other.Close()
	f := &fortress{dir: dir}
	if f.db, err = OpenReader(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.db.Close() })
	f.before = f.files(t)
	return f
}

// files are the names and the bytes of all files but the index of the log, which readers write.
func (f *fortress) files(t testing.TB) string {
	t.Helper()
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "-shm") {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(f.dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
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
	for pragma, want := range map[string]string{"SELECT * FROM pragma_query_only": "1", "SELECT name FROM pragma_database_list WHERE name <> 'temp'": "main"} {
		got := ""
		err := f.db.Query(context.Background(), pragma, func([]string) error { return nil }, func(row []any) error {
			got += fmt.Sprint(row...)
			return nil
		})
		if err != nil || got != want {
			t.Fatalf("after %q %s is %v, %v", query, pragma, got, err)
		}
	}
	if after := f.files(t); after != f.before {
		t.Fatalf("%q changed a file", query)
	}
}

// hostile are queries that try to do more than read.
var hostile = []string{
	"SELECT 1", "SELECT * FROM results", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", "EXPLAIN DELETE FROM runs",
	"DELETE FROM runs", "DELETE FROM runs RETURNING key", "INSERT INTO runs (key) VALUES ('x') RETURNING key", "UPDATE runs SET error = 'x' RETURNING key",
	"WITH x AS (SELECT 1) DELETE FROM runs RETURNING key", "REPLACE INTO checksums VALUES ('x', 1) RETURNING what",
	"ATTACH 'other.db' AS o", "ATTACH 'file:other.db?mode=rwc' AS o", "DETACH main", "SELECT * FROM o.s",
	"VACUUM", "VACUUM INTO 'copy.db'", "REINDEX", "ANALYZE", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", "SAVEPOINT x",
	"CREATE TABLE x (a)", "CREATE TEMP TABLE x AS SELECT 1", "CREATE VIRTUAL TABLE x USING fts4(a)", "CREATE TEMP TRIGGER x AFTER INSERT ON runs BEGIN SELECT 1; END", "DROP VIEW results", "ALTER TABLE runs ADD COLUMN x",
	"PRAGMA query_only = 0", "PRAGMA query_only(off)", "PRAGMA journal_mode = DELETE", "PRAGMA journal_mode(OFF)", "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA writable_schema = 1", "PRAGMA user_version = 7", "PRAGMA application_id = 1",
	"PRAGMA temp_store_directory = '.'", "PRAGMA data_store_directory = '.'", "PRAGMA optimize", "PRAGMA incremental_vacuum", "PRAGMA schema.user_version = 3", "PRAGMA main.query_only=0", "PRAGMA mmap_size=1", "PRAGMA locking_mode=EXCLUSIVE",
	"SELECT load_extension('x')", "SELECT fts3_tokenizer('simple')", "SELECT writefile('x', 'y')", "SELECT readfile('other.db')", "SELECT * FROM pragma_query_only(0)", "SELECT * FROM pragma_journal_mode('delete')", "SELECT * FROM pragma_table_info('runs')",
	"SELECT edit('x')", "SELECT sqlite_version()", "SELECT * FROM sqlite_dbpage", "SELECT 1; DELETE FROM runs", "/* */ ; DELETE FROM runs", "SELECT ';'; DROP TABLE runs", "SELECT 1 -- \n; DELETE FROM runs", "\x00DELETE FROM runs", "SELECT '\x00'; DELETE FROM runs",
}

// TestQueriesOnlyRead whatever they ask for.
func TestQueriesOnlyRead(t *testing.T) {
	f := newFortress(t)
	t.Chdir(f.dir)
	for _, q := range hostile {
		f.hold(t, q)
	}
	for _, q := range []string{"ATTACH 'other.db' AS o", "PRAGMA query_only = 0", "PRAGMA wal_checkpoint(TRUNCATE)", "SELECT load_extension('x')", "VACUUM INTO 'copy.db'", "DELETE FROM runs RETURNING key"} {
		err := f.db.Query(context.Background(), q, func([]string) error { return nil }, func([]any) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "more than read this database") && !strings.Contains(err.Error(), "not authorized") && !strings.Contains(err.Error(), "only SELECT") {
			t.Errorf("%s: %v", q, err)
		}
	}
}

// TestQueriesOnlyReadProperty: also where hostile words are put together.
func TestQueriesOnlyReadProperty(t *testing.T) {
	f := newFortress(t)
	t.Chdir(f.dir)
	words := strings.Fields("SELECT DELETE FROM runs WHERE INSERT INTO VALUES ( ) ' \" ; -- /* */ , * = 0 1 'other.db' AS o ATTACH PRAGMA query_only journal_mode main . temp RETURNING WITH x UNION VACUUM load_extension pragma_query_only EXPLAIN QUERY PLAN CREATE TABLE TEMP VIEW results")
	rapid.Check(t, func(r *rapid.T) {
		f.hold(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 12).Draw(r, "words"), " "))
		pieces := rapid.SliceOfN(rapid.SampledFrom(hostile), 2, 3).Draw(r, "statements")
		f.hold(t, strings.Join(pieces, rapid.SampledFrom([]string{";", " ; ", "\n", "--\n;", "/*;*/", "'"}).Draw(r, "between")))
	})
}

// FuzzQuery: no text makes a query do more than read.
func FuzzQuery(f *testing.F) {
	for _, q := range hostile {
		f.Add([]byte(q))
	}
	fort := newFortress(f)
	if err := os.Chdir(fort.dir); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query []byte) {
		if bytes.Contains(bytes.ToLower(query), []byte("randomblob")) || bytes.Contains(bytes.ToLower(query), []byte("zeroblob")) {
			t.Skip("takes memory, which is its asker's")
		}
		fort.hold(t, string(query))
	})
}
