// Package store keeps what was run: one SQLite file, and the only package of the
// program with SQL in it.
//
// A [DB] is opened for writing (migrations are applied, one connection) or for
// reading (many connections, nothing can be changed). A [Writer] takes finished
// cells and commits them in groups: a cell and all its fold evaluations are in
// the database whole or not at all, and what a commit acknowledged survives the
// loss of power. The schema is in migrations/; its views (results, evaluations,
// published, history) are the contract for other programs, described in
// docs/results-schema.md.
//
// The package computes nothing about methods: means, ranks and tests belong to
// reports.
package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"time"

	sqlite3 "github.com/mattn/go-sqlite3"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// ErrNoDatabase is wrapped by OpenReader's error when the file does not exist.
var ErrNoDatabase = errors.New("no such database")

// DB is an open database file.
type DB struct {
	sql  *sql.DB
	path string
}

// Open opens the database at path for writing, creating it if needed, and brings
// its schema up to date. Several processes may have it open.
func Open(ctx context.Context, path string) (*DB, error) {
	db, err := connect(path, url.Values{
		"_journal_mode": {"WAL"}, "_synchronous": {"FULL"}, "_foreign_keys": {"on"},
		"_busy_timeout": {"5000"}, "_txlock": {"immediate"},
	})
	if err != nil {
		return nil, err
	}
	db.sql.SetMaxOpenConns(1)
	for _, step := range []func(context.Context) error{db.migrate, db.checkPragmas, db.loadPublished} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("database %s: %w", path, explain(err)), db.Close())
		}
	}
	return db, nil
}

// OpenReader opens the database at path for reading only.
func OpenReader(ctx context.Context, path string) (*DB, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s; `bench run` creates it, or name another with --db", ErrNoDatabase, path)
	}
	options := url.Values{"mode": {"ro"}, "_query_only": {"on"}, "_busy_timeout": {"5000"}}
	db, err := openChecked(ctx, path, options)
	var e sqlite3.Error
	if errors.As(err, &e) && (e.Code == sqlite3.ErrReadonly || e.Code == sqlite3.ErrCantOpen) && noLog(path) {
		// A file in a directory that cannot be written: an archive, which nobody changes.
		options.Set("immutable", "1")
		db, err = openChecked(ctx, path, options)
	}
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", path, explain(err))
	}
	return db, nil
}

// openChecked connects and reads once, since connecting alone opens nothing.
func openChecked(ctx context.Context, path string, options url.Values) (*DB, error) {
	db, err := connect(path, options)
	if err != nil {
		return nil, err
	}
	if _, err := db.one(ctx, `SELECT count(*) FROM cells`); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// noLog reports that no write-ahead log with content lies beside the file.
func noLog(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err != nil || info.Size() == 0
}

func connect(path string, options url.Values) (*DB, error) {
	dsn := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: options.Encode()}
	pool, err := sql.Open("sqlite3", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", path, err)
	}
	return &DB{sql: pool, path: path}, nil
}

// Close closes the database.
func (db *DB) Close() error { return db.sql.Close() }

// Path returns the path the database was opened with.
func (db *DB) Path() string { return db.path }

func (db *DB) migrate(ctx context.Context) error {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db.sql, files, goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	deadline := time.Now().Add(5 * time.Second)
	current, target, err := p.GetVersions(ctx)
	for err != nil && time.Now().Before(deadline) {
		time.Sleep(100 * time.Millisecond)
		current, target, err = p.GetVersions(ctx)
	}
	if err != nil {
		return err
	}
	if current > target {
		return fmt.Errorf("its schema is version %d and this program knows %d; use a newer bench", current, target)
	}
	for {
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

// checkPragmas reads back what the connection string asked for: a driver that
// ignores an option would otherwise cost durability silently.
func (db *DB) checkPragmas(ctx context.Context) error {
	for pragma, want := range map[string]any{
		"journal_mode": "wal", "synchronous": int64(2), "foreign_keys": int64(1), "busy_timeout": int64(5000),
	} {
		got, err := db.one(ctx, "PRAGMA "+pragma)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("PRAGMA %s is %v, not %v; is the file on a network file system? Keep results on a local disk", pragma, got, want)
		}
	}
	return nil
}

// one returns the single value of a query.
func (db *DB) one(ctx context.Context, query string, args ...any) (any, error) {
	var v any
	err := db.sql.QueryRowContext(ctx, query, args...).Scan(&v)
	return v, err
}

// explain adds what to do to the driver's shortest messages.
func explain(err error) error {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case sqlite3.ErrNotADB:
		return fmt.Errorf("%w; name a results database with --db", err)
	case sqlite3.ErrBusy:
		return fmt.Errorf("%w for 5 s by another program; close it and run again: nothing stored is lost", err)
	case sqlite3.ErrFull:
		return fmt.Errorf("%w; free space and run again: what was committed is kept", err)
	case sqlite3.ErrCantOpen, sqlite3.ErrReadonly, sqlite3.ErrPerm:
		return fmt.Errorf("%w; is its directory there and writable?", err)
	}
	return err
}
