package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/kernelboosting/bench/harness/result"
)

// A Cell is an attempt that stands for its cell, without its counts.
type Cell struct {
	Key                       string
	Protocol, Dataset, Method string
	Split                     int
	Inputs                    Inputs
	Status                    result.Status
	Seconds                   float64 // wall time from start to end
	Code, Imported            string  // as in Run
}

// Cells returns every cell, sorted by protocol, data set, method and split.
func (db *DB) Cells(ctx context.Context) ([]Cell, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	return listOf(ctx, db, `SELECT r.key, r.protocol, r.dataset, r.method, r.split, r.protocol_hash, r.method_version, r.fingerprint, g.hash,
		  r.status, r.search_seconds + coalesce(r.fit_seconds, 0) + coalesce(r.predict_seconds, 0), r.code, r.imported
		FROM cells c JOIN runs r ON r.id = c.run_id JOIN grids g ON g.id = r.grid_id
		ORDER BY r.protocol, r.dataset, r.method, r.split`, func(c *Cell) []any {
		in := &c.Inputs
		return []any{&c.Key, &c.Protocol, &c.Dataset, &c.Method, &c.Split, &in.ProtocolHash, &in.MethodVersion, &in.Fingerprint, &in.GridHash,
			&c.Status, &c.Seconds, &c.Code, &c.Imported}
	})
}

// An Attempted is an attempt at a cell, whether or not it stands for its cell.
type Attempted struct {
	Cell
	StartedAt     string // UTC, RFC 3339
	EnvironmentID int64
	Current       bool // it stands for its cell
}

// Attempts returns every attempt that is kept, sorted by protocol, data set, method, split and time.
func (db *DB) Attempts(ctx context.Context) ([]Attempted, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	return listOf(ctx, db, `SELECT r.key, r.protocol, r.dataset, r.method, r.split, r.protocol_hash, r.method_version, r.fingerprint, g.hash,
		  r.status, r.search_seconds + coalesce(r.fit_seconds, 0) + coalesce(r.predict_seconds, 0), r.code, r.imported,
		  r.started_at, r.environment_id, r.id IN (SELECT run_id FROM cells)
		FROM runs r JOIN grids g ON g.id = r.grid_id
		ORDER BY r.protocol, r.dataset, r.method, r.split, r.started_at`, func(c *Attempted) []any {
		in := &c.Inputs
		return []any{&c.Key, &c.Protocol, &c.Dataset, &c.Method, &c.Split, &in.ProtocolHash, &in.MethodVersion, &in.Fingerprint, &in.GridHash,
			&c.Status, &c.Seconds, &c.Code, &c.Imported, &c.StartedAt, &c.EnvironmentID, &c.Current}
	})
}

// Result returns the attempt with a key: every count, and where it was computed. It leaves out the scores,
// the model and the texts of protocol and set. Damaged data is an error. The second result is false if there
// is no such attempt.
func (db *DB) Result(ctx context.Context, key string) (result.Run, bool, error) {
	if err := db.intact(ctx); err != nil {
		return result.Run{}, false, err
	}
	id, foldSum, r, err := db.resultRow(ctx, key)
	if err == sql.ErrNoRows {
		return result.Run{}, false, nil
	}
	if err == nil {
		r.Grid, r.GridWritten, err = db.gridOf(ctx, r.GridHash)
	}
	rows, byID := make([]Row, 1), map[int64]int{id: 0}
	if err == nil {
		err = db.addRest(ctx, one(id), rows, byID, true)
	}
	if err != nil {
		return result.Run{}, false, err
	}
	r.Evaluations, r.Stages, r.GridTests, r.SeedTests, r.Warnings = rows[0].Folds, rows[0].Stages, rows[0].GridTests, rows[0].SeedTests, rows[0].Warnings
	if _, sum := foldRows(r.Evaluations); sum != foldSum {
		return result.Run{}, false, &DamageError{db.path, []Problem{{Row: r.Name(), What: "its folds are not those that were stored"}}}
	}
	return r, true, nil
}

// resultRow reads the row of an attempt with the number and the digest of its folds.
func (db *DB) resultRow(ctx context.Context, key string) (id, folds int64, r result.Run, err error) {
	var environment int64
	t := &r.Test
	err = db.sql.QueryRowContext(ctx, `SELECT r.id, r.folds_checksum, r.environment_id, r.key, r.protocol, r.protocol_hash, r.method, r.method_version, r.dataset, r.fingerprint,
		  r.split, r.task, r.status, coalesce(r.error, ''), g.hash, r.selected, r.n_train, r.n_test, coalesce(r.n_features, 0),
		  r.n_correct, r.tn, r.fp, r.fn, r.tp, r.auc2, r.rmse, r.mae, r.r2, r.logloss, r.brier, r.ece,
		  r.search_seconds, r.fit_seconds, r.predict_seconds, r.cpu_seconds, r.peak_rss_bytes, r.model_bytes, r.cost_units, r.timeout_seconds, r.started_at,
		  coalesce(r.scores_hash, ''), r.code, r.imported,
		  r.class, r.isolated, r.stderr
		FROM runs r JOIN grids g ON g.id = r.grid_id WHERE r.key = ?`, key).
		Scan(&id, &folds, &environment, &r.Key, &r.Protocol, &r.ProtocolHash, &r.Method, &r.MethodVersion, &r.Dataset, &r.Fingerprint,
			&r.Split, &r.Task, &r.Status, &r.Error, &r.GridHash, &r.Selected, &r.TrainRows, &r.TestRows, &r.Features,
			&t.Correct, &t.TN, &t.FP, &t.FN, &t.TP, &t.AUC2, &t.RMSE, &t.MAE, &t.R2, &t.LogLoss, &t.Brier, &t.ECE,
			&r.SearchSeconds, &r.FitSeconds, &r.PredictSeconds, &r.CPUSeconds, &r.PeakRSSBytes, &r.ModelBytes, &r.CostUnits, &r.TimeoutSeconds, &r.StartedAt,
			&r.ScoresHash, &r.Code, &r.Imported, &r.Class, &r.Isolated, &r.Stderr)
	if err != nil {
		return 0, 0, r, err
	}
	t.N = r.TestRows
	environments, err := db.environments(ctx)
	r.Environment = environments[environment]
	return id, folds, r, err
}

// gridOf returns the points of a grid. written has them in the notation of the grid's author, where this is
// kept.
func (db *DB) gridOf(ctx context.Context, hash string) (grid, written []json.RawMessage, err error) {
	complete := true
	err = each(ctx, db.sql, `SELECT p.params, p.point FROM grids g JOIN grid_points p ON p.grid_id = g.id WHERE g.hash = ? ORDER BY p.grid_index`, func(r []any) error {
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
