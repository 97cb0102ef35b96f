package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/experiments"
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
func sortedPublished() []experiments.Value {
	return slices.SortedFunc(slices.Values(experiments.Values()), func(a, b experiments.Value) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(a.Dataset, b.Dataset),
			strings.Compare(a.Method, b.Method))
	})
}

// Quoted returns the imported values of printed tables, by source, data set and method.
func (db *DB) Quoted(ctx context.Context) ([]experiments.Value, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	return quoted(ctx, db.sql, "")
}

// quoted returns the imported values of a source, or of all sources for "".
func quoted(ctx context.Context, q queryer, source string) ([]experiments.Value, error) {
	values, err := listOf(ctx, q, `SELECT source, dataset, method, unit, mean, deviation, n, protocol,
		same_splits FROM quoted_values WHERE ? IN ('', source) ORDER BY source, dataset, method`,
		func(v *experiments.Value) []any {
			v.Quoted = &experiments.Quoted{}
			return []any{&v.Source, &v.Dataset, &v.Method, &v.Unit, &v.Mean, &v.Std, &v.Quoted.N, &v.Quoted.Protocol,
				&v.Quoted.SameSplits}
		}, source)
	for i := range values {
		if values[i].Std != nil {
			values[i].Spread = experiments.Deviation
		}
	}
	return values, err
}

// PutQuoted stores printed values of one source. It returns how many are new or other than those of the database, and
// those of the database that they contradict: the source has another value of the same method and set there. Then
// nothing is stored, unless replace says that the database keeps no older value of the source.
func (db *DB) PutQuoted(ctx context.Context, source string, values []experiments.Value, replace bool) (
	fresh int, contradicted []experiments.Value, err error) {
	err = inTransaction(ctx, db.sql, func(tx *sql.Tx) error {
		stored, err := quoted(ctx, tx, source)
		if err != nil {
			return err
		}
		kept := values
		if !replace {
			kept = nil
		}
		for _, v := range values {
			i := slices.IndexFunc(stored, func(s experiments.Value) bool {
				return s.Dataset == v.Dataset && s.Method == v.Method
			})
			switch {
			case i >= 0 && reflect.DeepEqual(stored[i], v):
				continue
			case i >= 0:
				contradicted = append(contradicted, stored[i])
			}
			if fresh++; !replace {
				kept = append(kept, v)
			}
		}
		if replace {
			_, err = tx.ExecContext(ctx, `DELETE FROM quoted_values WHERE source = ?`, source)
		} else if contradicted != nil {
			return nil
		}
		for _, v := range kept {
			if err == nil {
				err = sealedQuoted.insert(ctx, tx, "INSERT", v.Source, v.Dataset, v.Method, v.Unit, v.Mean,
					value(v.Std), value(v.Quoted.N), v.Quoted.Protocol, v.Quoted.SameSplits)
			}
		}
		return err
	})
	return fresh, contradicted, err
}
