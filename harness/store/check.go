package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/mattn/go-sqlite3"
	"golang.org/x/sync/errgroup"
)

// A Problem is one defect of a database.
type Problem struct {
	Row  string // the damaged cell or table
	What string

	remove string // the statements that remove the defect; "" where nothing can
	args   []any  // of each statement
}

func (p Problem) String() string { return p.Row + ": " + p.What }

// Removable reports whether Repair can take out what has the problem. It cannot take out pages that SQLite cannot read.
func (p Problem) Removable() bool { return p.remove != "" }

// IsDamage reports whether a database holds other rows than were stored, or pages that SQLite cannot read.
func IsDamage(err error) bool {
	var e sqlite3.Error
	return errors.As(err, new(*DamageError)) || errors.As(err, &e) && e.Code == sqlite3.ErrCorrupt
}

// A DamageError says that rows of a database are not those that were stored.
type DamageError struct {
	Path     string
	Problems []Problem
}

func (e *DamageError) Error() string {
	const shown = 3
	var texts []string
	for i, p := range e.Problems {
		if i == shown {
			texts = append(texts, fmt.Sprintf("%d more", len(e.Problems)-shown))
			break
		}
		texts = append(texts, p.String())
	}
	advice := ""
	if slices.ContainsFunc(e.Problems, Problem.Removable) {
		advice = " or let `bench db check --db FILE --remove` take the damaged rows out"
	}
	return fmt.Sprintf("database %s is damaged: %s; `bench db check --db FILE` lists everything, restore a copy%s",
		e.Path, strings.Join(texts, "; "), advice)
}

// intact compares the rows that tables are made from (cells, runs, grids, environments) with their checksums,
// once for each DB.
func (db *DB) intact(ctx context.Context) error {
	db.checked.Lock()
	defer db.checked.Unlock()
	if !db.compared {
		db.damage = db.damageOf(ctx, false)
		var damage *DamageError // an interrupted check, or one that could not read, is made again
		db.compared = ctx.Err() == nil && (db.damage == nil || errors.As(db.damage, &damage))
	}
	return db.damage
}

func (db *DB) damageOf(ctx context.Context, folds bool) error {
	return db.damaged(db.compare(ctx, folds))
}

func (db *DB) damaged(problems []Problem, err error) error {
	if err == nil && len(problems) > 0 {
		err = &DamageError{db.path, problems}
	}
	return err
}

// Check compares everything that is stored with its checksums, looks for rows without their partners and for results
// that no cell ends with, and lets SQLite check the pages of the tables.
func (db *DB) Check(ctx context.Context) ([]Problem, error) {
	return db.check(ctx, db.allSteps(db.spans(ctx)))
}

func (db *DB) allSteps(spans []span) []step {
	return slices.Concat(smallSteps(spans), largeSteps(largeTables, spans), possibleSteps(spans, db.Possible))
}

// compare compares rows with their checksums and with each other. folds includes the rows of single folds and all other
// large tables, which are most of a database. Without folds this takes some microseconds a cell.
func (db *DB) compare(ctx context.Context, folds bool) ([]Problem, error) {
	spans := db.spans(ctx)
	steps := smallSteps(spans)
	if folds {
		steps = append(steps, largeSteps(largeTables, spans)...)
	}
	return db.check(ctx, steps)
}

func (db *DB) check(ctx context.Context, steps []step) ([]Problem, error) {
	found, err := checkOf(ctx, db.sql, db.path, steps, runtime.GOMAXPROCS(0))
	if err != nil || len(found) == 0 {
		return found, err
	}
	// The steps read the database at different moments, and another program may have stored a cell between
	// them. A real problem also shows at one moment.
	tx, err := db.sql.BeginTx(ctx, &sql.TxOptions{})
	if err != nil {
		return found, nil // no transaction begins in a file that is damaged so
	}
	defer func() { _ = tx.Rollback() }()
	return checkOf(ctx, tx, db.path, steps, 1)
}

// checkOf runs the steps of a check, several at the same time where q has enough connections. It returns
// their problems in the order of the steps. An error of SQLite in reading is a problem, too.
func checkOf(ctx context.Context, q queryer, path string, steps []step, atOnce int) ([]Problem, error) {
	found := make([][]Problem, len(steps))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, take := range steps {
		group.Go(func() error {
			report := func(p Problem) { found[i] = append(found[i], p) }
			err := take(ctx, q, report)
			if isDamage(err) {
				report(Problem{Row: path, What: err.Error()})
				return nil
			}
			return err
		})
	}
	err := group.Wait()
	return slices.Concat(found...), err
}

// checkPages is SQLite's own check of a table, its indexes and its constraints.
func checkPages(ctx context.Context, q queryer, table string, report func(Problem)) error {
	err := each(ctx, q, "PRAGMA integrity_check('"+table+"')", func(r []any) error {
		if text := fmt.Sprint(r[0]); text != "ok" {
			report(Problem{Row: "table " + table, What: text})
		}
		return nil
	})
	if isDamage(err) {
		report(Problem{Row: "table " + table, What: err.Error()})
		return nil
	}
	return err
}

// deleteNothing deletes nothing for an attempt without a row of cells. The last step of Repair, makeLastCurrent, adds
// that row.
const deleteNothing = `DELETE FROM cells WHERE run_id = ?`

func checkReferences(ctx context.Context, q queryer, report func(Problem)) error {
	for _, c := range []struct{ query, what, remove string }{
		{`SELECT c.method || ' on ' || c.dataset || ', split ' || c.split, c.run_id FROM cells c LEFT JOIN runs r ON ` +
			`r.id = c.run_id WHERE r.id IS NULL`,
			"its row is gone", `DELETE FROM cells WHERE run_id = ?`},
		{`SELECT c.method || ' on ' || c.dataset || ', split ' || c.split, c.run_id FROM cells c JOIN runs r
			ON r.id = c.run_id
			WHERE (r.protocol, r.dataset, r.method, r.split) <> (c.protocol, c.dataset, c.method, c.split)`,
			"its current attempt is of another cell", `DELETE FROM cells WHERE run_id = ?`},
		{`SELECT r.method || ' on ' || r.dataset || ', split ' || r.split, r.id FROM runs r
			LEFT JOIN cells c ON (c.protocol, c.dataset, c.method, c.split) = (r.protocol, r.dataset, r.method, r.split)
			WHERE c.run_id IS NULL`,
			"it is stored, and its cell has no current attempt", deleteNothing},
		{`SELECT r.method || ' on ' || r.dataset || ', split ' || r.split, r.id FROM runs r LEFT JOIN grids g
			ON g.id = r.grid_id
			LEFT JOIN environments e ON e.id = r.environment_id
			LEFT JOIN grid_points p ON p.grid_id = r.grid_id AND p.grid_index = r.selected
			WHERE g.id IS NULL OR e.id IS NULL OR r.selected IS NOT NULL AND p.grid_id IS NULL`,
			"its grid, its selected point or its environment is gone", removeRun},
	} {
		err := each(ctx, q, c.query, func(r []any) error {
			report(Problem{fmt.Sprint(r[0]), c.what, c.remove, []any{r[1]}})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkPublished compares the printed values with their checksum. A database that was begun on a full disk has neither,
// and no run: the next command that opens it for writing stores them.
func checkPublished(ctx context.Context, q queryer, report func(Problem)) error {
	sum, err := publishedSum(ctx, q)
	if err != nil {
		return err
	}
	var stored any
	err = each(ctx, q, `SELECT checksum FROM checksums WHERE what = 'published_values'`, func(r []any) error {
		stored = r[0]
		return nil
	})
	begun := false
	if err == nil && stored == nil {
		err = each(ctx, q, `SELECT NOT EXISTS (SELECT 1 FROM published_values) AND NOT EXISTS (SELECT 1 FROM runs)`,
			func(r []any) error { begun = r[0] == int64(1); return nil })
	}
	if err == nil && stored != sum && !begun {
		report(Problem{"published values", badChecksum, `DELETE FROM published_values`, nil})
	}
	return err
}

// Repair checks everything and removes the rows with problems in one transaction, so that `bench run`
// computes their cells again. It returns the problems, and how many of them it could not remove.
func (db *DB) Repair(ctx context.Context) (found []Problem, left int, err error) {
	tx, err := db.sql.BeginTx(ctx, nil)
	if err != nil {
		return nil, 0, explain(err)
	}
	defer func() { _ = tx.Rollback() }() // a no-op after Commit
	if found, err = checkOf(ctx, tx, db.path, db.allSteps(spansIn(ctx, tx)), 1); err != nil {
		return nil, 0, err
	}
	for _, p := range found {
		if p.remove == "" {
			left++
			continue
		}
		for _, statement := range strings.Split(p.remove, "; ") {
			if _, err := tx.ExecContext(ctx, statement, p.args...); err != nil {
				return nil, 0, fmt.Errorf("%s: %w", p.Row, explain(err))
			}
		}
	}
	if err := errors.Join(sealPublished(ctx, tx), sealedEnvironments.reseal(ctx, tx)); err != nil {
		return nil, 0, err
	}
	// A damaged row of cells is gone now. The attempt that ran last is the current one.
	if err := makeLastCurrent(ctx, tx); err != nil {
		return nil, 0, err
	}
	return found, left, explain(tx.Commit())
}

// Size counts the stored cells and evaluations, superseded ones included.
func (db *DB) Size(ctx context.Context) (cells, evaluations int, err error) {
	err = db.sql.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(n_folds), 0) FROM runs`).Scan(&cells, &evaluations)
	return cells, evaluations, err
}

// A step of a check reports problems one by one.
type step func(ctx context.Context, q queryer, report func(Problem)) error

// smallTables are the tables that every reader compares. largeTables are compared only where they are read, and by
// a full check.
var (
	smallTables = strings.Fields(`runs cells grids grid_points environments yardsticks set_files protocols stages ` +
		`point_tests seed_counts warnings underway underway_cells code_checks skipped secrets canaries state_checks ` +
		`quoted_values comparisons`)
	largeTables = strings.Fields(`fold_counts published_values checksums scores models`)
)

// smallSteps check the small tables. spans are those of all runs.
func smallSteps(spans []span) []step {
	steps := append(tableSteps(smallTables), checkReferences)
	for _, s := range everySealed {
		switch {
		case !s.own(): // of a large table
		case s.table == "runs":
			steps = append(steps, s.steps(spans)...)
		default:
			steps = append(steps, s.steps([]span{everything})...)
		}
	}
	return steps
}

// largeSteps check large tables. spans are those of all runs.
func largeSteps(tables []string, spans []span) []step {
	steps := tableSteps(tables)
	for _, s := range []sealed{sealedFolds, sealedKept} {
		if slices.ContainsFunc(s.parts, func(t string) bool { return slices.Contains(tables, t) }) {
			steps = append(steps, s.steps(spans)...)
		}
	}
	if slices.Contains(tables, "published_values") {
		steps = append(steps, checkPublished)
	}
	return steps
}

// tableSteps let SQLite check the pages of tables.
func tableSteps(tables []string) (steps []step) {
	for _, t := range tables {
		steps = append(steps, func(ctx context.Context, q queryer, report func(Problem)) error {
			return checkPages(ctx, q, t, report)
		})
	}
	return steps
}

// A span is the runs with numbers n where from <= n < to.
type span struct{ from, to int64 }

// mostInSpan is the most runs in a span: few, so that every processor has work.
const mostInSpan = 100

// spansOf divides ascending numbers of runs into spans.
func spansOf(ids []int64) (spans []span) {
	for _, id := range ids {
		if n := len(spans); n > 0 && spans[n-1].to == id && id-spans[n-1].from < mostInSpan {
			spans[n-1].to++
			continue
		}
		spans = append(spans, span{id, id + 1})
	}
	return spans
}

var everything = span{math.MinInt64, math.MaxInt64}

// steps compare the rows of spans with their checksums.
func (s sealed) steps(spans []span) (steps []step) {
	for _, in := range spans {
		steps = append(steps, func(ctx context.Context, q queryer, report func(Problem)) error {
			return s.check(ctx, q, in, report)
		})
	}
	return steps
}

// spans divides all numbers of runs, also of those that are missing. If the runs cannot be read, one span has all
// numbers, and its step reports the error.
func (db *DB) spans(ctx context.Context) []span { return spansIn(ctx, db.sql) }

func spansIn(ctx context.Context, q queryer) (spans []span) {
	ends, _ := listOf(ctx, q,
		`SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM runs) WHERE place % ? = 0`,
		func(id *int64) []any { return []any{id} }, mostInSpan)
	from := everything.from
	for _, to := range append(ends, everything.to) {
		spans = append(spans, span{from, to})
		from = to
	}
	return spans
}
