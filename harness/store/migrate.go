package store

import (
	"context"
	"embed"
	"io/fs"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// createsFor is how long migrate tries again when it cannot make the tables. Tests shorten it.
var createsFor = 5 * time.Second

// migrate makes the tables and views of a new database, and brings a database of schemaOldest or later to
// schemaVersion.
func (db *DB) migrate(ctx context.Context) error {
	version, err := db.version(ctx)
	if err != nil || version >= schemaVersion || version > 0 && version < schemaOldest {
		return err // checkSchema says how to handle another version
	}
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db.sql, files, goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(createsFor); ; {
		if _, err = p.Up(ctx); err == nil {
			return nil
		}
		// Another program may have done the same meanwhile, or be doing it at this moment.
		if version, unknown := db.version(ctx); unknown == nil && version >= schemaVersion {
			return nil
		}
		if time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}
