// Package store keeps runs: in one SQLite file. It is the only package of the program with SQL.
//
// A [DB] is opened for writing (one connection) or for reading (many connections, nothing can be changed). A
// [Writer] takes finished cells and commits them in groups. A cell and all its evaluations are in the
// database whole or not at all. A committed cell survives the loss of power. A Writer waits as long as another program
// or a full disk keeps it from writing. The schema is in schema.sql. Its views (results, evaluations, published,
// history) are the contract with other programs, and docs/reference/results-schema.md describes them. A checksum covers
// all rows of a cell, and each other row has its own ([DB.Check]). Functions that read rows first compare the
// checksums.
//
// The package computes nothing about methods: means, ranks and tests belong to reports.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/system/scarcity"
	sqlite3 "github.com/mattn/go-sqlite3"
)

// ErrNoDatabase is wrapped by OpenReader's error when the file does not exist.
var ErrNoDatabase = errors.New("no such database")

// DB is an open database file.
type DB struct {
	sql  *sql.DB
	path string
	file os.FileInfo // the file when it was opened

	closed func() // takes the connection from connected

	memory int64 // bytes that a query may take; 0 for any number

	// Possible says for Check and Repair why a cell cannot end with a run, where more is known of it than its protocol.
	// It may be nil.
	Possible func(result.Run) error

	checked  sync.Mutex // guards compared
	compared bool       // rows were compared with their checksums
	damage   error
}

// Open opens the database at path for writing and creates it if needed. Several processes may have it open. A
// file that is not a results database is refused and stays as it is.
func Open(ctx context.Context, path string) (*DB, error) {
	if err := recognise(ctx, path); err != nil {
		return nil, err
	}
	if not := mayWrite(path); not != "" {
		return nil, scarcity.Refused(fmt.Errorf("database %s: the %s is not writable; give it the permission, copy "+
			"the database elsewhere, or name another with --db", path, not))
	}
	db, err := connect(path, url.Values{
		"_journal_mode": {"WAL"}, "_synchronous": {"FULL"}, "_foreign_keys": {"on"},
		"_busy_timeout": {"5000"}, "_txlock": {"immediate"}, "_stmt_cache_size": {"32"},
	})
	if err != nil {
		return nil, err
	}
	db.sql.SetMaxOpenConns(1)
	for _, step := range []func(context.Context) error{db.migrate, db.checkPragmas, db.checkSchema, db.loadPublished} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("database %s: %w", path, explain(err)), db.Close())
		}
	}
	if db.file, err = os.Stat(path); err != nil {
		return nil, errors.Join(fmt.Errorf("database %s: %w", path, err), db.Close())
	}
	return db, nil
}

// OpenReader opens the database at path for reading only.
func OpenReader(ctx context.Context, path string) (*DB, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s; `bench run` creates it, or name another with --db", ErrNoDatabase, path)
	}
	if err := recognise(ctx, path); err != nil {
		return nil, err
	}
	db, err := openChecked(ctx, path)
	if errors.Is(err, errUpgradable) {
		writer, failed := Open(ctx, path)
		if failed != nil {
			return nil, fmt.Errorf("%w: %w", err, failed)
		}
		if err := writer.Close(); err != nil {
			return nil, err
		}
		db, err = openChecked(ctx, path)
	}
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", path, explain(err))
	}
	return db, nil
}

// openChecked connects and reads once, since connecting does not open the file.
func openChecked(ctx context.Context, path string) (*DB, error) {
	// A log lies beside the file itself, not beside a link to it.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	options := readOnly()
	db, err := tryReader(ctx, path, options)
	var e sqlite3.Error
	if !errors.As(err, &e) || !slices.Contains([]sqlite3.ErrNo{sqlite3.ErrReadonly, sqlite3.ErrCantOpen,
		sqlite3.ErrFull, sqlite3.ErrIoErr}, e.Code) {
		return db, err
	}
	if !noLog(path) {
		return nil, fmt.Errorf("%w: %s-wal holds rows that are not in the file yet, and its folder cannot be written "+
			"or its disk is full; copy both files elsewhere", err, path)
	}
	// SQLite needs a file of shared memory beside the database, and could not make it. If the directory cannot
	// be written, the database is an archive, which nobody changes. If the disk is full, no other program can
	// begin to change the database, since it needs the same file. A program that already has that file lets
	// readers in.
	options.Set("immutable", "1")
	return tryReader(ctx, path, options)
}

func readOnly() url.Values {
	return url.Values{"mode": {"ro"}, "_query_only": {"on"}, "_stmt_cache_size": {"16"}, "_busy_timeout": {"5000"}}
}

func tryReader(ctx context.Context, path string, options url.Values) (*DB, error) {
	db, err := connect(path, options)
	if err != nil {
		return nil, err
	}
	if err := db.checkSchema(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// noLog reports whether the file has no write-ahead log with content.
func noLog(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err != nil || info.Size() == 0
}

func connect(path string, options url.Values) (*DB, error) {
	escaped := (&url.URL{Path: path}).EscapedPath()
	if strings.HasPrefix(path, "/") { // otherwise //x would be a host
		escaped = "//" + escaped
	}
	pool, err := sql.Open(driverName(), "file:"+escaped+"?"+options.Encode())
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", path, err)
	}
	return &DB{sql: pool, path: path, closed: count(path)}, nil
}

// Close closes the database.
func (db *DB) Close() error {
	defer db.closed()
	return db.sql.Close()
}

// Path returns the path the database was opened with.
func (db *DB) Path() string { return db.path }

// checkPragmas reads back the options of the connection string: a driver that ignores an option would
// otherwise cost durability silently.
func (db *DB) checkPragmas(ctx context.Context) error {
	for pragma, want := range map[string]any{
		"journal_mode": "wal", "synchronous": int64(2), "foreign_keys": int64(1), "busy_timeout": int64(5000),
	} {
		got, err := db.one(ctx, "PRAGMA "+pragma)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("PRAGMA %s is %v, not %v; is the file on a network file system? Keep results on a local "+
				"disk", pragma, got, want)
		}
	}
	return nil
}

func (db *DB) one(ctx context.Context, query string, args ...any) (any, error) {
	var v any
	err := db.sql.QueryRowContext(ctx, query, args...).Scan(&v)
	return v, err
}

// Scarce reports whether the system refused what SQLite needed: memory, file descriptors, room on a disk.
func Scarce(err error) bool {
	var e sqlite3.Error
	full := []sqlite3.ErrNo{sqlite3.ErrFull, sqlite3.ErrIoErr, sqlite3.ErrNomem}
	return errors.As(err, &e) && (slices.Contains(full, e.Code) || scarcity.Is(e.SystemErrno))
}

// explain adds advice to the driver's shortest messages, once.
func explain(err error) error {
	var e sqlite3.Error
	if known := (explained{}); !errors.As(err, &e) || errors.As(err, &known) {
		return err
	}
	advice := ""
	switch e.Code {
	case sqlite3.ErrNotADB:
		advice = "; name a results database with --db"
	case sqlite3.ErrCorrupt:
		advice = ": its file is damaged; restore a copy"
	case sqlite3.ErrBusy:
		advice = ": another program holds it; close that program or wait"
	case sqlite3.ErrFull:
		advice = "; free space on its disk"
	case sqlite3.ErrCantOpen, sqlite3.ErrReadonly, sqlite3.ErrPerm:
		advice = "; is its directory there and writable?"
	default:
		return err
	}
	return explained{err, advice}
}

// explained is an error of the driver with advice.
type explained struct {
	error
	advice string
}

func (e explained) Error() string { return e.error.Error() + e.advice }
func (e explained) Unwrap() error { return e.error }
