package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
)

// ids caches the numbers of rows that many cells refer to. A failed commit undoes the insertion of these rows and
// so clears the cache.
type ids struct {
	envs   map[result.Environment]int64
	grids  map[string]int64
	origin map[[2]string]bool // protocols and set files whose rows are there
}

func (w *Writer) commit(group []result.Run) (err error) {
	ctx := context.Background() // an interrupt must not undo finished work
	tx, err := w.db.sql.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback()
			w.known = ids{}
		}
	}()
	if w.known.grids == nil {
		w.known = ids{envs: map[result.Environment]int64{}, grids: map[string]int64{}, origin: map[[2]string]bool{}}
	}
	for _, r := range group {
		if err := w.insert(ctx, tx, r); err != nil {
			return fmt.Errorf("%s: %w", r.Name(), err)
		}
	}
	return tx.Commit()
}

func (w *Writer) insert(ctx context.Context, tx *sql.Tx, r result.Run) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM underway_cells WHERE key = ?`, r.Key); err != nil {
		return err
	}
	if r.Canary != nil {
		return insertCanary(ctx, tx, r)
	}
	gridID, err := w.gridID(ctx, tx, r)
	if err != nil {
		return err
	}
	if err := w.insertOrigin(ctx, tx, r); err != nil {
		return err
	}
	env, err := w.envID(ctx, tx, r)
	if err != nil {
		return err
	}
	rows, sum := foldRows(r.Folds)
	runID, stored, err := w.insertRun(ctx, tx, r, runValues(r, gridID, env, sum))
	if err != nil || !stored {
		return err
	}
	if err := insertFolds(ctx, tx, runID, rows); err != nil {
		return err
	}
	return insertArtifacts(ctx, tx, runID, r)
}

// A stored cell that ended ok stays, unless the new run is ok and has Replace. A stored cell that failed is
// replaced together with its evaluations.
var insertRunSQL = "INSERT INTO runs (" + strings.Join(sealedRuns.columns, ", ") + ", checksum) VALUES (" +
	strings.Repeat("?, ", len(sealedRuns.columns)) + "?) ON CONFLICT (key) DO NOTHING"

func (w *Writer) insertRun(ctx context.Context, tx *sql.Tx, r result.Run, values []any) (id int64, stored bool, err error) {
	replaces := r.Replace && r.Status == result.OK
	if _, err := tx.ExecContext(ctx, `DELETE FROM runs WHERE key = ? AND (status <> 'ok' OR ?)`, r.Key, replaces); err != nil {
		return 0, false, err
	}
	res, err := tx.ExecContext(ctx, insertRunSQL, append(values, Checksum(values...))...)
	if err != nil {
		return 0, false, err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return 0, false, err
	}
	if r.Superseded {
		id, err = storedBefore(ctx, tx, r)
	} else {
		id, err = makeCurrent(ctx, tx, r.Key)
	}
	return id, n > 0, err // no new row: another program stored the cell first
}

// storedBefore handles an attempt that is stored already. If no attempt stands for the cell, this one does from now on.
// storedBefore returns the attempt's number.
func storedBefore(ctx context.Context, tx *sql.Tx, r result.Run) (id int64, err error) {
	var others int
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM cells WHERE protocol = ? AND dataset = ? AND method = ? AND split = ?`,
		r.Protocol, r.Dataset, r.Method, r.Split).Scan(&others)
	if err == nil && others == 0 {
		return makeCurrent(ctx, tx, r.Key)
	}
	if err == nil {
		err = tx.QueryRowContext(ctx, `SELECT id FROM runs WHERE key = ?`, r.Key).Scan(&id)
	}
	return id, err
}

// runValues returns the values of the columns of runs in the form in which they are read back. folds is the digest of
// the run's evaluations.
func runValues(r result.Run, gridID, envID, folds int64) []any {
	var message any
	if r.Status != result.OK {
		message = r.Error
	}
	var features any
	if r.Features > 0 {
		features = r.Features
	}
	var scoresHash any
	if r.ScoresHash != "" {
		scoresHash = r.ScoresHash
	}
	s := r.Score
	return asStored([]any{r.Key, r.Protocol, r.ProtocolHash, r.Method, r.MethodVersion, r.Dataset, r.Fingerprint,
		r.Split, r.Task, string(r.Status), message, gridID, value(r.Selected), r.TrainRows, r.TestRows, features,
		value(s.Correct), value(s.TN), value(s.FP), value(s.FN), value(s.TP), value(s.AUC2), value(s.RMSE), value(s.MAE), value(s.R2), value(r.CVAccuracy()),
		r.SearchSeconds, value(r.FitSeconds), value(r.PredictSeconds), value(r.CPUSeconds), value(r.PeakRSSBytes), value(r.ModelBytes), r.CostUnits,
		value(r.TimeoutSeconds), r.StartedAt, envID, len(r.Folds), folds,
		scoresHash, value(s.LogLoss), value(s.Brier), value(s.ECE), string(r.Failure()), r.Isolated, r.Stderr, r.Code, r.Imported, r.Scores != nil, r.Model != nil, len(r.Stages), len(r.Warnings)})
}

// makeCurrent makes the attempt with a key stand for its cell and returns the attempt's number.
func makeCurrent(ctx context.Context, tx *sql.Tx, key string) (id int64, err error) {
	var protocol, dataset, method string
	var split int64
	err = tx.QueryRowContext(ctx, `SELECT protocol, dataset, method, split, id FROM runs WHERE key = ?`, key).
		Scan(&protocol, &dataset, &method, &split, &id)
	if err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO cells (protocol, dataset, method, split, run_id, checksum) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET run_id = excluded.run_id, checksum = excluded.checksum`,
		protocol, dataset, method, split, id, Checksum(protocol, dataset, method, split, id))
	return id, err
}

// standIn makes the last attempt at a cell stand for the cell, where no attempt does.
func standIn(ctx context.Context, tx *sql.Tx) error {
	keys, err := texts(ctx, tx, `SELECT r.key FROM runs r
		LEFT JOIN cells c ON (c.protocol, c.dataset, c.method, c.split) = (r.protocol, r.dataset, r.method, r.split)
		WHERE c.run_id IS NULL ORDER BY r.started_at`)
	for _, key := range keys {
		if err == nil {
			_, err = makeCurrent(ctx, tx, key)
		}
	}
	return err
}

// MakeCurrent makes stored attempts stand for their cells again. In the meantime attempts with other inputs
// (an edited protocol, changed data, another version) stood for these cells.
func (db *DB) MakeCurrent(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	return inTransaction(ctx, db.sql, func(tx *sql.Tx) error {
		for _, key := range keys {
			if _, err := makeCurrent(ctx, tx, key); err != nil {
				return err
			}
		}
		return nil
	})
}

const foldBatch = 25

var insertFold, insertFoldBatch = foldInsertSQL(1), foldInsertSQL(foldBatch)

func foldInsertSQL(rows int) string {
	row := "(" + strings.Repeat("?,", len(foldColumns)) + "?)"
	return "INSERT INTO fold_counts (run_id, " + strings.Join(foldColumns, ", ") + ") VALUES " + strings.Repeat(row+",", rows-1) + row
}

// foldRows returns the values of foldColumns of every evaluation, by grid point and fold, in the form in
// which they are read back. It also returns their digest.
func foldRows(evaluations []result.Evaluation) (rows [][]any, sum int64) {
	sorted := slices.SortedFunc(slices.Values(evaluations), func(a, b result.Evaluation) int {
		return cmp.Or(a.GridIndex-b.GridIndex, a.Fold-b.Fold)
	})
	rows = make([][]any, len(sorted))
	values := make([]any, 0, len(sorted)*len(foldColumns))
	d := newDigest()
	for i, e := range sorted {
		s := e.Score
		from := len(values)
		values = append(values, int64(e.GridIndex), int64(e.Fold), int64(s.N), value(s.Correct), value(s.TN), value(s.FP), value(s.FN), value(s.TP),
			value(s.AUC2), value(s.RMSE), value(s.MAE), value(s.R2), e.FitSeconds)
		rows[i] = asStored(values[from:])
		d.add(rows[i]...)
	}
	return rows, d.value()
}

// insertFolds inserts many evaluations with one statement: binding values is cheap, executing a statement is
// not. The connection keeps the prepared statements.
func insertFolds(ctx context.Context, tx *sql.Tx, runID int64, rows [][]any) error {
	var args []any
	for len(rows) > 0 {
		n, statement := 1, insertFold
		if len(rows) >= foldBatch {
			n, statement = foldBatch, insertFoldBatch
		}
		args = args[:0]
		for _, row := range rows[:n] {
			args = append(append(args, runID), row...)
		}
		if _, err := tx.ExecContext(ctx, statement, args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// value returns what p points to, or nil for SQL's NULL.
func value[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// envID returns the number of the environment where the run was computed. A run that names no environment has the
// writer's.
func (w *Writer) envID(ctx context.Context, tx *sql.Tx, r result.Run) (id int64, err error) {
	env := w.env
	if r.Environment != nil {
		env = *r.Environment
	}
	id, known := w.known.envs[env]
	if !known {
		if id, err = insertEnvironment(ctx, tx, env); err == nil {
			w.known.envs[env] = id
		}
	}
	return id, err
}

func (w *Writer) gridID(ctx context.Context, tx *sql.Tx, r result.Run) (int64, error) {
	if id, ok := w.known.grids[r.GridHash]; ok {
		return id, nil
	}
	var id int64
	err := tx.QueryRowContext(ctx, `SELECT id FROM grids WHERE hash = ?`, r.GridHash).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		id, err = insertGrid(ctx, tx, r)
	}
	if err == nil {
		w.known.grids[r.GridHash] = id
	}
	return id, err
}

func insertGrid(ctx context.Context, tx *sql.Tx, r result.Run) (int64, error) {
	d := newDigest()
	d.add(r.GridHash)
	points := make([][]any, len(r.Grid))
	for i, params := range r.Grid {
		point := ""
		if r.GridWritten != nil {
			point = string(r.GridWritten[i])
		}
		points[i] = asStored([]any{i, string(params), point})
		d.add(points[i]...)
	}
	res, err := tx.ExecContext(ctx, `INSERT INTO grids (hash, checksum) VALUES (?, ?)`, r.GridHash, d.value())
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return 0, err
	}
	for _, p := range points {
		if _, err := tx.ExecContext(ctx, `INSERT INTO grid_points (grid_id, grid_index, params, point) VALUES (?, ?, ?, ?)`, append([]any{id}, p...)...); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// insertOrigin keeps what a reader needs to reconstruct the cell's inputs: the text of its protocol, and the
// file that describes a user's own set.
func (w *Writer) insertOrigin(ctx context.Context, tx *sql.Tx, r result.Run) error {
	for _, o := range []struct {
		table  sealed
		wanted bool
		values []any
	}{
		{sealedProtocols, r.ProtocolText != "", []any{r.Protocol, r.ProtocolHash, r.ProtocolText, r.ProtocolPath, r.ProtocolSplits, r.StartedAt}},
		{sealedSetFiles, r.SetFile != "", []any{r.Dataset, r.Fingerprint, r.SetFile, r.StartedAt}},
	} {
		known := [2]string{o.table.table, fmt.Sprint(o.values[:3]...)}
		if !o.wanted || w.known.origin[known] {
			continue
		}
		values := asStored(o.values)
		if err := o.table.insert(ctx, tx, "INSERT OR REPLACE", values); err != nil {
			return err
		}
		w.known.origin[known] = true
	}
	return nil
}

func insertEnvironment(ctx context.Context, tx *sql.Tx, e result.Environment) (int64, error) {
	raw, err := json.Marshal(e)
	if err != nil {
		return 0, err
	}
	sum := sha256.Sum256(raw)
	hash := hex.EncodeToString(sum[:16])
	values := asStored([]any{hash, e.ProgramVersion, e.VCSRevision, e.VCSModified, e.GoVersion, e.OS, e.Arch, e.Kernel, e.CPU, e.Cores, e.MemoryBytes})
	if err := sealedEnvironments.insert(ctx, tx, "INSERT OR IGNORE", values); err != nil {
		return 0, err
	}
	var id int64
	err = tx.QueryRowContext(ctx, `SELECT id FROM environments WHERE hash = ?`, hash).Scan(&id)
	return id, err
}
