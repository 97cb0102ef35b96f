package store

import (
	"context"
	"database/sql"
	"slices"
	"time"
)

// A Skipped is a cell that a run was asked for and skipped because of a prediction.
type Skipped struct {
	Protocol, Dataset, Method string
	Split                     int
	Seconds                   float64 // predicted, on one core
	Bytes                     int64   // predicted memory, including that of the data set
	Reason                    string  // the option that the cell exceeded, such as "--max-cell 30m"
}

// NoteSkipped stores notes on the cells out, which a run skips, and removes the notes on the cells taken. Of taken
// only Protocol, Dataset, Method and Split are read.
func (db *DB) NoteSkipped(ctx context.Context, out, taken []Skipped) error {
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
	taken = slices.DeleteFunc(slices.Clone(taken), func(l Skipped) bool { return !there[name{l.Protocol, l.Dataset, l.Method, l.Split}] })
	if len(out) == 0 && len(taken) == 0 {
		return nil // nothing to write, so no lock is needed
	}
	return inTransaction(ctx, db.sql, func(tx *sql.Tx) error {
		for _, l := range taken {
			if _, err := tx.ExecContext(ctx, `DELETE FROM skipped WHERE protocol = ? AND dataset = ? AND method = ? AND split = ?`, l.Protocol, l.Dataset, l.Method, l.Split); err != nil {
				return err
			}
		}
		now := time.Now().UTC().Format(time.RFC3339)
		for _, l := range out {
			if err := sealedSkipped.insert(ctx, tx, "INSERT OR REPLACE", []any{l.Protocol, l.Dataset, l.Method, l.Split, l.Seconds, l.Bytes, l.Reason, now}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Skipped returns, sorted, the skipped cells for which no attempt is stored: those of one protocol, or for "" of
// all protocols.
func (db *DB) Skipped(ctx context.Context, protocol string) ([]Skipped, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	return listOf(ctx, db.sql, `SELECT l.protocol, l.dataset, l.method, l.split, l.seconds, l.bytes, l.reason FROM skipped l
		LEFT JOIN cells c USING (protocol, dataset, method, split)
		WHERE c.run_id IS NULL AND ?1 IN ('', l.protocol) ORDER BY l.protocol, l.dataset, l.method, l.split`, func(l *Skipped) []any {
		return []any{&l.Protocol, &l.Dataset, &l.Method, &l.Split, &l.Seconds, &l.Bytes, &l.Reason}
	}, protocol)
}
