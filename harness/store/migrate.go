package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

//go:embed schema/version2.sql
var version2SQL string

// migrate brings the schema up to date, in one transaction a version.
func (db *DB) migrate(ctx context.Context) error {
	version, err := db.version(ctx)
	switch {
	case err != nil:
		return err
	case version > schemaVersion:
		return db.checkSchema(ctx) // says what to do
	case version == schemaVersion:
		return nil
	}
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db.sql, files, goose.WithSlog(slog.New(slog.DiscardHandler)),
		goose.WithGoMigrations(goose.NewGoMigration(2, &goose.GoFunc{RunTx: version2}, nil)))
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(5 * time.Second); ; {
		if _, err = p.Up(ctx); err == nil {
			return nil
		}
		// Another program may be doing the same at this moment.
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return err
		}
	}
}

// version2 is the migration to version 2.
func version2(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, version2SQL); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return err
	}
	return seal(ctx, tx)
}
