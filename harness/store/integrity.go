package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	sqlite3 "github.com/mattn/go-sqlite3"
)

// A sealed table has a checksum in each of its rows. A row of runs or grids has others that belong to it: the checksum
// covers those, too, so that no row of a cell can change or vanish.
type sealed struct {
	table  string
	sum    string   // the column of the checksum
	parts  []string // tables whose rows belong to a row, numbered by their first column
	name   string   // of a row for people, in SQL
	damage string   // what is said of a row whose checksum is wrong
	// the statements that remove such a row; its number, or its checksum where it has none, is their only argument
	remove string
}

const (
	ofCell    = `method || ' on ' || dataset || ', split ' || split`
	removeRun = `DELETE FROM runs WHERE id = ?1` // all that it has goes with it, and its row of cells
)

// These are the sealed tables. A run has three checksums, since its folds, its scores and its model are compared only
// where they are read, and by a full check.
var (
	sealedRuns = sealed{"runs", "checksum", []string{"stages", "point_tests", "seed_counts", "warnings"}, ofCell,
		badChecksum, removeRun}
	sealedFolds = sealed{"runs", "folds_checksum", []string{"fold_counts"}, ofCell,
		"its evaluations are not those that were stored", removeRun}
	sealedKept = sealed{"runs", "kept_checksum", []string{"scores", "models"}, ofCell,
		"its scores or its model are not those that were stored", removeRun}
	// and the attempts that chose among its points
	sealedGrids = sealed{"grids", "checksum", []string{"grid_points"}, `'grid ' || hash`, badChecksum,
		`DELETE FROM runs WHERE grid_id = ?1; DELETE FROM grid_points WHERE grid_id = ?1; DELETE FROM grids WHERE id ` +
			`= ?1`}
	// A damaged environment becomes unknown, since the counts of its cells are in other rows.
	sealedEnvironments = sealed{"environments", "checksum", nil, `'environment ' || hash`, badChecksum,
		`UPDATE environments SET hash = 'damaged ' || id, program_version = 'unknown', vcs_revision = '',
			vcs_modified = 0, go_version = 'unknown', os = 'unknown',
			arch = 'unknown', kernel = 'unknown', cpu = 'unknown', cores = 0, memory_bytes = 0 WHERE id = ?1`}
	sealedYardsticks  = row("yardsticks", `'yardstick of ' || cpu`)
	sealedCells       = row("cells", ofCell)
	sealedSetFiles    = row("set_files", `'file of data set ' || dataset`)
	sealedProtocols   = row("protocols", `'protocol ' || name`)
	sealedCodeChecks  = row("code_checks", `'check of the code of ' || method`)
	sealedSkipped     = row("skipped", ofCell+` || ', skipped'`)
	sealedSecrets     = row("secrets", `'secret of ' || what`)
	sealedCanaries    = row("canaries", `'canary of ' || method || ' on ' || dataset`)
	sealedStateChecks = row("state_checks", `'check of the state of ' || `+ofCell)
	sealedQuoted      = row("quoted_values",
		`'value of ' || method || ' on ' || dataset || ' that ' || source || ' prints'`)
	sealedComparisons = row("comparisons", `'registered comparison ' || substr(hash, 1, 12)`)

	everySealed = []sealed{sealedRuns, sealedFolds, sealedKept, sealedGrids, sealedEnvironments, sealedYardsticks,
		sealedCells, sealedSetFiles, sealedProtocols,
		sealedCodeChecks, sealedSkipped, sealedSecrets, sealedCanaries, sealedStateChecks, sealedQuoted,
		sealedComparisons}
)

// row is a sealed table whose rows own no others.
func row(table, name string) sealed {
	return sealed{table, "checksum", nil, name, badChecksum, "DELETE FROM " + table + " WHERE checksum = ?1"}
}

const badChecksum = "its checksum is wrong, so it is not what was stored"

// own reports whether the checksum covers the row itself.
func (s sealed) own() bool { return s.sum == "checksum" }

func (s sealed) numbered() bool { return s.parts != nil || s.table == "environments" }

// insert stores a row of a table whose rows own no others. values are in the order of the table.
func (s sealed) insert(ctx context.Context, tx *sql.Tx, verb string, values ...any) error {
	values = asStored(values)
	number := ""
	if s.numbered() {
		number = "NULL, "
	}
	d := newDigest()
	d.table(s.table)
	d.row(values)
	_, err := tx.ExecContext(ctx, verb+" INTO "+s.table+" VALUES ("+number+strings.Repeat("?, ", len(values))+"?)",
		append(values, d.value())...)
	return err
}

// by is the column that identifies a row: its number, or its checksum where it has none.
func (s sealed) by() string {
	if s.numbered() {
		return "id"
	}
	return s.sum
}

// A seal is a row that has a checksum, and the digest of what the file holds for it.
type seal struct {
	at     int64 // its column by
	stored int64 // its checksum
	digest *digest
	holds  int64 // the value of the digest
}

// wrong returns the rows that are not what was stored, in the order of their numbers, and hands over every number of a
// row that belongs to no row, with the table of that row. Where rows have numbers, only those in a span are read.
func (s sealed) wrong(ctx context.Context, q queryer, in span, orphan func(table string, owner int64)) (wrong []seal,
	err error) {
	columns, where := "", ""
	var args []any
	if s.own() {
		columns = ", *"
	}
	if s.numbered() {
		where, args = " WHERE id BETWEEN ? AND ? ORDER BY id", []any{in.from, in.to - 1}
	}
	var order []seal
	end := func(one seal) {
		if one.holds = one.digest.value(); one.holds != one.stored {
			wrong = append(wrong, one)
		}
	}
	err = s.each(ctx, q, s.table, "SELECT "+s.by()+", "+s.sum+columns+" FROM "+s.table+where, args,
		func(head, values []any) error {
			n, ok1 := head[0].(int64)
			sum, ok2 := head[1].(int64)
			if !ok1 || !ok2 {
				return fmt.Errorf("%s: a checksum or a number of a row is no number: %w", s.table,
					sqlite3.Error{Code: sqlite3.ErrCorrupt})
			}
			one := seal{at: n, stored: sum, digest: newDigest()}
			if s.own() {
				one.digest.table(s.table)
				one.digest.row(values)
			}
			if s.parts == nil {
				end(one)
				return nil
			}
			order = append(order, one)
			return nil
		})
	for _, part := range s.parts {
		if err == nil {
			err = s.addPart(ctx, q, part, in, order, orphan)
		}
	}
	for _, one := range order {
		if err == nil {
			end(one)
		}
	}
	return wrong, err
}

// addPart adds the rows of a table to the digests of their owners. Both are in the order of the owners' numbers.
func (s sealed) addPart(ctx context.Context, q queryer, part string, in span, owners []seal,
	orphan func(table string, owner int64)) error {
	last := everything.to // which no row has
	return s.each(ctx, q, part, "SELECT "+s.owner()+", 0, * FROM "+part+" WHERE "+s.owner()+
		" BETWEEN ? AND ? ORDER BY 1, 4, 5", []any{in.from, in.to - 1}, func(head, values []any) error {
		n, ok := head[0].(int64)
		if !ok {
			return sqlite3.Error{Code: sqlite3.ErrCorrupt}
		}
		for len(owners) > 0 && owners[0].at < n {
			owners = owners[1:]
		}
		known, first := len(owners) > 0 && owners[0].at == n, n != last
		last = n
		switch {
		case !known && first:
			orphan(part, n)
		case known && first:
			owners[0].digest.table(part)
		}
		if known {
			owners[0].digest.row(values)
		}
		return nil
	})
}

// owner is the column of parts with the number of the row that they belong to.
func (s sealed) owner() string {
	if s.table == "grids" {
		return "grid_id"
	}
	return "run_id"
}

// each hands over the rows of a query whose first two columns are not the table's: these, and the values that have a
// place in a digest.
func (s sealed) each(ctx context.Context, q queryer, table, query string, args []any,
	take func(head, values []any) error) error {
	var places []int
	values := []any{}
	return eachNamed(ctx, q, query, func(names []string) error {
		for i, name := range names[2:] {
			belongs := table != s.table && name == s.owner() || table == s.table && s.numbered() && name == "id" ||
				name == "checksum"
			if !belongs {
				places = append(places, 2+i)
			}
		}
		return nil
	}, func(r []any) error {
		values = values[:0]
		for _, i := range places {
			values = append(values, r[i])
		}
		return take(r[:2], values)
	}, args...)
}

// Reseal gives all rows the checksums of what they hold now.
func Reseal(ctx context.Context, tx *sql.Tx) error {
	for _, s := range []sealed{sealedFolds, sealedKept} { // before the checksum of their run, which covers theirs
		if err := s.reseal(ctx, tx); err != nil {
			return err
		}
	}
	for _, s := range everySealed {
		if s.own() {
			if err := s.reseal(ctx, tx); err != nil {
				return err
			}
		}
	}
	return sealPublished(ctx, tx)
}

func (s sealed) reseal(ctx context.Context, tx *sql.Tx) error {
	wrong, err := s.wrong(ctx, tx, everything, func(string, int64) {})
	for _, one := range wrong {
		if err == nil {
			_, err = tx.ExecContext(ctx, "UPDATE "+s.table+" SET "+s.sum+" = ? WHERE "+s.by()+" = ?", one.holds, one.at)
		}
	}
	return err
}

// check reports the rows of a span that are not what was stored, and the rows that belong to none.
func (s sealed) check(ctx context.Context, q queryer, in span, report func(Problem)) error {
	wrong, err := s.wrong(ctx, q, in, func(table string, owner int64) {
		report(Problem{fmt.Sprintf("%s of %s %d", table, strings.TrimSuffix(s.table, "s"), owner),
			"they belong to nothing that is stored",
			"DELETE FROM " + table + " WHERE " + s.owner() + " = ?", []any{owner}})
	})
	for _, one := range wrong {
		err = cmp.Or(err, each(ctx, q, "SELECT "+s.name+" FROM "+s.table+" WHERE "+s.by()+" = ?", func(r []any) error {
			report(Problem{fmt.Sprint(r[0]), s.damage, s.remove, []any{one.at}})
			return nil
		}, one.at))
	}
	return err
}

type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// each hands over every row of a query. A row is valid during the call.
func each(ctx context.Context, q queryer, query string, row func([]any) error, args ...any) error {
	return eachNamed(ctx, q, query, func([]string) error { return nil }, row, args...)
}

// eachNamed is each, but hands over the names of the columns first.
func eachNamed(ctx context.Context, q queryer, query string, columns func([]string) error, row func([]any) error,
	args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	if err := columns(names); err != nil {
		return err
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := row(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// scanned runs a query and calls row for each of its rows, which scan reads.
func scanned(ctx context.Context, q queryer, query string, row func(scan func(...any) error) error, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// listOf runs a query and returns a value for each of its rows. fields returns the pointers that a row is scanned
// into.
func listOf[T any](ctx context.Context, q queryer, query string, fields func(*T) []any, args ...any) (out []T,
	err error) {
	err = scanned(ctx, q, query, func(scan func(...any) error) error {
		var v T
		err := scan(fields(&v)...)
		out = append(out, v)
		return err
	}, args...)
	return out, err
}

// texts returns the only column of a query.
func texts(ctx context.Context, q queryer, query string, args ...any) ([]string, error) {
	return listOf(ctx, q, query, func(s *string) []any { return []any{s} }, args...)
}

func publishedSum(ctx context.Context, q queryer) (int64, error) {
	d := newDigest()
	err := each(ctx, q, `SELECT source, dataset, method, unit, mean, std, spread, folds FROM published_values ORDER `+
		`BY source, dataset, method`,
		func(r []any) error { d.add(r...); return nil })
	return d.value(), err
}

func sealPublished(ctx context.Context, tx *sql.Tx) error {
	sum, err := publishedSum(ctx, tx)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO checksums (what, checksum) VALUES ('published_values', ?)
		ON CONFLICT DO UPDATE SET checksum = excluded.checksum`, sum)
	return err
}

// isDamage reports whether SQLite itself found damage in the file.
func isDamage(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrCorrupt || e.Code == sqlite3.ErrNotADB ||
		e.Code == sqlite3.ErrFormat)
}
