package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strings"

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

// samePublished compares values in any order.
func samePublished(a, b []published.Value) bool {
	sorted := func(values []published.Value) []published.Value {
		return slices.SortedFunc(slices.Values(values), func(a, b published.Value) int {
			return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(a.Dataset, b.Dataset), strings.Compare(a.Method, b.Method))
		})
	}
	return reflect.DeepEqual(sorted(a), sorted(b))
}

// publishedValues returns the printed values that the database holds.
func (db *DB) publishedValues(ctx context.Context) ([]published.Value, error) {
	return listOf(ctx, db, `SELECT source, dataset, method, mean, std FROM published_values`, func(p *published.Value) []any {
		return []any{&p.Source, &p.Dataset, &p.Method, &p.Mean, &p.Std}
	})
}
