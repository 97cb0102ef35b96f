package store

import (
	"context"
	"database/sql"
	_ "embed" // of the schema
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
)

//go:embed schema.sql
var schema string

// migrate makes the tables and views that a database lacks, and adds the columns of fields of scores that the file
// lacks. Databases of versions before oldestVersion are refused.
func (db *DB) migrate(ctx context.Context) error {
	version, err := db.version(ctx, db.sql)
	if err == nil && lacking(version) != "" {
		if err = db.exclusively(ctx, version); err == nil {
			err = inTransaction(ctx, db.sql, func(tx *sql.Tx) error {
				now, err := db.version(ctx, tx)
				if err == nil { // nothing is lacking if another program was faster
					_, err = tx.ExecContext(ctx, lacking(now))
				}
				return err
			})
		}
		for _, pragma := range []string{"locking_mode = NORMAL", "journal_mode = WAL"} {
			if err == nil {
				_, err = db.one(ctx, "PRAGMA "+pragma)
			}
		}
	}
	if err != nil || lacking(version) == "" && version != schemaVersion {
		return err // checkSchema says how to handle another version
	}
	return db.addFields(ctx)
}

// exclusively lets no other program open a file of an older version, and fails if one has it open: else its log cannot
// end. A new file is made by whoever is faster.
func (db *DB) exclusively(ctx context.Context, version int64) error {
	if version == 0 {
		return nil
	}
	_, err := db.one(ctx, "PRAGMA locking_mode = EXCLUSIVE")
	if err == nil {
		_, err = db.one(ctx, "PRAGMA journal_mode = DELETE")
	}
	if now, _ := db.version(ctx, db.sql); err == nil || now == schemaVersion { // another program was faster
		return nil
	}
	return fmt.Errorf("its schema is version %d, and becomes %d once no other program has the file open: %w", version,
		schemaVersion, err)
}

// lacking is the part of the schema that databases of a version do not have; "" for those that stay as they are.
func lacking(version int64) string {
	switch {
	case version == 0:
		return schema
	case version < oldestVersion || version >= schemaVersion:
		return ""
	}
	return schema[strings.Index(schema, fmt.Sprintf("PRAGMA user_version = %d;", version+1)):]
}

// tablesOfScores are the tables whose last columns are those of scores, and the views that show each.
var tablesOfScores = map[string][]string{"runs": {"history", "results"}, "fold_counts": {"evaluations"},
	"point_tests": {"grid_tests"}, "seed_counts": {"seed_tests"}, "stages": nil}

// missing returns the fields of scores that a table lacks, or that a view of it lacks and schema.sql does not name.
func (db *DB) missing(ctx context.Context, table, of string) (out []result.Field, err error) {
	have, err := texts(ctx, db.sql, `SELECT name FROM pragma_table_info(?)`, of)
	for _, f := range scoreFields(table == "runs") {
		if !slices.Contains(have, f.Name) && (of == table || !strings.Contains(schema, f.Name)) {
			out = append(out, f)
		}
	}
	return out, err
}

// addFields adds columns for the fields of scores that the file lacks, which are NULL in all rows and change no
// checksum, and adds them to views, which an upgrade makes anew.
func (db *DB) addFields(ctx context.Context) error {
	for table, views := range tablesOfScores {
		for _, of := range append([]string{table}, views...) {
			fields, err := db.missing(ctx, table, of)
			if err != nil {
				return err
			}
			for _, f := range fields {
				err := inTransaction(ctx, db.sql, func(tx *sql.Tx) error {
					if of != table {
						return addToView(ctx, tx, of, f.Name)
					}
					_, err := tx.ExecContext(ctx, "ALTER TABLE "+table+" ADD COLUMN "+columnOf(f))
					return err
				})
				if left, unknown := db.missing(ctx, table, of); unknown == nil &&
					!slices.ContainsFunc(left, func(g result.Field) bool { return g.Name == f.Name }) {
					continue // another program may have added it meanwhile
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// columnOf is the definition of an added column.
func columnOf(f result.Field) string {
	if f.Kind == result.Real {
		return f.Name + " REAL"
	}
	return f.Name + " INTEGER"
}

// shownBy is how a view names the table whose columns it shows.
var shownBy = map[string]string{"history": "r.", "results": "", "evaluations": "f.", "grid_tests": "t.",
	"seed_tests": "t."}

func addToView(ctx context.Context, tx *sql.Tx, view, column string) error {
	var text string
	if err := tx.QueryRowContext(ctx, `SELECT sql FROM sqlite_schema WHERE name = ?`, view).Scan(&text); err != nil {
		return err
	}
	added := ", " + shownBy[view] + column
	if strings.Contains(text, added+",") || strings.Contains(text, added+endOfColumns) {
		return nil // another program was faster
	}
	text = strings.Replace(text, endOfColumns, added+endOfColumns, 1)
	_, err := tx.ExecContext(ctx, "DROP VIEW "+view+"; "+text)
	return err
}

const endOfColumns = "\nFROM "
