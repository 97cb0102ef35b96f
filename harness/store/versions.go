package store

import "context"

// A Version is a method with the version that it had when it ran.
type Version struct{ Method, Version string }

// Versions returns the versions of methods in the attempts of a protocol, sorted by method and then by their
// first run.
func (db *DB) Versions(ctx context.Context, protocol string) ([]Version, error) {
	return listOf(ctx, db, `SELECT method, method_version FROM runs WHERE protocol = ?
		GROUP BY method, method_version ORDER BY method, min(started_at), method_version`, func(v *Version) []any {
		return []any{&v.Method, &v.Version}
	}, protocol)
}

// RowsOf returns, for each data set and split of a protocol, the last attempt of a method version that ended ok,
// in the form of Rows. The attempt need not stand for its cell.
func (db *DB) RowsOf(ctx context.Context, protocol string, v Version, folds bool) ([]Row, error) {
	return db.rows(ctx, attempts{`SELECT id FROM (
		SELECT id, row_number() OVER (PARTITION BY dataset, split ORDER BY started_at DESC, id DESC) AS place FROM runs
		WHERE protocol = ? AND method = ? AND method_version = ? AND status = 'ok') WHERE place = 1`, []any{protocol, v.Method, v.Version}}, folds)
}

// VersionQuery returns the query over the public views that gives the splits of a method version: for each split
// the last attempt that ended ok. dataset selects one data set; "" selects all.
func VersionQuery(protocol, dataset string, v Version) string {
	of := ""
	if dataset != "" {
		of = " AND dataset = " + literal(dataset)
	}
	return "SELECT dataset, split, status, n_correct, n_test, tn, fp, fn, tp, rmse, mae, r2, max(started_at) AS started_at\nFROM history WHERE protocol = " +
		literal(protocol) + " AND method = " + literal(v.Method) + " AND method_version = " + literal(v.Version) + " AND status = 'ok'" + of +
		"\nGROUP BY dataset, split ORDER BY dataset, split"
}
