package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
	sqlite3 "github.com/mattn/go-sqlite3"
)

// applicationID marks a file as a results database: "bnch", in the field of SQLite's header that is meant for
// this mark.
const applicationID = 0x626e6368

// schemaVersion is the version of the schema that migrate makes. It brings databases from oldestVersion on up to it.
// Programs before the first release made earlier versions, which are refused.
const (
	schemaVersion = 18
	oldestVersion = 15
)

// schemaHash is what the function definitions returns for this schema. A changed view would show other numbers.
const schemaHash = "7b9c164c840746d8698c2031dd443b2c08bd44c19d869ea9808247ea71ac22a2"

// IsDatabase reports whether the file at path is a database of SQLite.
func IsDatabase(path string) bool {
	head, err := headOf(path)
	return errors.Is(err, errConnected) || strings.HasPrefix(string(head), sqliteHeader)
}

// IsLog reports whether the file at path is one that SQLite keeps beside a database. It can hold stored results.
func IsLog(path string) bool {
	base := path
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		base = strings.TrimSuffix(base, suffix)
	}
	return base != path && IsDatabase(base)
}

// sqliteHeader begins every SQLite file. The application's mark is at byte 68 of headBytes.
const (
	sqliteHeader = "SQLite format 3\x00"
	headBytes    = 100
)

// recognise refuses an existing file that is not a results database, before anything is written to it. A new
// or an empty file passes.
func recognise(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("database %s: %w", path, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("database %s: it is not a regular file; name another with --db", path)
	case info.Size() == 0:
		return nil
	}
	head, err := headOf(path)
	switch {
	case errors.Is(err, errConnected): // it was recognised before
		return nil
	case err != nil:
		return fmt.Errorf("database %s: %w", path, err)
	}
	var mark uint32
	if len(head) == headBytes && strings.HasPrefix(string(head), sqliteHeader) {
		mark = binary.BigEndian.Uint32(head[68:])
	} else {
		if wasEmpty(path) {
			return nil
		}
		if mark, err = loggedMark(ctx, path); err != nil {
			return fmt.Errorf("database %s: it is not a SQLite file (%d bytes); it is left as it is, name another "+
				"with --db", path, info.Size())
		}
	}
	switch mark {
	case applicationID:
		return nil
	case 0: // another process is just creating the database, or it is another program's file
		return recogniseTables(ctx, path)
	}
	return foreign(path)
}

// loggedMark returns the application's mark of a file whose first page is in its log. If power was lost while
// SQLite copied that page from the log to the file, the file itself may hold anything.
func loggedMark(ctx context.Context, path string) (uint32, error) {
	if noLog(path) {
		return 0, errors.New("no log")
	}
	db, err := connect(path, readOnly())
	if err != nil {
		return 0, err
	}
	mark, err := db.one(ctx, "PRAGMA application_id")
	number, _ := mark.(int64)
	return uint32(number), errors.Join(err, db.Close())
}

// wasEmpty reports whether SQLite's journal beside a file says that the file was empty before. Then power was lost
// while SQLite wrote the first page, and SQLite will make the file empty again.
func wasEmpty(path string) bool {
	f, err := os.Open(path + "-journal")
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 20) // the mark, numbers of records and of the journal, pages of the file
	_, err = io.ReadFull(f, head)
	return err == nil && strings.HasPrefix(string(head), "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7") &&
		binary.BigEndian.Uint32(head[16:]) == 0
}

// recogniseTables refuses a file whose tables are not those of a results database.
func recogniseTables(ctx context.Context, path string) error {
	db, err := connect(path, readOnly())
	if err != nil {
		return err
	}
	_, err = db.version(ctx, db.sql)
	if e := (sqlite3.Error{}); errors.As(err, &e) {
		err = nil // the caller that opens the file next reports the error
	}
	return errors.Join(err, db.Close())
}

func foreign(path string) error {
	return fmt.Errorf("database %s: it is a SQLite file of another program; it is left as it is, name another with "+
		"--db", path)
}

var errUpgradable = errors.New("it lacks tables or columns of this program, which adds them when it can write the file")

// checkSchema demands the version and the definitions of this program.
func (db *DB) checkSchema(ctx context.Context) error {
	version, err := db.version(ctx, db.sql)
	switch {
	case err != nil:
		return err
	case version > schemaVersion:
		return fmt.Errorf("its schema is version %d and this program knows %d; use a newer bench", version,
			schemaVersion)
	case lacking(version) != "":
		return errUpgradable
	case version < schemaVersion:
		return fmt.Errorf("its schema is version %d, of a program before the first release, and this one reads "+
			"version %d; "+
			"it stays as it is and readable by the program that made it; use another database, and run the cells "+
			"again", version, schemaVersion)
	}
	have, err := db.definitions(ctx)
	if err == nil && have != schemaHash {
		err = errors.New("the definitions of its tables and views are not this program's: the file is damaged, or " +
			"another program changed it; restore a copy, or use another database")
	}
	for table, views := range tablesOfScores {
		for _, of := range append([]string{table}, views...) {
			if fields, failed := db.missing(ctx, table, of); err == nil && (failed != nil || fields != nil) {
				err = cmp.Or(failed, errUpgradable)
			}
		}
	}
	return err
}

// version returns the schema's version: 0 for a file without any table.
func (db *DB) version(ctx context.Context, q queryer) (version int64, err error) {
	var tables, ours, listed int64
	err = scanned(ctx, q, `SELECT count(*), coalesce(sum(name IN ('runs', 'fold_counts', 'grid_points')), 0),
		coalesce(sum(name = 'goose_db_version'), 0)
		FROM sqlite_schema WHERE type = 'table'`, func(scan func(...any) error) error {
		return scan(&tables, &ours,
			&listed)
	})
	if err != nil || tables == 0 {
		return 0, err
	}
	if ours != 3 {
		return 0, foreign(db.path)
	}
	query := `PRAGMA user_version`
	if listed > 0 { // until version 13 a table had the version
		query = `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`
	}
	err = scanned(ctx, q, query, func(scan func(...any) error) error { return scan(&version) })
	return version, err
}

// definitions hashes the tables and views of this program without the columns of scores that end their lists of
// columns: addFields may have added some. Tables and views of a user do not count.
func (db *DB) definitions(ctx context.Context) (string, error) {
	sum := sha256.New()
	err := scanned(ctx, db.sql, `SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name`,
		func(scan func(...any) error) error {
			var name, text string
			err := scan(&name, &text)
			for _, f := range slices.Backward(result.Fields()) { // the last was added last
				text = strings.ReplaceAll(text, ", "+columnOf(f), "")
				if column, shown := shownBy[name]; shown {
					text = strings.ReplaceAll(text, ", "+column+f.Name+endOfColumns, endOfColumns)
				}
			}
			if slices.Contains(objects, name) {
				fmt.Fprintf(sum, "%s\x00%s\x00", name, text)
			}
			return err
		})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// objects are the tables and views of the schema.
var objects = []string{
	"canaries", "cells", "checksums", "code_checks", "comparisons", "environments", "evaluations", "findings",
	"fold_counts", "grid_points", "grid_tests", "grids", "history", "models",
	"point_tests", "protocols", "published", "published_values", "quoted_values", "results", "runs", "scores",
	"secrets", "seed_counts", "seed_tests", "set_files", "skipped", "stages", "state_checks", "underway",
	"underway_cells", "warnings", "yardsticks",
}
