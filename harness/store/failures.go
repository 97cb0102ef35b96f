package store

import (
	"context"

	"github.com/kernelboosting/bench/harness/result"
)

// A FailureRow counts stored cells of a method on a data set that failed for the same reason.
type FailureRow struct {
	Protocol, Dataset, Method, Fingerprint string
	Status                                 result.Status
	Class                                  result.Class
	Error                                  string
	Cells                                  int
}

// Failures returns how stored cells failed, sorted.
func (db *DB) Failures(ctx context.Context) ([]FailureRow, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	return listOf(ctx, db, `SELECT protocol, dataset, method, fingerprint, status, coalesce(failure, ''), coalesce(error, ''), count(*)
		FROM results WHERE status <> 'ok' GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 3, 2, 4, 5, 6, 7`, func(f *FailureRow) []any {
		return []any{&f.Protocol, &f.Dataset, &f.Method, &f.Fingerprint, &f.Status, &f.Class, &f.Error, &f.Cells}
	})
}
