package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// A Problem is one defect of a database.
type Problem struct {
	Row  string // the damaged cell or table
	What string

	remove string // the statement that removes the defect; "" where nothing can
	args   []any
}

func (p Problem) String() string { return p.Row + ": " + p.What }

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
	return fmt.Sprintf("database %s is damaged: %s; `bench db check` lists everything, restore a copy or let `bench db check --remove` take the damaged rows out",
		e.Path, strings.Join(texts, "; "))
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
	return db.damaged(db.Check(ctx, folds))
}

func (db *DB) damaged(problems []Problem, err error) error {
	if err == nil && len(problems) > 0 {
		err = &DamageError{db.path, problems}
	}
	return err
}

// Check compares everything that is stored with its checksums, looks for rows without their partners, and
// lets SQLite check the pages of the tables. folds includes the rows of single folds and all other large
// tables, which are most of a database. Without folds a check takes some microseconds a cell.
func (db *DB) Check(ctx context.Context, folds bool) ([]Problem, error) {
	steps := smallSteps()
	if folds {
		steps = slices.Concat(steps, largeSteps(largeTables), db.allFoldSteps(ctx))
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
		return found, nil // no transaction begins in a file with such damage
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

const badChecksum = "its checksum is wrong, so it is not what was stored"

func checkRows(ctx context.Context, q queryer, s sealed, report func(Problem)) error {
	return s.rows(ctx, q, func(id any, sum int64, columns []any) error {
		if Checksum(columns...) == sum {
			return nil
		}
		p := Problem{s.name(columns), badChecksum, `DELETE FROM ` + s.table + ` WHERE checksum = ?`, []any{sum}}
		switch {
		case s.table == "runs":
			p.remove, p.args = removeRun, []any{id}
		case s.table == "environments": // it becomes unknown, since the counts of its cells are in other rows
			values := asStored([]any{fmt.Sprintf("damaged %v", id), "unknown", "", false, "unknown", "unknown", "unknown", "unknown", "unknown", 0, 0})
			p.remove, p.args = "UPDATE environments SET "+strings.Join(s.columns, " = ?, ")+" = ?, checksum = ? WHERE id = ?", append(values, Checksum(values...), id)
		case s.columns[0] == "run_id": // a run is whole or absent
			p.remove, p.args = removeRun, []any{columns[0]}
		}
		report(p)
		return nil
	})
}

// deleteNothing deletes nothing for an attempt without a row of cells. The last step of Repair, standIn, adds
// that row.
const deleteNothing = `DELETE FROM cells WHERE run_id = ?`

// removeRun removes an attempt. Its folds, and the cell that it stands for, are removed with it.
const removeRun = `DELETE FROM runs WHERE id = ?`

func checkGrids(ctx context.Context, q queryer, report func(Problem)) error {
	return gridSums(ctx, q, func(id int64, hash string, sum, stored int64) {
		if sum != stored {
			report(Problem{"grid " + hash, badChecksum, // and the attempts that chose among its points
				`DELETE FROM runs WHERE grid_id = ?; DELETE FROM grid_points WHERE grid_id = ?; DELETE FROM grids WHERE id = ?`, []any{id, id, id}})
		}
	})
}

func checkReferences(ctx context.Context, q queryer, report func(Problem)) error {
	for _, c := range []struct{ query, what, remove string }{
		{`SELECT c.method || ' on ' || c.dataset || ', split ' || c.split, c.run_id FROM cells c LEFT JOIN runs r ON r.id = c.run_id WHERE r.id IS NULL`,
			"its row is gone", `DELETE FROM cells WHERE run_id = ?`},
		{`SELECT c.method || ' on ' || c.dataset || ', split ' || c.split, c.run_id FROM cells c JOIN runs r ON r.id = c.run_id
			WHERE (r.protocol, r.dataset, r.method, r.split) <> (c.protocol, c.dataset, c.method, c.split)`,
			"another cell's row stands for it", `DELETE FROM cells WHERE run_id = ?`},
		{`SELECT r.method || ' on ' || r.dataset || ', split ' || r.split, r.id FROM runs r
			LEFT JOIN cells c ON (c.protocol, c.dataset, c.method, c.split) = (r.protocol, r.dataset, r.method, r.split) WHERE c.run_id IS NULL`,
			"it is stored and stands for no cell", deleteNothing},
		{`SELECT r.method || ' on ' || r.dataset || ', split ' || r.split, r.id FROM runs r LEFT JOIN grids g ON g.id = r.grid_id
			LEFT JOIN environments e ON e.id = r.environment_id
			LEFT JOIN grid_points p ON p.grid_id = r.grid_id AND p.grid_index = r.selected
			WHERE g.id IS NULL OR e.id IS NULL OR r.selected IS NOT NULL AND p.grid_id IS NULL`,
			"its grid, its selected point or its environment is gone", removeRun},
		{`SELECT r.method || ' on ' || r.dataset || ', split ' || r.split, r.id FROM runs r WHERE n_stages <> (SELECT count(*) FROM stages s WHERE s.run_id = r.id)
			OR n_warnings <> (SELECT count(*) FROM warnings w WHERE w.run_id = r.id)
			OR has_scores <> EXISTS (SELECT 1 FROM scores s WHERE s.run_id = r.id) OR has_model <> EXISTS (SELECT 1 FROM models m WHERE m.run_id = r.id)`,
			"its scores, stages, warnings or model are gone", removeRun},
		{`SELECT r.method || ' on ' || r.dataset || ', split ' || r.split, r.id FROM runs r JOIN point_tests t ON t.run_id = r.id GROUP BY r.id
			HAVING count(*) <> (SELECT count(*) FROM grid_points p WHERE p.grid_id = r.grid_id)`,
			"tests of some grid points are gone", removeRun},
		{`SELECT r.method || ' on ' || r.dataset || ', split ' || r.split, r.id FROM runs r JOIN seed_counts t ON t.run_id = r.id GROUP BY r.id
			HAVING count(*) <> max(t.seeds)`,
			"tests with some seeds are gone", removeRun},
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

// checkFolds compares the folds of the runs of a span with the number and the checksum in their runs.
func checkFolds(ctx context.Context, q queryer, s span, report func(Problem)) error {
	type kept struct {
		name string
		sum  foldSum
	}
	runs := map[int64]kept{}
	err := each(ctx, q, `SELECT id, method || ' on ' || dataset || ', split ' || split, n_folds, folds_checksum FROM runs WHERE id BETWEEN ? AND ?`, func(r []any) error {
		id, _ := r[0].(int64)
		rows, _ := r[2].(int64)
		sum, _ := r[3].(int64)
		runs[id] = kept{fmt.Sprint(r[1]), foldSum{rows, sum}}
		return nil
	}, s.from, s.to-1)
	if err != nil {
		return err
	}
	err = foldSums(ctx, q, s, func(id int64, sum foldSum) {
		run, ok := runs[id]
		delete(runs, id)
		switch {
		case !ok:
			report(Problem{fmt.Sprintf("folds of run %d", id), "their run is gone", `DELETE FROM fold_counts WHERE run_id = ?`, []any{id}})
		case sum != run.sum:
			report(Problem{run.name, fmt.Sprintf("its %d evaluations are not the %d that were stored", sum.rows, run.sum.rows), removeRun, []any{id}})
		}
	})
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(runs)) {
		if run := runs[id]; run.sum.rows > 0 {
			report(Problem{run.name, fmt.Sprintf("its %d evaluations are gone", run.sum.rows), removeRun, []any{id}})
		}
	}
	return nil
}

// checkFoldSizes compares the sizes of the folds of every grid point with the training rows.
func checkFoldSizes(ctx context.Context, q queryer, report func(Problem)) error {
	return each(ctx, q, `SELECT r.method || ' on ' || r.dataset || ', split ' || r.split, r.id FROM runs r WHERE r.status = 'ok' AND EXISTS
		(SELECT 1 FROM fold_counts f WHERE f.run_id = r.id GROUP BY f.grid_index HAVING sum(f.n_valid) <> r.n_train)`, func(r []any) error {
		report(Problem{fmt.Sprint(r[0]), "the validation parts of its folds do not add up to its training rows", removeRun, []any{r[1]}})
		return nil
	})
}

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
	if err == nil && stored != sum {
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
	steps := slices.Concat(smallSteps(), largeSteps(largeTables), foldSteps([]span{{math.MinInt64, math.MaxInt64}}))
	if found, err = checkOf(ctx, tx, db.path, steps, 1); err != nil {
		return nil, 0, err
	}
	for _, p := range found {
		if p.remove == "" {
			left++
			continue
		}
		if _, err := tx.ExecContext(ctx, p.remove, p.args...); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", p.Row, explain(err))
		}
	}
	if err := sealPublished(ctx, tx); err != nil {
		return nil, 0, err
	}
	// A damaged row of cells is gone now. The attempt that ran last stands for its cell.
	if err := standIn(ctx, tx); err != nil {
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
	smallTables = strings.Fields(`runs cells grids grid_points environments set_files protocols stages point_tests seed_counts warnings underway underway_cells code_checks skipped secrets canaries state_checks`)
	largeTables = strings.Fields(`fold_counts published_values checksums scores models`)
)

func smallSteps() []step {
	return append(tableSteps(smallTables), checkGrids, checkReferences)
}

// largeSteps are the steps for large tables. The checksums of folds are compared by foldSteps.
func largeSteps(tables []string) []step {
	steps := tableSteps(tables)
	if slices.Contains(tables, "fold_counts") {
		steps = append(steps, checkFoldSizes)
	}
	if slices.Contains(tables, "published_values") {
		steps = append(steps, checkPublished)
	}
	return steps
}

// tableSteps compare the pages of tables, and the rows of sealed tables.
func tableSteps(tables []string) (steps []step) {
	for _, t := range tables {
		steps = append(steps, func(ctx context.Context, q queryer, report func(Problem)) error { return checkPages(ctx, q, t, report) })
	}
	for _, s := range byRow {
		if slices.Contains(tables, s.table) {
			steps = append(steps, func(ctx context.Context, q queryer, report func(Problem)) error { return checkRows(ctx, q, s, report) })
		}
	}
	return steps
}

// A span is the runs with numbers n where from <= n < to.
type span struct{ from, to int64 }

// spansOf divides ascending numbers of runs into spans of at most 100 runs, so that every processor has work.
func spansOf(ids []int64) (spans []span) {
	for _, id := range ids {
		if n := len(spans); n > 0 && spans[n-1].to == id && id-spans[n-1].from < 100 {
			spans[n-1].to++
			continue
		}
		spans = append(spans, span{id, id + 1})
	}
	return spans
}

func foldSteps(spans []span) (steps []step) {
	for _, s := range spans {
		steps = append(steps, func(ctx context.Context, q queryer, report func(Problem)) error { return checkFolds(ctx, q, s, report) })
	}
	return steps
}

// allFoldSteps compare all folds, including the folds of missing runs. If the runs cannot be read, one span covers
// all folds, and its step reports the error.
func (db *DB) allFoldSteps(ctx context.Context) []step {
	ids, _ := listOf(ctx, db.sql, `SELECT id FROM runs ORDER BY id`, func(id *int64) []any { return []any{id} })
	spans := append(spansOf(ids), span{from: math.MaxInt64})
	from := int64(math.MinInt64)
	for i := range spans {
		spans[i].from, from = from, spans[i].to
	}
	spans[len(spans)-1].to = math.MaxInt64
	return foldSteps(spans)
}
