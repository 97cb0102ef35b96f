package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
)

// A Row is the current attempt of a cell, without its whole grid, its scores, its model, and the texts of
// protocol and set.
type Row = result.Run

// Rows returns every cell of a protocol, sorted by data set, method and split. folds adds the evaluations of
// every grid point on every fold, which are most of a database.
func (db *DB) Rows(ctx context.Context, protocol string, folds bool) ([]Row, error) {
	return db.rows(ctx, attempts{"SELECT run_id FROM cells WHERE protocol = ?", []any{protocol}}, folds)
}

// Attempt returns the current attempt of a cell, and false if there is none.
func (db *DB) Attempt(ctx context.Context, protocol, dataset, method string, split int) (Row, bool, error) {
	found, err := db.rows(ctx, attempts{"SELECT run_id FROM cells WHERE protocol = ? AND dataset = ? AND method = ? " +
		"AND split = ?", []any{protocol, dataset, method, split}}, false)
	if err != nil || len(found) == 0 {
		return Row{}, false, err
	}
	return found[0], true, nil
}

// attempts selects stored runs: a query of their ids, and its arguments.
type attempts struct {
	ids  string
	args []any
}

// rows returns attempts as cells, sorted by data set, method and split.
func (db *DB) rows(ctx context.Context, of attempts, folds bool) ([]Row, error) {
	check := db.intact
	if folds {
		check = func(ctx context.Context) error { return db.damageOf(ctx, true) }
	}
	damage := make(chan error, 1)
	go func() { damage <- check(ctx) }() // which takes as long as reading
	out, _, err := readAttempts(ctx, db.sql, of, folds)
	if damaged := <-damage; damaged != nil { // which may be why reading failed
		return nil, damaged
	}
	return out, err
}

// Result returns the attempt with a key: every count, and where it was computed. It leaves out the scores,
// the model and the texts of protocol and set. Damaged data is an error. The second result is false if there
// is no attempt with the key.
func (db *DB) Result(ctx context.Context, key string) (result.Run, bool, error) {
	if err := db.intact(ctx); err != nil {
		return result.Run{}, false, err
	}
	found, ids, err := readAttempts(ctx, db.sql, attempts{"SELECT id FROM runs WHERE key = ?", []any{key}}, true)
	if err != nil || len(found) == 0 {
		return result.Run{}, false, err
	}
	r := found[0]
	if err := db.damaged(db.check(ctx, sealedFolds.steps(spansOf(ids)))); err != nil {
		return result.Run{}, false, err
	}
	r.Point = nil // it is in the grid
	r.Grid, r.GridWritten, err = db.gridOf(ctx, r.GridHash)
	return r, true, err
}

// readAttempts reads attempts and their numbers, sorted by data set, method and split.
func readAttempts(ctx context.Context, q queryer, of attempts, folds bool) (out []Row, ids []int64, err error) {
	environments, err := environmentsOf(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	var n int
	err = scanned(ctx, q, "SELECT count(*) FROM ("+of.ids+")", func(scan func(...any) error) error {
		return scan(&n)
	}, of.args...)
	if err != nil {
		return nil, nil, err
	}
	out, ids = make([]Row, 0, n), make([]int64, 0, n)
	byID := make(map[int64]int, n)
	var r Row
	var id, environment int64
	scores := newScoreScan(true, &r.Score, &id, &environment, &r.Key, &r.Selected, &r.Protocol, &r.ProtocolHash,
		&r.Method, &r.MethodVersion, &r.Dataset, &r.Fingerprint, &r.GridHash, &r.Split, &r.Task, &r.Status, &r.Error,
		(*[]byte)(&r.Point), &r.TrainRows, &r.TestRows, &r.Features, &r.SearchSeconds, &r.FitSeconds,
		&r.PredictSeconds, &r.CPUSeconds, &r.PeakRSSBytes, &r.ModelBytes, &r.CostUnits, &r.TimeoutSeconds, &r.StartedAt,
		&r.Code, &r.Imported, &r.Class, &r.Isolated, &r.Stderr, &r.ScoresHash)
	// Rows that follow each other have most texts in common, and share one copy of each.
	texts := []*string{&r.Protocol, &r.ProtocolHash, &r.Method, &r.MethodVersion, &r.Dataset, &r.Fingerprint,
		&r.GridHash, &r.Task, &r.Code, &r.Imported}
	last := make([]string, len(texts))
	err = scanned(ctx, q, `SELECT r.id, r.environment_id, r.key, r.selected, r.protocol, r.protocol_hash, r.method,
		  r.method_version, r.dataset, r.fingerprint,
		  g.hash, r.split, r.task, r.status, coalesce(r.error, ''), p.params, r.n_train, r.n_test,
		  coalesce(r.n_features, 0),
		  r.search_seconds, r.fit_seconds, r.predict_seconds, r.cpu_seconds,
		  iif(r.isolated, r.peak_rss_bytes, NULL), r.model_bytes,
		  r.cost_units, r.timeout_seconds, r.started_at,
		  r.code, r.imported, r.class, r.isolated, r.stderr, coalesce(r.scores_hash, ''),
		  r.`+strings.Join(columnsOf(scores.fields), ", r.")+`
		FROM runs r JOIN grids g ON g.id = r.grid_id
		LEFT JOIN grid_points p ON p.grid_id = r.grid_id AND p.grid_index = r.selected
		WHERE r.id IN (`+of.ids+`) ORDER BY r.dataset, r.method, r.split`, func(scan func(...any) error) error {
		r = Row{}
		err := scores.scan(scan)
		for i, text := range texts {
			if *text == last[i] {
				*text = last[i]
			}
			last[i] = *text
		}
		r.Score.N, r.Environment = r.TestRows, environments[environment]
		byID[id] = len(out)
		out, ids = append(out, r), append(ids, id)
		return err
	}, of.args...)
	if err != nil {
		return nil, nil, err
	}
	return out, ids, addRest(ctx, q, of, folds, func(run int64) *Row {
		if i, read := byID[run]; read {
			return &out[i]
		}
		return new(Row) // a cell that was stored after cells were read
	})
}

// addRest reads what all further tables hold of attempts. cell finds the row of an attempt.
func addRest(ctx context.Context, q queryer, of attempts, folds bool, cell func(run int64) *Row) error {
	var number int
	var t result.SeedTest
	var w result.Warning
	var e result.Evaluation
	none := new(result.Score)
	for _, part := range []struct {
		table, columns string
		score          *result.Score // none for a table without scores
		into           []any
		add            func(*Row)
	}{
		{"stages", "round, n_test", &t.Score, []any{&number, &t.Score.N}, func(r *Row) {
			r.Stages = append(r.Stages, result.Stage{Round: number, Score: t.Score})
		}},
		{"point_tests", "grid_index, n_test", &t.Score, []any{&number, &t.Score.N}, func(r *Row) {
			r.GridTests = append(r.GridTests, t.Score)
		}},
		// A damaged seed must not keep a check of the database from ending.
		{"seed_counts", "number, n_test, min(max(seed, 0), 0xffffffff), scores_hash", &t.Score,
			[]any{&number, &t.Score.N, &t.Seed, &t.ScoresHash},
			func(r *Row) { r.SeedTests = append(r.SeedTests, t) }},
		{"warnings", "number, text, times", none, []any{&number, &w.Text, &w.Times}, func(r *Row) {
			r.Warnings = append(r.Warnings, w)
		}},
		{"fold_counts", "grid_index, fold, n_valid, fit_seconds", &e.Score, []any{&e.GridIndex, &e.Fold, &e.Score.N,
			&e.FitSeconds},
			func(r *Row) { r.Folds = append(r.Folds, e) }},
	} {
		if part.table == "fold_counts" && !folds {
			continue
		}
		var id int64
		scores := scoreScan{into: append([]any{&id}, part.into...)}
		columns := part.columns
		if part.score != none {
			scores = newScoreScan(false, part.score, scores.into...)
			columns += ", " + strings.Join(columnsOf(scores.fields), ", ")
		}
		rows := "SELECT run_id, " + columns + " FROM " + part.table +
			" WHERE run_id IN (" + of.ids + ") ORDER BY 1, 2, 3"
		err := scanned(ctx, q, rows, func(scan func(...any) error) error {
			err := scores.scan(scan)
			part.add(cell(id))
			return err
		}, of.args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// A scoreScan scans the rows of a query whose last columns are the fields of a score. into are the pointers that a row
// is scanned into: those for the columns before the score, and then one to each of values, which scan puts into score.
type scoreScan struct {
	score  *result.Score
	fields []result.Field
	values []any
	into   []any
}

func newScoreScan(tests bool, score *result.Score, before ...any) scoreScan {
	c := scoreScan{score: score, fields: scoreFields(tests), into: before}
	c.values = make([]any, len(c.fields))
	for i := range c.values {
		c.into = append(c.into, &c.values[i])
	}
	return c
}

func (c scoreScan) scan(scan func(...any) error) error {
	err := scan(c.into...)
	for i := range c.fields {
		if err == nil {
			err = c.fields[i].Set(c.score, c.values[i])
		}
	}
	return err
}

// gridOf returns the points of a grid. written has them in the notation of the grid's author, where this is
// kept.
func (db *DB) gridOf(ctx context.Context, hash string) (grid, written []json.RawMessage, err error) {
	complete := true
	err = each(ctx, db.sql, `SELECT p.params, p.point FROM grids g JOIN grid_points p ON p.grid_id = g.id WHERE `+
		`g.hash = ? ORDER BY p.grid_index`, func(r []any) error {
		grid = append(grid, json.RawMessage(fmt.Sprint(r[0])))
		written = append(written, json.RawMessage(fmt.Sprint(r[1])))
		complete = complete && r[1] != ""
		return nil
	}, hash)
	if !complete {
		written = nil
	}
	return grid, written, err
}

// Grids returns the grids of a protocol's attempts by their hashes, with the grid points in grid order. A
// grid point is in its author's notation where this is known, else with the values that fits were given.
func (db *DB) Grids(ctx context.Context, protocol string) (map[string][]json.RawMessage, error) {
	out := map[string][]json.RawMessage{}
	return out, scanned(ctx, db.sql, `SELECT g.hash, coalesce(nullif(p.point, ''), p.params) FROM grids g
		JOIN grid_points p ON p.grid_id = g.id
		WHERE g.id IN (SELECT grid_id FROM runs WHERE protocol = ?)
		ORDER BY g.id, p.grid_index`, func(scan func(...any) error) error {
		var hash, point string
		err := scan(&hash, &point)
		out[hash] = append(out[hash], json.RawMessage(point))
		return err
	}, protocol)
}

func environmentsOf(ctx context.Context, q queryer) (map[int64]*result.Environment, error) {
	out := map[int64]*result.Environment{}
	return out, scanned(ctx, q, `SELECT id, program_version, vcs_revision, vcs_modified, go_version, os, arch, kernel,
		cpu, cores, memory_bytes, coalesce(seconds, 0), coalesce(low, 0), coalesce(high, 0)
		FROM environments LEFT JOIN yardsticks USING (cpu, cores, os, arch)`, func(scan func(...any) error) error {
		var id int64
		e := new(result.Environment)
		err := scan(&id, &e.ProgramVersion, &e.VCSRevision, &e.VCSModified, &e.GoVersion, &e.OS, &e.Arch, &e.Kernel,
			&e.CPU, &e.Cores, &e.MemoryBytes, &e.Yardstick.Seconds, &e.Yardstick.Low, &e.Yardstick.High)
		out[id] = e
		return err
	})
}

// A TitledQuery is SQL that the reader of a report can run.
type TitledQuery struct{ Title, SQL string }

// TableQueries returns the queries over the public views that give every number of a protocol's table, of some methods
// and data sets or of all (nil).
func TableQueries(protocol string, methods, datasets []string) []TitledQuery {
	which := "protocol = " + literal(protocol) + among("dataset", datasets) + among("method", methods)
	return []TitledQuery{
		{"Every cell", "SELECT dataset, method, split, status, n_correct, n_test, params, error\nFROM results WHERE " +
			which + "\nORDER BY dataset, method, split"},
		{"Means", "SELECT dataset, method, count(*) AS splits, 100 * avg(accuracy) AS mean\nFROM results WHERE " +
			which + " AND status = 'ok'\nGROUP BY dataset, method"},
		{"Every fold of every grid point", "SELECT dataset, method, split, params, fold, n_correct, n_valid\nFROM " +
			"evaluations WHERE " + which + "\nORDER BY dataset, method, split, grid_index, fold"},
	}
}

// among is a condition that a column has one of some values; "" without a list of values.
func among(column string, values []string) string {
	if values == nil {
		return ""
	}
	literals := make([]string, len(values))
	for i, v := range values {
		literals[i] = literal(v)
	}
	return " AND " + column + " IN (" + strings.Join(literals, ", ") + ")"
}

// CellQuery returns the query over the public views that gives the splits behind one cell of a table.
func CellQuery(protocol, dataset, method string) string {
	return "SELECT split, status, n_test, " + shownColumns() + " FROM results WHERE protocol = " + literal(protocol) +
		" AND dataset = " + literal(dataset) + " AND method = " + literal(method) + " ORDER BY split"
}

// shownColumns are the columns of the views with the values of every score. Counts of pairs are shown as their share.
func shownColumns() string {
	var names []string
	for _, f := range scoreFields(false) {
		if f.Kind != result.Wide {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}

// FailuresQuery is the query over the public views that gives the cells that did not end ok.
const FailuresQuery = "SELECT method, dataset, split, status, error FROM results WHERE status <> 'ok'"

// FoldsQuery returns the query over the public views that gives every fold of every grid point behind one cell of a
// table.
func FoldsQuery(protocol, dataset, method string) string {
	return "SELECT split, grid_index, selected, fold, n_correct, n_valid, params FROM evaluations WHERE protocol = " +
		literal(protocol) +
		" AND dataset = " + literal(dataset) + " AND method = " + literal(method) + " ORDER BY split, grid_index, fold"
}

// A Version is a method with the version that it had when it ran.
type Version struct{ Method, Version string }

// Fitting returns the versions that a user means by a text, each once: the version that equals it, else all that begin
// with it. Stored are versions of a method in the order in which they ran. If its author numbers none, they differ in
// what follows the number 1, and 2 is the second that ran.
func Fitting(stored []string, text string) (fitting []string) {
	if slices.Contains(stored, text) {
		return []string{text}
	}
	var all []string
	unnumbered := true
	for _, v := range stored {
		if slices.Contains(all, v) {
			continue
		}
		all, unnumbered = append(all, v), unnumbered && strings.HasPrefix(v, "1+")
		if strings.HasPrefix(v, text) {
			fitting = append(fitting, v)
		}
	}
	if n, err := strconv.Atoi(text); err == nil && len(fitting) != 1 && n > 0 && n <= len(all) && unnumbered {
		return all[n-1 : n]
	}
	return fitting
}

// Versions returns the versions of methods in the attempts of a protocol, sorted by method and then by their
// first run.
func (db *DB) Versions(ctx context.Context, protocol string) ([]Version, error) {
	return listOf(ctx, db.sql, `SELECT method, method_version FROM runs WHERE protocol = ?
		GROUP BY method, method_version ORDER BY method, min(started_at), method_version`, func(v *Version) []any {
		return []any{&v.Method, &v.Version}
	}, protocol)
}

// RowsOf returns, for each data set and split of a protocol, the last attempt of a method version that ended ok,
// in the form of Rows. The attempt need not be the current one.
func (db *DB) RowsOf(ctx context.Context, protocol string, v Version, folds bool) ([]Row, error) {
	return db.rows(ctx, attempts{`SELECT id FROM (
		SELECT id, row_number() OVER (PARTITION BY dataset, split ORDER BY started_at DESC, id DESC) AS place FROM runs
		WHERE protocol = ? AND method = ? AND method_version = ? AND status = 'ok')
		WHERE place = 1`, []any{protocol, v.Method, v.Version}}, folds)
}

// AttemptsOf returns every attempt of a method under a protocol that ended ok, of all versions, grids and data, in the
// form of Rows.
func (db *DB) AttemptsOf(ctx context.Context, protocol, method string) ([]Row, error) {
	return db.rows(ctx, attempts{"SELECT id FROM runs WHERE protocol = ? AND method = ? AND status = 'ok'",
		[]any{protocol, method}}, false)
}

// Retried returns the methods that have more than one attempt of a cell that ended ok: with several versions, settings
// or kinds of data.
func (db *DB) Retried(ctx context.Context, protocol string) ([]string, error) {
	return listOf(ctx, db.sql, `SELECT DISTINCT method FROM (SELECT method FROM runs
		WHERE protocol = ? AND status = 'ok' GROUP BY method, dataset, split HAVING count(*) > 1) ORDER BY method`,
		func(method *string) []any { return []any{method} }, protocol)
}

// VersionQuery returns the query over the public views that gives the splits of a method version: for each split
// the last attempt that ended ok. dataset selects one data set; "" selects all.
func VersionQuery(protocol, dataset string, v Version) string {
	of := ""
	if dataset != "" {
		of = " AND dataset = " + literal(dataset)
	}
	return "SELECT dataset, split, status, n_test, " + shownColumns() + ", max(started_at) AS started_at\nFROM " +
		"history WHERE protocol = " +
		literal(protocol) + " AND method = " + literal(v.Method) + " AND method_version = " + literal(v.Version) +
		" AND status = 'ok'" + of +
		"\nGROUP BY dataset, split ORDER BY dataset, split"
}

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
