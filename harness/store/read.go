package store

import (
	"context"
	"database/sql"
)

// Known is what planning needs of a stored cell.
type Known struct {
	Status         Status
	TimeoutSeconds float64 // the limit it ran under; 0 if none
	Current        bool    // it stands for its cell in the views
}

// Keys returns every stored cell by key.
func (db *DB) Keys(ctx context.Context) (map[string]Known, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	rows, err := db.sql.QueryContext(ctx, `SELECT r.key, r.status, coalesce(r.timeout_seconds, 0), c.run_id IS NOT NULL
		FROM runs r LEFT JOIN cells c ON c.run_id = r.id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]Known{}
	for rows.Next() {
		var key string
		var k Known
		if err := rows.Scan(&key, &k.Status, &k.TimeoutSeconds, &k.Current); err != nil {
			return nil, err
		}
		out[key] = k
	}
	return out, rows.Err()
}

// Inputs is what a stored cell's key was made of.
type Inputs struct {
	ProtocolHash, MethodVersion, Fingerprint, GridHash string
}

// CurrentInputs returns the inputs of the attempt that stands for a cell, and false
// if there is none: what `bench run --explain` compares with.
func (db *DB) CurrentInputs(ctx context.Context, protocol, dataset, method string, split int) (Inputs, bool, error) {
	var in Inputs
	err := db.sql.QueryRowContext(ctx, `SELECT r.protocol_hash, r.method_version, r.fingerprint, g.hash
		FROM cells c JOIN runs r ON r.id = c.run_id JOIN grids g ON g.id = r.grid_id
		WHERE c.protocol = ? AND c.dataset = ? AND c.method = ? AND c.split = ?`, protocol, dataset, method, split).
		Scan(&in.ProtocolHash, &in.MethodVersion, &in.Fingerprint, &in.GridHash)
	if err == sql.ErrNoRows {
		return in, false, nil
	}
	return in, err == nil, err
}

// CostFactors holds the measured seconds of a unit of predicted cost.
type CostFactors struct {
	onSet    map[[2]string]float64 // by method and data set
	byMethod map[string]float64
}

// Factor returns the factor of a method on a data set: measured there, else
// measured on other sets, else that of a unit of a nanosecond.
func (f CostFactors) Factor(method, dataset string) float64 {
	if v, ok := f.onSet[[2]string{method, dataset}]; ok {
		return v
	}
	if v, ok := f.byMethod[method]; ok {
		return v
	}
	return 1e-9
}

// CostFactors returns what the ok cells measured.
func (db *DB) CostFactors(ctx context.Context) (CostFactors, error) {
	f := CostFactors{onSet: map[[2]string]float64{}, byMethod: map[string]float64{}}
	rows, err := db.sql.QueryContext(ctx, `SELECT method, dataset, sum(search_seconds + fit_seconds + predict_seconds), sum(cost_units)
		FROM runs WHERE status = 'ok' AND cost_units > 0 GROUP BY method, dataset`)
	if err != nil {
		return f, err
	}
	defer rows.Close()
	seconds, units := map[string]float64{}, map[string]float64{}
	for rows.Next() {
		var method, dataset string
		var s, u float64
		if err := rows.Scan(&method, &dataset, &s, &u); err != nil {
			return f, err
		}
		f.onSet[[2]string{method, dataset}] = s / u
		seconds[method] += s
		units[method] += u
	}
	for method, u := range units {
		f.byMethod[method] = seconds[method] / u
	}
	return f, rows.Err()
}

// StatusRow counts the cells of one protocol, data set and method that belong to the
// same data.
type StatusRow struct {
	Protocol, Dataset, Method string
	Fingerprint               string
	LastRun                   string // started_at of the newest
	LastSplit                 int
	OK, Failed, Timeout       int
	Seconds                   float64
}

// Status returns the counts of stored cells, sorted.
func (db *DB) Status(ctx context.Context) ([]StatusRow, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	rows, err := db.sql.QueryContext(ctx, `SELECT protocol, dataset, method, fingerprint, max(started_at), max(split), sum(status = 'ok'), sum(status = 'failed'), sum(status = 'timeout'),
		  sum(search_seconds + coalesce(fit_seconds, 0) + coalesce(predict_seconds, 0))
		FROM results GROUP BY protocol, dataset, method, fingerprint ORDER BY protocol, dataset, method, max(started_at)`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []StatusRow
	for rows.Next() {
		var s StatusRow
		if err := rows.Scan(&s.Protocol, &s.Dataset, &s.Method, &s.Fingerprint, &s.LastRun, &s.LastSplit, &s.OK, &s.Failed, &s.Timeout, &s.Seconds); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}
