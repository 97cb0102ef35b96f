package store

import (
	"context"
	"database/sql"

	"github.com/kernelboosting/bench/harness/result"
)

// Known is the part of a stored cell that planning needs.
type Known struct {
	Status         result.Status
	TimeoutSeconds float64 // the time limit of the attempt; 0 if none
	Current        bool    // the attempt stands for its cell in the views
	ScoresHash     string  // hash of the bits of its test scores; "" if unknown
	Attempt        int64   // distinguishes attempts with the same key; see Claims
}

// Keys returns every stored cell by key.
func (db *DB) Keys(ctx context.Context) (map[string]Known, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	out := map[string]Known{}
	return out, db.scanned(ctx, `SELECT r.key, r.status, coalesce(r.timeout_seconds, 0), c.run_id IS NOT NULL, coalesce(r.scores_hash, ''), r.checksum
		FROM runs r LEFT JOIN cells c ON c.run_id = r.id`, func(scan func(...any) error) error {
		var key string
		var k Known
		err := scan(&key, &k.Status, &k.TimeoutSeconds, &k.Current, &k.ScoresHash, &k.Attempt)
		out[key] = k
		return err
	})
}

// Inputs are the values from which a stored cell's key was made.
type Inputs struct {
	ProtocolHash, MethodVersion, Fingerprint, GridHash string
}

// CurrentInputs returns the inputs and the key of the attempt that stands for a cell, and no key if there is
// none. `bench run --explain` compares them with the plan.
func (db *DB) CurrentInputs(ctx context.Context, protocol, dataset, method string, split int) (in Inputs, key string, err error) {
	err = db.sql.QueryRowContext(ctx, `SELECT r.key, r.protocol_hash, r.method_version, r.fingerprint, g.hash
		FROM cells c JOIN runs r ON r.id = c.run_id JOIN grids g ON g.id = r.grid_id
		WHERE c.protocol = ? AND c.dataset = ? AND c.method = ? AND c.split = ?`, protocol, dataset, method, split).
		Scan(&key, &in.ProtocolHash, &in.MethodVersion, &in.Fingerprint, &in.GridHash)
	if err == sql.ErrNoRows {
		err = nil
	}
	return in, key, err
}

// A Timing is the time that cells of a method on a data set took on this machine.
type Timing struct {
	Method, MethodVersion, Dataset string
	Cells                          int
	Seconds                        float64 // sum over the cells: processor time, or wall time where that is not known
	CostUnits                      float64 // sum of their declared costs
	TrainRows, Features            int     // of one of the cells; Features is 0 where it is unknown
}

// Timings returns the times of the attempts that ended ok on a machine like env: with the same processor and
// as many cores. Times of other machines, which imported cells have, say nothing about this one.
func (db *DB) Timings(ctx context.Context, env result.Environment) ([]Timing, error) {
	return listOf(ctx, db, `SELECT r.method, r.method_version, r.dataset, count(*), sum(coalesce(r.cpu_seconds, r.search_seconds + r.fit_seconds + r.predict_seconds)), sum(r.cost_units), max(r.n_train), coalesce(max(r.n_features), 0)
		FROM runs r JOIN environments e ON e.id = r.environment_id
		WHERE r.status = 'ok' AND r.cost_units > 0 AND e.cpu = ? AND e.cores = ?
		GROUP BY r.method, r.method_version, r.dataset ORDER BY r.method, r.method_version, r.dataset`, func(t *Timing) []any {
		return []any{&t.Method, &t.MethodVersion, &t.Dataset, &t.Cells, &t.Seconds, &t.CostUnits, &t.TrainRows, &t.Features}
	}, env.CPU, env.Cores)
}

// StatusRow counts the cells of one protocol, data set and method that belong to the same data.
type StatusRow struct {
	Protocol, Dataset, Method string
	Fingerprint               string
	LastRun                   string // started_at of the newest cell
	LastSplit                 int
	OK, Failed, Timeout       int
	OOM, Crash, BadOutput     int // numbers of failed cells by class
	Seconds                   float64
}

// Status returns the counts of stored cells, sorted.
func (db *DB) Status(ctx context.Context) ([]StatusRow, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	return listOf(ctx, db, `SELECT protocol, dataset, method, fingerprint, max(started_at), max(split), sum(status = 'ok'), sum(status = 'failed'), sum(status = 'timeout'),
		  sum(failure IS 'oom'), sum(failure IS 'crash'), sum(failure IS 'bad-output'),
		  sum(search_seconds + coalesce(fit_seconds, 0) + coalesce(predict_seconds, 0))
		FROM results GROUP BY protocol, dataset, method, fingerprint ORDER BY protocol, dataset, method, max(started_at)`, func(s *StatusRow) []any {
		return []any{&s.Protocol, &s.Dataset, &s.Method, &s.Fingerprint, &s.LastRun, &s.LastSplit, &s.OK, &s.Failed, &s.Timeout, &s.OOM, &s.Crash, &s.BadOutput, &s.Seconds}
	})
}
