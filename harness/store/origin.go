package store

import "context"

// SetFiles returns, for each data set that a user's own file describes, the path that this file had when cells of
// the set ran last.
func (db *DB) SetFiles(ctx context.Context) (map[string]string, error) {
	if err := db.intact(ctx); err != nil {
		return nil, err
	}
	out := map[string]string{}
	return out, db.scanned(ctx, `SELECT dataset, path FROM set_files ORDER BY seen_at`, func(scan func(...any) error) error {
		var name, path string
		err := scan(&name, &path)
		out[name] = path
		return err
	})
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
	return out, db.scanned(ctx, `SELECT name, hash, text, path, splits FROM protocols ORDER BY seen_at`, func(scan func(...any) error) error {
		var p StoredProtocol
		err := scan(&p.Name, &p.Hash, &p.Text, &p.Path, &p.Splits)
		out[p.Name] = p
		return err
	})
}

// A DataName is the name of a data set with one fingerprint that stored cells have under this name.
type DataName struct {
	Dataset, Fingerprint string
	Cells                int
	LastRun              string // started_at of the newest cell
}

// DataNames lists the fingerprints of every name. Within a name the fingerprint that ran last comes last.
func (db *DB) DataNames(ctx context.Context) ([]DataName, error) {
	return listOf(ctx, db, `SELECT r.dataset, r.fingerprint, count(*), max(r.started_at)
		FROM cells c JOIN runs r ON r.id = c.run_id GROUP BY r.dataset, r.fingerprint ORDER BY r.dataset, max(r.started_at)`, func(d *DataName) []any {
		return []any{&d.Dataset, &d.Fingerprint, &d.Cells, &d.LastRun}
	})
}
