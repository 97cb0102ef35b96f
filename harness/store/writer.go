package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A Writer commits finished cells from one goroutine. Cells that finish while a
// commit is under way share the next one, so that a thousand short cells cost a
// few dozen flushes to disk. A Writer must be closed.
type Writer struct {
	db        *DB
	env       Environment
	queue     chan Run
	done      chan struct{}
	err       error // read after done is closed
	committed func([]Run)

	envID int64
	grids map[string]int64
}

// NewWriter starts a writer whose cells ran in env. committed, if not nil, is
// called from the writer's goroutine with each group once it is durable.
func (db *DB) NewWriter(env Environment, committed func([]Run)) *Writer {
	w := &Writer{
		db: db, env: env, committed: committed,
		queue: make(chan Run, 256), done: make(chan struct{}), grids: map[string]int64{},
	}
	go w.loop()
	return w
}

// Put hands over a finished cell. It blocks only if commits are far behind, and
// returns the error of an earlier commit, after which nothing more is stored.
func (w *Writer) Put(r Run) error {
	select {
	case <-w.done:
		return w.failure()
	case w.queue <- r:
		return nil
	}
}

// Close commits what is queued and returns the first error.
func (w *Writer) Close() error {
	close(w.queue)
	<-w.done
	return w.err
}

func (w *Writer) failure() error {
	if w.err == nil {
		return errors.New("store: the writer is closed")
	}
	return w.err
}

func (w *Writer) loop() {
	defer close(w.done)
	for first := range w.queue {
		group := []Run{first}
	gather:
		for len(group) < cap(w.queue) {
			select {
			case r, open := <-w.queue:
				if !open {
					break gather
				}
				group = append(group, r)
			default:
				break gather
			}
		}
		if err := w.commit(group); err != nil {
			w.err = fmt.Errorf("database %s: storing %d finished cells: %w", w.db.path, len(group), explain(err))
			return
		}
		if w.committed != nil {
			w.committed(group)
		}
	}
}

func (w *Writer) commit(group []Run) error {
	ctx := context.Background() // an interrupt must not undo finished work
	tx, err := w.db.sql.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // a no-op after Commit
	if w.envID == 0 {
		if w.envID, err = insertEnvironment(ctx, tx, w.env); err != nil {
			return err
		}
	}
	insertRun, err := tx.PrepareContext(ctx, insertRunSQL)
	if err != nil {
		return err
	}
	defer insertRun.Close()
	folds := foldInserter{tx: tx}
	defer folds.close()
	for _, r := range group {
		gridID, err := w.gridID(ctx, tx, r)
		if err != nil {
			return err
		}
		runID, stored, err := w.insertRun(ctx, tx, insertRun, r, gridID)
		if err != nil {
			return fmt.Errorf("%s on %s, split %d: %w", r.Method, r.Dataset, r.Split, err)
		}
		if !stored {
			continue
		}
		if err := folds.insert(ctx, runID, r.Evaluations); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// A cell that ended ok stays as it is, whoever computed it first; a failed one
// is replaced, its evaluations with it.
const insertRunSQL = `INSERT INTO runs (key, protocol, protocol_hash, method, method_version, dataset, fingerprint,
  split, task, status, error, grid_id, selected, n_train, n_test, n_correct, tn, fp, fn, tp, rmse, mae, r2,
  search_seconds, fit_seconds, predict_seconds, cpu_seconds, peak_rss_bytes, model_bytes, cost_units,
  timeout_seconds, started_at, environment_id)
VALUES (?,?,?,?,?,?,?, ?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?, ?,?,?,?,?,?,?, ?,?,?)
ON CONFLICT (key) DO NOTHING`

func (w *Writer) insertRun(ctx context.Context, tx *sql.Tx, insert *sql.Stmt, r Run, gridID int64) (id int64, stored bool, err error) {
	if _, err := tx.ExecContext(ctx, `DELETE FROM runs WHERE key = ? AND status <> 'ok'`, r.Key); err != nil {
		return 0, false, err
	}
	var message *string
	if r.Status != OK {
		message = &r.Error
	}
	s := r.Test
	res, err := insert.ExecContext(ctx, r.Key, r.Protocol, r.ProtocolHash, r.Method, r.MethodVersion, r.Dataset, r.Fingerprint,
		r.Split, r.Task, string(r.Status), message, gridID, r.Selected, r.TrainRows, r.TestRows,
		s.Correct, s.TN, s.FP, s.FN, s.TP, s.RMSE, s.MAE, s.R2,
		r.SearchSeconds, r.FitSeconds, r.PredictSeconds, r.CPUSeconds, r.PeakRSSBytes, r.ModelBytes, r.CostUnits,
		r.TimeoutSeconds, r.StartedAt, w.envID)
	if err != nil {
		return 0, false, err
	}
	n, err := res.RowsAffected()
	if err != nil {
		return 0, false, err
	}
	if _, err := tx.ExecContext(ctx, makeCurrentSQL, r.Key); err != nil {
		return 0, false, err
	}
	if n == 0 {
		return 0, false, nil // another program stored it first
	}
	err = tx.QueryRowContext(ctx, `SELECT id FROM runs WHERE key = ?`, r.Key).Scan(&id)
	return id, true, err
}

// makeCurrentSQL lets the attempt with a key stand for its cell.
const makeCurrentSQL = `INSERT INTO cells (protocol, dataset, method, split, run_id)
  SELECT protocol, dataset, method, split, id FROM runs WHERE key = ?
  ON CONFLICT DO UPDATE SET run_id = excluded.run_id`

// MakeCurrent lets stored attempts stand for their cells again, where others with
// other inputs (an edited protocol, changed data, another version) did since.
func (db *DB) MakeCurrent(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	tx, err := db.sql.BeginTx(ctx, nil)
	if err != nil {
		return explain(err)
	}
	defer func() { _ = tx.Rollback() }() // a no-op after Commit
	stmt, err := tx.PrepareContext(ctx, makeCurrentSQL)
	if err != nil {
		return err
	}
	defer stmt.Close()
	for _, key := range keys {
		if _, err := stmt.ExecContext(ctx, key); err != nil {
			return err
		}
	}
	return explain(tx.Commit())
}

// foldInserter inserts evaluations many rows to a statement: binding values is
// cheap, stepping a statement is not.
type foldInserter struct {
	tx   *sql.Tx
	many *sql.Stmt
	one  *sql.Stmt
	args []any
}

const (
	foldInsertSQL = `INSERT INTO fold_counts (run_id, grid_index, fold, n_valid, n_correct, tn, fp, fn, tp, rmse, mae, r2, fit_seconds) VALUES `
	foldValues    = `(?,?,?,?,?,?,?,?,?,?,?,?,?)`
	foldBatch     = 25
)

func (f *foldInserter) insert(ctx context.Context, runID int64, evaluations []Evaluation) error {
	for len(evaluations) > 0 {
		n, stmt := 1, &f.one
		if len(evaluations) >= foldBatch {
			n, stmt = foldBatch, &f.many
		}
		if *stmt == nil {
			var err error
			if *stmt, err = f.tx.PrepareContext(ctx, foldInsertSQL+strings.Repeat(foldValues+",", n-1)+foldValues); err != nil {
				return err
			}
		}
		f.args = f.args[:0]
		for _, e := range evaluations[:n] {
			s := e.Score
			f.args = append(f.args, runID, e.GridIndex, e.Fold, s.N, value(s.Correct), value(s.TN), value(s.FP), value(s.FN), value(s.TP),
				value(s.RMSE), value(s.MAE), value(s.R2), e.FitSeconds)
		}
		if _, err := (*stmt).ExecContext(ctx, f.args...); err != nil {
			return err
		}
		evaluations = evaluations[n:]
	}
	return nil
}

func (f *foldInserter) close() {
	for _, s := range []*sql.Stmt{f.many, f.one} {
		if s != nil {
			_ = s.Close()
		}
	}
}

// value returns what p points to, or nil for SQL's NULL.
func value[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

func (w *Writer) gridID(ctx context.Context, tx *sql.Tx, r Run) (int64, error) {
	if id, ok := w.grids[r.GridHash]; ok {
		return id, nil
	}
	var id int64
	err := tx.QueryRowContext(ctx, `SELECT id FROM grids WHERE hash = ?`, r.GridHash).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		id, err = insertGrid(ctx, tx, r)
	}
	if err != nil {
		return 0, err
	}
	// A rollback ends the writer, so an id cached here is never of an undone insert.
	w.grids[r.GridHash] = id
	return id, nil
}

func insertGrid(ctx context.Context, tx *sql.Tx, r Run) (int64, error) {
	res, err := tx.ExecContext(ctx, `INSERT INTO grids (hash) VALUES (?)`, r.GridHash)
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return 0, err
	}
	for i, params := range r.Grid {
		if _, err := tx.ExecContext(ctx, `INSERT INTO grid_points (grid_id, grid_index, params) VALUES (?, ?, ?)`, id, i, string(params)); err != nil {
			return 0, err
		}
	}
	return id, nil
}

func insertEnvironment(ctx context.Context, tx *sql.Tx, e Environment) (int64, error) {
	raw, err := json.Marshal(e)
	if err != nil {
		return 0, err
	}
	sum := sha256.Sum256(raw)
	hash := hex.EncodeToString(sum[:16])
	_, err = tx.ExecContext(ctx, `INSERT INTO environments (hash, program_version, vcs_revision, vcs_modified, go_version, os, arch, kernel, cpu, cores, memory_bytes)
		VALUES (?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (hash) DO NOTHING`,
		hash, e.ProgramVersion, e.VCSRevision, e.VCSModified, e.GoVersion, e.OS, e.Arch, e.Kernel, e.CPU, e.Cores, e.MemoryBytes)
	if err != nil {
		return 0, err
	}
	var id int64
	err = tx.QueryRowContext(ctx, `SELECT id FROM environments WHERE hash = ?`, hash).Scan(&id)
	return id, err
}
