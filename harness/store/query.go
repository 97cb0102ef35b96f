package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sqlite3 "github.com/mattn/go-sqlite3"
)

// Query runs one SQL statement and hands over the column names, then each row as it is
// found; values are nil, int64, float64, string or []byte. It changes nothing and reads no
// other file: what allowed does not name is refused. While it runs, the rows that it may read are compared with their
// checksums; a DamageError comes after the last row.
func (db *DB) Query(ctx context.Context, query string, columns func([]string) error, row func([]any) error) error {
	query, second := cut(query)
	if second != "" {
		return fmt.Errorf("one statement at a time is answered; a second one begins with %q", clip(second))
	}
	checking, cancel := context.WithCancel(ctx)
	defer cancel()
	damage := make(chan error, 1)
	asked := false
	err := db.watched(ctx, func(q queryer, touched func() []string) error {
		return eachNamed(ctx, q, query, func(names []string) error {
			if len(names) == 0 {
				return errors.New("the statement returns no rows; only SELECT can be asked here")
			}
			tables := touched()
			asked = true
			go func() { damage <- db.checkTouched(checking, tables) }()
			return columns(names)
		}, row)
	})
	if err != nil && asked { // the answer is not complete, so nothing is said of what it read
		cancel()
		<-damage
	}
	switch {
	case isDamage(err):
		return &DamageError{db.path, []Problem{{Row: db.path, What: err.Error()}}}
	case isRefusal(err):
		return errors.New("the statement does more than read this database; SELECT can be asked here, and PRAGMAs that tell of its tables")
	case err != nil:
		return explain(err)
	}
	return <-damage
}

func isRefusal(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.Code == sqlite3.ErrAuth
}

// actionRecursive is SQLITE_RECURSIVE, a query WITH RECURSIVE, which the driver does not name.
const actionRecursive = 33

// The pragmas that can be asked: those that take the name of a table and the like, and those that tell
// a value and would change it if they were given one.
var (
	tellingPragmas = strings.Fields(`table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list foreign_key_check
		integrity_check quick_check database_list collation_list function_list module_list pragma_list compile_options`)
	valuePragmas = strings.Fields(`application_id user_version schema_version data_version page_count page_size freelist_count encoding journal_mode query_only synchronous`)
)

// allowed reports whether a statement may do what SQLite asks for when it prepares it. The file is
// opened for reading only besides, so that this is the first of two walls.
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

// checkTouched compares the rows of the tables that a query reads.
func (db *DB) checkTouched(ctx context.Context, tables []string) error {
	large := func(t string) bool {
		return slices.Contains([]string{"fold_counts", "published_values", "scores", "models", "checksums"}, t)
	}
	if slices.ContainsFunc(tables, large) {
		return db.damageOf(ctx, true)
	}
	if slices.ContainsFunc(tables, func(t string) bool { return slices.Contains(objects, t) }) {
		return db.intact(ctx)
	}
	return nil
}

// watched runs work on a connection of its own; touched returns the tables that the
// statements prepared on it so far read.
func (db *DB) watched(ctx context.Context, work func(q queryer, touched func() []string) error) error {
	conn, err := db.sql.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var tables []string // SQLite calls back from within the calls of work
	watch := func(f func(action int, table, column, database string) int) error {
		return conn.Raw(func(c any) error {
			c.(*sqlite3.SQLiteConn).RegisterAuthorizer(f)
			return nil
		})
	}
	err = watch(func(action int, first, second, _ string) int {
		if action == sqlite3.SQLITE_READ && !slices.Contains(tables, first) {
			tables = append(tables, first)
		}
		if !allowed(action, first, second) {
			return sqlite3.SQLITE_DENY
		}
		return sqlite3.SQLITE_OK
	})
	if err != nil {
		return err
	}
	defer func() { _ = watch(nil) }()
	return work(conn, func() []string { return slices.Clone(tables) })
}

// cut returns the first statement of a query, and the text from the second one on, ""
// if there is none. Semicolons count outside of quotes and comments.
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

// token returns the length of the comment, the quoted text or the byte that text
// begins with.
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
	case strings.IndexByte("'\"`", text[0]) >= 0: // a doubled quote begins the next token
		return end(text[:1], 1), false
	}
	return 1, false
}

// clip shortens a statement for a message.
func clip(text string) string {
	if len(text) > 40 {
		return text[:40] + "..."
	}
	return text
}
