package store

import "context"

// SetFiles returns, for each data set that a user's own file describes, the path of this file when cells of
// the set ran last.
func (db *DB) SetFiles(ctx context.Context) (map[string]string, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	out := map[string]string{}
	rows, err := db.sql.QueryContext(ctx, `SELECT dataset, path FROM set_files ORDER BY seen_at`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name, path string
		if err := rows.Scan(&name, &path); err != nil {
			return nil, err
		}
		out[name] = path
	}
	return out, rows.Err()
}

// A StoredProtocol is a protocol as it was when cells ran under it.
type StoredProtocol struct {
	Name, Hash string
	Text       string // TOML
	Path       string // where the TOML was read from; "" for a built-in protocol
	Splits     int
}

// Protocols returns, for each protocol with stored cells, the version that was used last. Cells in databases
// of older programs may have none.
func (db *DB) Protocols(ctx context.Context) (map[string]StoredProtocol, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	out := map[string]StoredProtocol{}
	rows, err := db.sql.QueryContext(ctx, `SELECT name, hash, text, path, splits FROM protocols ORDER BY seen_at`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var p StoredProtocol
		if err := rows.Scan(&p.Name, &p.Hash, &p.Text, &p.Path, &p.Splits); err != nil {
			return nil, err
		}
		out[p.Name] = p
	}
	return out, rows.Err()
}

// A DataName is the name of a data set with one fingerprint that stored cells have under this name.
type DataName struct {
	Dataset, Fingerprint string
	Cells                int
	LastRun              string // started_at of the newest cell
}

// DataNames lists the fingerprints of every name. The one that ran last is at the end of the name's rows.
func (db *DB) DataNames(ctx context.Context) ([]DataName, error) {
	rows, err := db.sql.QueryContext(ctx, `SELECT r.dataset, r.fingerprint, count(*), max(r.started_at)
		FROM cells c JOIN runs r ON r.id = c.run_id GROUP BY r.dataset, r.fingerprint ORDER BY r.dataset, max(r.started_at)`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []DataName
	for rows.Next() {
		var d DataName
		if err := rows.Scan(&d.Dataset, &d.Fingerprint, &d.Cells, &d.LastRun); err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, rows.Err()
}
