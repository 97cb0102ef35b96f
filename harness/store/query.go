package store

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/kernelboosting/bench/internal/wording"
	sqlite3 "github.com/mattn/go-sqlite3"
)

// Query runs one SQL statement and hands over the column names, then each row as soon as it is found. Values are
// nil, int64, float64, string or []byte. The statement changes nothing and reads no other file: the function
// allowed lists what a statement may do. The rows that the statement reads are compared with their checksums, and
// a DamageError comes after the last row. Small tables are compared whole, and so is each large table that the
// statement reads. But if it reads folds only through the view evaluations, only the folds of the runs that it
// reached are compared.
func (db *DB) Query(ctx context.Context, query string, columns func([]string) error, row func([]any) error) error {
	query, second := cut(query)
	if second != "" {
		return fmt.Errorf("one statement at a time is answered; a second one begins with %.40q", second)
	}
	checking, cancel := context.WithCancel(ctx)
	defer cancel()
	damage := make(chan error, 1)
	asked := false
	var read *reading
	err := db.watched(ctx, query, func(q queryer, r *reading) error {
		read = r
		return eachNamed(ctx, q, query, func(names []string) error {
			if len(names) == 0 {
				return errors.New("the statement returns no rows; use SELECT")
			}
			asked = true
			small, large := read.whole()
			go func() { damage <- db.checkWhole(checking, small, large) }()
			return columns(names)
		}, row)
	})
	if err != nil && asked { // the answer is incomplete, so its rows are not compared
		cancel()
		<-damage
	}
	switch {
	case isDamage(err):
		return &DamageError{db.path, []Problem{{Row: db.path, What: err.Error()}}}
	case isRefusal(err):
		return errors.New("the statement does more than read this database; use SELECT, or a PRAGMA that describes " +
			"its tables")
	case err != nil:
		return db.suggest(ctx, explain(db.beyondMemory(err)))
	}
	if err := <-damage; err != nil {
		return err
	}
	return db.damaged(db.check(ctx, sealedFolds.steps(spansOf(slices.Sorted(maps.Keys(read.runs))))))
}

// unknownNames are SQLite's messages for an unknown name, and where the known names are.
var unknownNames = map[string]string{
	"no such column: ": `SELECT DISTINCT c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c WHERE ` +
		`t.name IN (SELECT value FROM json_each(?))`,
	"no such table: ":    `SELECT value FROM json_each(?)`,
	"no such function: ": `SELECT DISTINCT name FROM pragma_function_list WHERE ? <> ''`,
}

func (db *DB) suggest(ctx context.Context, err error) error {
	for words, query := range unknownNames {
		name, found := strings.CutPrefix(err.Error(), words)
		if !found {
			continue
		}
		name = name[strings.LastIndexByte(name, '.')+1:] // without the table's name
		known, _ := json.Marshal(objects)
		names, failed := texts(ctx, db.sql, query, string(known))
		if failed != nil {
			return err // the error of the statement is the one that matters
		}
		slices.Sort(names)
		if slices.Contains(names, name) {
			return db.elsewhere(ctx, err, name, string(known))
		}
		if meant := wording.Suggest(name, names); meant != nil {
			return fmt.Errorf("%w; did you mean %s?", err, strings.Join(meant, " or "))
		}
	}
	return err
}

func (db *DB) elsewhere(ctx context.Context, err error, column, known string) error {
	const of = `SELECT t.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c WHERE c.name = ? AND t.name ` +
		`IN (SELECT value FROM json_each(?)) ORDER BY 1`
	tables, failed := texts(ctx, db.sql, of, column, known)
	if failed != nil || tables == nil {
		return err // the error of the statement is the one that matters
	}
	return fmt.Errorf("%w here; it is a column of %s", err, strings.Join(tables, ", "))
}

func isRefusal(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.Code == sqlite3.ErrAuth
}

// actionRecursive is SQLITE_RECURSIVE, a query WITH RECURSIVE. The driver has no name for it.
const actionRecursive = 33

// These are the pragmas that a statement may use. A telling pragma takes the name of a table or the like. A value
// pragma returns a value, and would change that value if it were given a new one.
var (
	tellingPragmas = strings.Fields(`table_info table_xinfo table_list index_list index_info index_xinfo
		foreign_key_list foreign_key_check
		integrity_check quick_check database_list collation_list function_list module_list pragma_list compile_options`)
	valuePragmas = strings.Fields(`application_id user_version schema_version data_version page_count page_size ` +
		`freelist_count encoding journal_mode query_only synchronous`)
)

// allowed reports whether a statement may do the action that SQLite asks about when it prepares the statement.
// Besides, the file is open for reading only.
func allowed(action int, first, second string) bool {
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, actionRecursive:
		return true
	case sqlite3.SQLITE_FUNCTION:
		return !slices.Contains([]string{"load_extension", "fts3_tokenizer"}, strings.ToLower(second))
	case sqlite3.SQLITE_PRAGMA:
		name := strings.ToLower(first)
		return slices.Contains(tellingPragmas, name) || second == "" && slices.Contains(valuePragmas, name)
	}
	return false
}

// checkWhole compares the small tables if small, and all rows of the large ones given.
func (db *DB) checkWhole(ctx context.Context, small bool, large []string) error {
	if small {
		if err := db.intact(ctx); err != nil {
			return err
		}
	}
	return db.damaged(db.check(ctx, largeSteps(large, db.spans(ctx))))
}

type reading struct {
	statement string // in lower case and without quotation marks, since a mark within a name is doubled
	// tables are the tables and views that SQLite names when it prepares the statement. SQLite does not name
	// a table whose columns only occur in USING.
	tables []string
	runs   map[int64]bool // the runs that the view evaluations reached, complete when the statement has ended
	others []string       // names in the file that this program did not make
}

var unquoted = strings.NewReplacer(`"`, "", "'", "", "`", "")

// names reports whether the statement may name a table or view.
func (r *reading) names(name string) bool {
	return strings.Contains(r.statement, unquoted.Replace(strings.ToLower(name)))
}

// whole returns whether small tables are read, and the large tables that must be compared whole. These are
// the large tables that the statement reads, but not the folds if it reads them only through the view
// evaluations. A view of a user hides its tables, and so do the file's own views when they are named with
// main.
func (r *reading) whole() (small bool, large []string) {
	if r.names("main") || slices.ContainsFunc(r.others, r.names) {
		return true, largeTables
	}
	for _, t := range largeTables {
		if r.names(t) || t != "fold_counts" && slices.Contains(r.tables, t) {
			large = append(large, t)
		}
	}
	return len(large) > 0 || slices.ContainsFunc(objects, r.names), large
}

// watched runs work on a connection of its own and notes the tables that the statement reads. On this connection
// the view evaluations finds the folds of a run through a function that notes the run.
func (db *DB) watched(ctx context.Context, query string, work func(q queryer, read *reading) error) error {
	conn, err := db.sql.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// so that the connection is not used again
	defer func() { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) }()
	// SQLite calls back from within the calls of work
	read := &reading{statement: unquoted.Replace(strings.ToLower(query)), runs: map[int64]bool{}}
	var view string
	err = each(ctx, conn, `SELECT name, sql FROM sqlite_schema`, func(r []any) error {
		switch name := fmt.Sprint(r[0]); {
		case name == "evaluations":
			view = fmt.Sprint(r[1])
		case !slices.Contains(objects, name):
			read.others = append(read.others, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	view = strings.NewReplacer("CREATE VIEW", "CREATE TEMP VIEW", "f.run_id = r.id",
		"f.run_id = noted(r.id)").Replace(view)
	err = conn.Raw(func(c any) error {
		return c.(*sqlite3.SQLiteConn).RegisterFunc("noted", func(run int64) int64 {
			read.runs[run] = true
			return run
		}, false)
	})
	for _, statement := range []string{"PRAGMA query_only = 0", view, "PRAGMA query_only = 1"} {
		if err == nil {
			_, err = conn.ExecContext(ctx, statement)
		}
	}
	if err != nil {
		return err
	}
	err = conn.Raw(func(c any) error {
		db.limitValues(c.(*sqlite3.SQLiteConn))
		c.(*sqlite3.SQLiteConn).RegisterAuthorizer(func(action int, first, second, _ string) int {
			if action == sqlite3.SQLITE_READ && !slices.Contains(read.tables, first) {
				read.tables = append(read.tables, first)
			}
			if !allowed(action, first, second) {
				return sqlite3.SQLITE_DENY
			}
			return sqlite3.SQLITE_OK
		})
		return nil
	})
	if err != nil {
		return err
	}
	return work(conn, read)
}

// cut returns the first statement of a query, and the text from the second statement on, or "" if there is none.
// Semicolons within quotes and comments do not count.
func cut(query string) (first, second string) {
	end := -1 // of the first statement
	begun := false
	for at := 0; at < len(query); {
		if strings.IndexByte(" \t\r\n\f;", query[at]) >= 0 {
			if query[at] == ';' && begun && end < 0 {
				end = at
			}
			at++
			continue
		}
		n, comment := token(query[at:])
		if !comment {
			if end >= 0 {
				return query[:end], query[at:]
			}
			begun = true
		}
		at += n
	}
	if end >= 0 {
		query = query[:end]
	}
	return query, ""
}

// token returns the length of the comment, the quoted text or the byte at the beginning of text.
func token(text string) (n int, comment bool) {
	end := func(mark string, from int) int {
		if i := strings.Index(text[from:], mark); i >= 0 {
			return from + i + len(mark)
		}
		return len(text)
	}
	switch {
	case strings.HasPrefix(text, "--"):
		return end("\n", 2), true
	case strings.HasPrefix(text, "/*"):
		return end("*/", 2), true
	case text[0] == '[':
		return end("]", 1), false
	case strings.IndexByte("'\"`", text[0]) >= 0: // a doubled quotation mark begins the next token
		return end(text[:1], 1), false
	}
	return 1, false
}

// LeastQueryMemory is the smallest limit of LimitMemory: every query of results needs this much.
const LeastQueryMemory = 64 << 20

// These divisors give the shares of a query's memory that SQLite and a single value may have. A value exists
// several times on its way out, and so do all values of a row.
const (
	heapShare  = 4
	valueShare = 16
)

// collected holds the limit of the bytes that aggregates may keep, and the bytes that they keep now.
var collected struct{ limit, held atomic.Int64 }

// LimitMemory bounds the memory of the queries of this process, above all of Query. The limit cannot be
// raised again. A query that needs more ends with an error.
func (db *DB) LimitMemory(ctx context.Context, bytes int64) error {
	if bytes < LeastQueryMemory {
		return fmt.Errorf("a query may need %s of memory; allow as much", wording.Bytes(LeastQueryMemory))
	}
	db.memory = bytes
	collected.limit.Store(bytes / heapShare)
	_, err := db.one(ctx, fmt.Sprintf("PRAGMA hard_heap_limit = %d", bytes/heapShare))
	return err
}

func (db *DB) limitValues(c *sqlite3.SQLiteConn) {
	if db.memory > 0 {
		c.SetLimit(sqlite3.SQLITE_LIMIT_LENGTH, int(min(db.memory/valueShare, 1e9)))
	}
}

var errCollected = errors.New("aggregates of the statement hold too many values")

// collect counts bytes that an aggregate holds until it returns its value.
func collect(bytes int64) error {
	if limit := collected.limit.Load(); collected.held.Add(bytes) > limit && limit > 0 {
		return errCollected
	}
	return nil
}

// beyondMemory adds advice to the error of a query that needed too much memory.
func (db *DB) beyondMemory(err error) error {
	var e sqlite3.Error
	switch {
	case db.memory == 0:
		return err
	case errors.As(err, &e) && e.Code == sqlite3.ErrTooBig:
		return fmt.Errorf("a value is longer than %s, a %dth of the memory that a query may use (%s); select less, or "+
			"raise --memory",
			wording.Bytes(db.memory/valueShare), valueShare, wording.Bytes(db.memory))
	case errors.As(err, &e) && e.Code == sqlite3.ErrNomem, err != nil && err.Error() == errCollected.Error():
		return fmt.Errorf("the statement needs more memory than it may take (%s); select less, or raise --memory",
			wording.Bytes(db.memory))
	}
	return err
}
