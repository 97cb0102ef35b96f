package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/published"
)

// loadPublished makes the view published equal to the printed tables that the program has. It does not write
// to a database that already has them.
func (db *DB) loadPublished(ctx context.Context) error {
	want := sortedPublished()
	d := newDigest()
	for _, p := range want {
		d.add(p.Source, p.Dataset, p.Method, p.Unit, p.Mean, value(p.Std), p.Spread, value(p.Folds))
	}
	if have, err := publishedSum(ctx, db.sql); err != nil || have == d.value() {
		return err
	}
	return inTransaction(ctx, db.sql, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM published_values`); err != nil {
			return err
		}
		for _, p := range want {
			_, err := tx.ExecContext(ctx, `INSERT INTO published_values (source, dataset, method, unit, mean, std,
				spread, folds)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
				p.Source, p.Dataset, p.Method, p.Unit, p.Mean, p.Std, p.Spread, p.Folds)
			if err != nil {
				return fmt.Errorf("published value of %s: %s on %s: %w", p.Source, p.Method, p.Dataset, err)
			}
		}
		return sealPublished(ctx, tx)
	})
}

// sortedPublished returns the printed values in the order of publishedSum.
func sortedPublished() []published.Value {
	return slices.SortedFunc(slices.Values(published.Values()), func(a, b published.Value) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(a.Dataset, b.Dataset),
			strings.Compare(a.Method, b.Method))
	})
}
