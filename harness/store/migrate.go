package store

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed" // of the schema
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
)

//go:embed schema.sql
var schema string

// migrate makes the tables and views of a new database, and brings those of schemaOldest or later to schemaVersion. Then
// it adds the columns of fields of scores that the file lacks.
func (db *DB) migrate(ctx context.Context) error {
	version, err := db.version(ctx, db.sql)
	if err != nil || version > schemaVersion || version > 0 && version < schemaOldest {
		return err // checkSchema says how to handle another version
	}
	if version < schemaVersion {
		if err := db.upgrade(ctx); err != nil {
			return err
		}
	}
	return db.addFields(ctx)
}

// tablesOfScores are the tables whose last columns are those of scores, and the view that shows each.
var tablesOfScores = map[string]string{"runs": "history", "fold_counts": "evaluations", "point_tests": "grid_tests", "seed_counts": "seed_tests", "stages": ""}

// missing returns the fields of scores that a table lacks.
func (db *DB) missing(ctx context.Context, table string) (out []result.Field, err error) {
	have, err := texts(ctx, db.sql, `SELECT name FROM pragma_table_info(?)`, table)
	for _, f := range scoreFields(table == "runs") {
		if !slices.Contains(have, f.Name) {
			out = append(out, f)
		}
	}
	return out, err
}

// addFields adds columns for the fields of scores that the file lacks. They are NULL in all rows, and change no checksum.
func (db *DB) addFields(ctx context.Context) error {
	for table, view := range tablesOfScores {
		fields, err := db.missing(ctx, table)
		if err != nil {
			return err
		}
		for _, f := range fields {
			err := inTransaction(ctx, db.sql, func(tx *sql.Tx) error {
				_, err := tx.ExecContext(ctx, "ALTER TABLE "+table+" ADD COLUMN "+columnOf(f))
				for _, v := range []string{view, map[string]string{"history": "results"}[view]} {
					if err == nil && v != "" {
						err = addToView(ctx, tx, v, f.Name)
					}
				}
				return err
			})
			if err != nil {
				return err
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
var shownBy = map[string]string{"history": "r.", "results": "", "evaluations": "f.", "grid_tests": "t.", "seed_tests": "t."}

func addToView(ctx context.Context, tx *sql.Tx, view, column string) error {
	var text string
	if err := tx.QueryRowContext(ctx, `SELECT sql FROM sqlite_schema WHERE name = ?`, view).Scan(&text); err != nil {
		return err
	}
	text = strings.Replace(text, endOfColumns, ", "+shownBy[view]+column+endOfColumns, 1)
	_, err := tx.ExecContext(ctx, "DROP VIEW "+view+"; "+text)
	return err
}

// endOfColumns ends the list of columns of a view.
const endOfColumns = "\nFROM "

// upgrade makes the tables of a new database, or brings one of version 12 or 13 to this version, whole or not at all: the
// rows are compared with their checksums, copied to the tables of this version and given the checksums of this version.
func (db *DB) upgrade(ctx context.Context) (err error) {
	for _, pragma := range []string{"PRAGMA foreign_keys = 0", "PRAGMA legacy_alter_table = 1"} { // a table that is renamed is still the one that others refer to
		if _, err := db.sql.ExecContext(ctx, pragma); err != nil {
			return err
		}
	}
	defer func() {
		_, err2 := db.sql.ExecContext(context.WithoutCancel(ctx), "PRAGMA legacy_alter_table = 0; PRAGMA foreign_keys = 1")
		err = errors.Join(err, err2)
	}()
	return inTransaction(ctx, db.sql, func(tx *sql.Tx) error {
		version, err := db.version(ctx, tx)
		if err != nil || version == schemaVersion { // another program was faster
			return err
		}
		if version == 0 {
			_, err = tx.ExecContext(ctx, schema)
			return err
		}
		if bad, err := damageBefore14(ctx, tx); err != nil || bad != "" {
			return cmp.Or(err, fmt.Errorf("it is of version %d of the schema, and %s are not what was stored; "+
				"restore a copy, or let `bench db check --remove` of the program that made it take the damaged rows out", version, bad))
		}
		var tables []string
		err = scanned(ctx, tx, `SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'view')`, func(scan func(...any) error) error {
			var kind, name string
			err := scan(&kind, &name)
			if slices.Contains(objects, name) || name == "claims" {
				tables = append(tables, kind+" "+name)
			}
			return err
		})
		var before, after strings.Builder
		for _, t := range tables {
			kind, name, _ := strings.Cut(t, " ")
			if kind == "view" {
				before.WriteString("DROP VIEW " + name + ";")
			} else {
				before.WriteString("ALTER TABLE " + name + " RENAME TO old_" + name + ";")
			}
		}
		for _, step := range []string{before.String(), schema} {
			if err == nil {
				_, err = tx.ExecContext(ctx, step)
			}
		}
		if err != nil {
			return err
		}
		for _, t := range tables {
			kind, name, _ := strings.Cut(t, " ")
			if kind == "view" {
				continue
			}
			columns, err := texts(ctx, tx, `SELECT name FROM pragma_table_info(?1) WHERE name IN (SELECT name FROM pragma_table_info('old_' || ?1))`, name)
			if err != nil {
				return err
			}
			into, from := strings.Join(columns, ", "), strings.Join(columns, ", ")
			if name == "runs" {
				into, from = into+", kept_checksum", from+", 0"
			}
			// Version 12 had other tables of what is under way, without a result.
			if columns != nil && (version > 12 || !strings.HasPrefix(name, "underway")) {
				after.WriteString("INSERT INTO " + name + " (" + into + ") SELECT " + from + " FROM old_" + name + ";")
			}
			after.WriteString("DROP TABLE old_" + name + ";")
		}
		after.WriteString("DROP TABLE goose_db_version")
		if _, err := tx.ExecContext(ctx, after.String()); err != nil {
			return err
		}
		return Reseal(ctx, tx)
	})
}

// damageBefore14 names rows of a database of an earlier version that differ from their checksums, "" if there are none. Each
// row had a checksum, and each run one more of its folds and how many rows it had in other tables.
func damageBefore14(ctx context.Context, tx *sql.Tx) (bad string, err error) {
	for _, table := range strings.Fields(`runs cells environments set_files protocols stages point_tests seed_counts warnings code_checks skipped secrets
		canaries state_checks scores models`) {
		numbered := 0
		if table == "runs" || table == "environments" {
			numbered = 1
		}
		sumAt := 0
		err = eachNamed(ctx, tx, "SELECT * FROM "+table, func(names []string) error {
			sumAt = slices.Index(names, "checksum")
			return nil
		}, func(r []any) error {
			d := newDigest()
			if d.add(r[numbered:sumAt]...); d.value() != r[sumAt] {
				bad = "rows of table " + table
			}
			return nil
		})
		if err != nil || bad != "" {
			return bad, err
		}
	}
	for what, query := range map[string]string{
		"grids": `SELECT checksum, id, hash FROM grids`,
		"folds": `SELECT folds_checksum, id FROM runs`,
	} {
		rows := map[string]string{"grids": `SELECT grid_index, params, point FROM grid_points WHERE grid_id = ? ORDER BY grid_index`,
			"folds": `SELECT grid_index, fold, n_valid, n_correct, tn, fp, fn, tp, auc2, rmse, mae, r2, fit_seconds FROM fold_counts WHERE run_id = ? ORDER BY grid_index, fold`}[what]
		var owners [][]any
		err = each(ctx, tx, query, func(r []any) error { owners = append(owners, slices.Clone(r)); return nil })
		for _, o := range owners {
			d := newDigest()
			d.add(o[2:]...)
			if err == nil {
				err = each(ctx, tx, rows, func(r []any) error { d.add(r...); return nil }, o[1])
			}
			if d.value() != o[0] {
				bad = what
			}
		}
		if err != nil || bad != "" {
			return bad, err
		}
	}
	var gone int
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM runs r WHERE n_stages <> (SELECT count(*) FROM stages s WHERE s.run_id = r.id)
		OR n_warnings <> (SELECT count(*) FROM warnings w WHERE w.run_id = r.id)
		OR has_scores <> EXISTS (SELECT 1 FROM scores s WHERE s.run_id = r.id) OR has_model <> EXISTS (SELECT 1 FROM models m WHERE m.run_id = r.id)`).Scan(&gone)
	if gone > 0 {
		bad = "stages, warnings, scores or models of runs"
	}
	return bad, err
}
