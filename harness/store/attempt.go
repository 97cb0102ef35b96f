package store

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/kernelboosting/bench/harness/result"
)

// An Attempt is what training a model again needs to know of the attempt that stands for its cell.
type Attempt struct {
	Status        result.Status
	Error         string // empty if ok
	MethodVersion string
	Fingerprint   string
	Point         json.RawMessage // of the selected grid point; nil unless ok
	TestRows      int
	Correct       *int     // nil for regression
	RMSE          *float64 // nil for classes
}

// Attempt returns the attempt that stands for a cell, and false if there is none.
func (db *DB) Attempt(ctx context.Context, protocol, dataset, method string, split int) (Attempt, bool, error) {
	var c Attempt
	if err := db.intact(ctx); err != nil {
		return c, false, err
	}
	var params *string
	err := db.sql.QueryRowContext(ctx, `SELECT r.status, coalesce(r.error, ''), r.method_version, r.fingerprint, p.params, r.n_test, r.n_correct, r.rmse
		FROM cells c JOIN runs r ON r.id = c.run_id LEFT JOIN grid_points p ON p.grid_id = r.grid_id AND p.grid_index = r.selected
		WHERE c.protocol = ? AND c.dataset = ? AND c.method = ? AND c.split = ?`, protocol, dataset, method, split).
		Scan(&c.Status, &c.Error, &c.MethodVersion, &c.Fingerprint, &params, &c.TestRows, &c.Correct, &c.RMSE)
	if err == sql.ErrNoRows {
		return c, false, nil
	}
	if params != nil {
		c.Point = json.RawMessage(*params)
	}
	return c, err == nil, err
}
