package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/kernelboosting/bench/harness/result"
)

// replaceAll stores rows of a table with checksums, all or none. Each replaces an older row with the same
// key.
func (db *DB) replaceAll(ctx context.Context, table sealed, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	return inTransaction(ctx, db.sql, func(tx *sql.Tx) error {
		for _, row := range rows {
			if err := table.insert(ctx, tx, "INSERT OR REPLACE", row...); err != nil {
				return err
			}
		}
		return nil
	})
}

// inTransaction keeps the writes of change if change returns no error, and none of them otherwise.
func inTransaction(ctx context.Context, in *sql.DB, change func(tx *sql.Tx) error) error {
	tx, err := in.BeginTx(ctx, nil)
	if err != nil {
		return explain(err)
	}
	defer func() { _ = tx.Rollback() }() // a no-op after Commit
	if err := change(tx); err != nil {
		return explain(err)
	}
	return explain(tx.Commit())
}

// NoteSkipped stores notes on the cells of out that exceed a limit, and removes the notes on the cells taken. Of taken
// only Protocol, Dataset, Method and Split are read.
func (db *DB) NoteSkipped(ctx context.Context, out, taken []result.Exclusion) error {
	out = result.OfKinds(out, result.TooLong, result.TooLarge, result.Decided)
	if len(out) == 0 && len(taken) == 0 {
		return nil
	}
	noted, err := db.Skipped(ctx, "")
	if err != nil {
		return err
	}
	type name struct {
		protocol, dataset, method string
		split                     int
	}
	there := map[name]bool{}
	for _, l := range noted {
		there[name{l.Protocol, l.Dataset, l.Method, l.Split}] = true
	}
	taken = slices.DeleteFunc(slices.Clone(taken), func(l result.Exclusion) bool {
		return !there[name{l.Protocol, l.Dataset, l.Method, l.Split}]
	})
	if len(out) == 0 && len(taken) == 0 {
		return nil // nothing to write, so no lock is needed
	}
	return inTransaction(ctx, db.sql, func(tx *sql.Tx) error {
		for _, l := range taken {
			if _, err := tx.ExecContext(ctx, `DELETE FROM skipped WHERE protocol = ? AND dataset = ? AND method = ? `+
				`AND split = ?`, l.Protocol, l.Dataset, l.Method, l.Split); err != nil {
				return err
			}
		}
		now := time.Now().UTC().Format(time.RFC3339)
		for _, l := range out {
			if err := sealedSkipped.insert(ctx, tx, "INSERT OR REPLACE", l.Protocol, l.Dataset, l.Method, l.Split,
				l.Why.Seconds, l.Why.Bytes, l.Why.Text, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// Skipped returns, sorted, the skipped cells for which no attempt is stored: those of one protocol, or for "" of
// all protocols.
func (db *DB) Skipped(ctx context.Context, protocol string) ([]result.Exclusion, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	out, err := listOf(ctx, db.sql, `SELECT l.protocol, l.dataset, l.method, l.split, l.seconds, l.bytes, l.reason
		FROM skipped l
		LEFT JOIN cells c USING (protocol, dataset, method, split)
		WHERE c.run_id IS NULL AND ?1 IN ('', l.protocol) ORDER BY l.protocol, l.dataset, l.method, l.split`,
		func(l *result.Exclusion) []any {
			return []any{&l.Protocol, &l.Dataset, &l.Method, &l.Split, &l.Why.Seconds, &l.Why.Bytes, &l.Why.Text}
		}, protocol)
	for i, l := range out {
		out[i].Why = result.Over(l.Why.Text, l.Why.Seconds, l.Why.Bytes)
	}
	return out, err
}
