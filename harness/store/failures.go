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

// A FailureShown is a group of cells of a method that failed for the same reason. Stderr is what the last of these
// cells wrote to standard error.
type FailureShown struct {
	Method, Dataset string // of the last cell
	Split           int
	Status          result.Status
	Class           result.Class
	Error, Stderr   string
	Cells           int
}

// LastFailures returns how cells of a protocol failed, the last failure first, and at most most rows. It compares
// no checksums.
func (db *DB) LastFailures(ctx context.Context, protocol string, most int) ([]FailureShown, error) {
	var started string // selecting max(started_at) makes SQLite take the other columns from the last cell's row
	return listOf(ctx, db, `SELECT r.method, r.dataset, r.split, r.status, r.class, coalesce(r.error, ''), r.stderr, count(*), max(r.started_at)
		FROM cells c JOIN runs r ON r.id = c.run_id WHERE c.protocol = ? AND r.status <> 'ok'
		GROUP BY r.method, r.status, r.class, r.error ORDER BY 9 DESC LIMIT ?`, func(f *FailureShown) []any {
		return []any{&f.Method, &f.Dataset, &f.Split, &f.Status, &f.Class, &f.Error, &f.Stderr, &f.Cells, &started}
	}, protocol, most)
}
