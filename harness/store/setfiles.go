package store

import "context"

// SetFiles returns the TOML file of each data set of the user's own, by the set's
// name. No file is recorded yet.
func (db *DB) SetFiles(context.Context) (map[string]string, error) { return map[string]string{}, nil }
