package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/kernelboosting/bench/harness/published"
)

// loadPublished makes the view published equal to the printed tables that the program has. It does not write
// to a database that already has them.
func (db *DB) loadPublished(ctx context.Context) error {
	want := published.Values()
	have, err := db.publishedValues(ctx)
	if err != nil {
		return err
	}
	if samePublished(want, have) {
		return nil
	}
	return db.inTransaction(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM published_values`); err != nil {
			return err
		}
		for _, p := range want {
			_, err := tx.ExecContext(ctx, `INSERT INTO published_values (source, dataset, method, mean, std) VALUES (?, ?, ?, ?, ?)`,
				p.Source, p.Dataset, p.Method, p.Mean, p.Std)
			if err != nil {
				return fmt.Errorf("published value of %s: %s on %s: %w", p.Source, p.Method, p.Dataset, err)
			}
		}
		return sealPublished(ctx, tx)
	})
}

func samePublished(a, b []published.Value) bool {
	if len(a) != len(b) {
		return false
	}
	type key struct{ source, dataset, method string }
	type value struct {
		mean, std float64
		hasStd    bool
	}
	of := func(p published.Value) value {
		if p.Std == nil {
			return value{mean: p.Mean}
		}
		return value{p.Mean, *p.Std, true}
	}
	values := make(map[key]value, len(a))
	for _, p := range a {
		values[key{p.Source, p.Dataset, p.Method}] = of(p)
	}
	for _, p := range b {
		if v, ok := values[key{p.Source, p.Dataset, p.Method}]; !ok || v != of(p) {
			return false
		}
	}
	return true
}

// publishedValues returns the printed values that the database holds.
func (db *DB) publishedValues(ctx context.Context) ([]published.Value, error) {
	rows, err := db.sql.QueryContext(ctx, `SELECT source, dataset, method, mean, std FROM published_values`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []published.Value
	for rows.Next() {
		var p published.Value
		if err := rows.Scan(&p.Source, &p.Dataset, &p.Method, &p.Mean, &p.Std); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, rows.Err()
}
