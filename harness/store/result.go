package store

import (
	"context"

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
