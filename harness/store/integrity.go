package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	sqlite3 "github.com/mattn/go-sqlite3"
)

// A sealed table has in every row a checksum of the columns given: all but the checksum itself and the row's number.
type sealed struct {
	table   string
	columns []string
	format  string // of a row's name for people, from the values of those columns
}

// These are the sealed tables.
var (
	sealedRuns = sealed{"runs", strings.Fields(`key protocol protocol_hash method method_version dataset fingerprint split task status error
		grid_id selected n_train n_test n_features n_correct tn fp fn tp auc2 rmse mae r2 cv_accuracy
		search_seconds fit_seconds predict_seconds cpu_seconds peak_rss_bytes model_bytes cost_units
		timeout_seconds started_at environment_id n_folds folds_checksum scores_hash
		logloss brier ece class isolated stderr code imported has_scores has_model n_stages n_warnings`), "%[4]v on %[6]v, split %[8]v"}
	sealedCells        = sealed{"cells", strings.Fields(`protocol dataset method split run_id`), "%[3]v on %[2]v, split %[4]v"}
	sealedEnvironments = sealed{"environments", strings.Fields(`hash program_version vcs_revision vcs_modified go_version os arch kernel cpu cores memory_bytes`), "environment %[1]v"}
	sealedSetFiles     = sealed{"set_files", strings.Fields(`dataset fingerprint path seen_at`), "file of data set %[1]v"}
	sealedProtocols    = sealed{"protocols", strings.Fields(`name hash text path splits seen_at`), "protocol %[1]v"}
	sealedScores       = sealed{"scores", strings.Fields(`run_id outputs data`), "scores of run %[1]v"}
	sealedStages       = sealed{"stages", strings.Fields(`run_id round n_test n_correct tn fp fn tp auc2 rmse mae r2`), "stage %[2]v of run %[1]v"}
	sealedPointTests   = sealed{"point_tests", strings.Fields(`run_id grid_index n_test n_correct tn fp fn tp auc2 rmse mae r2`), "test of grid point %[2]v of run %[1]v"}
	sealedSeedCounts   = sealed{"seed_counts", strings.Fields(`run_id number seeds seed scores_hash n_test n_correct tn fp fn tp auc2 rmse mae r2`), "test with seed %[4]v of run %[1]v"}
	sealedWarnings     = sealed{"warnings", strings.Fields(`run_id number text times`), "warning %[2]v of run %[1]v"}
	sealedModels       = sealed{"models", strings.Fields(`run_id features labels mean scale target_mean target_scale data`), "model of run %[1]v"}
	sealedCodeChecks   = sealed{"code_checks", strings.Fields(`method method_version stored_code code same checked_at`), "check of the code of %[1]v"}
	sealedSkipped      = sealed{"skipped", strings.Fields(`protocol dataset method split seconds bytes reason said_at`), "%[3]v on %[2]v, split %[4]v, skipped"}
	sealedSecrets      = sealed{"secrets", strings.Fields(`what value`), "secret of %[1]v"}
	sealedCanaries     = sealed{"canaries", strings.Fields(`key protocol protocol_hash method method_version dataset fingerprint split status class error
		n_test n_correct rmse r2 constant p timeout_seconds started_at`), "canary of %[4]v on %[6]v"}
	sealedStateChecks = sealed{"state_checks", strings.Fields(`protocol protocol_hash method method_version dataset fingerprint split same differs checked_at`), "check of the state of %[3]v on %[5]v, split %[7]v"}

	byRow = []sealed{sealedRuns, sealedCells, sealedEnvironments, sealedSetFiles, sealedProtocols, sealedStages, sealedPointTests, sealedSeedCounts, sealedWarnings, sealedCodeChecks, sealedSkipped, sealedSecrets, sealedCanaries, sealedStateChecks,
		sealedScores, sealedModels}

	foldColumns = strings.Fields(`grid_index fold n_valid n_correct tn fp fn tp auc2 rmse mae r2 fit_seconds`)
)

func (s sealed) name(row []any) string { return fmt.Sprintf(s.format, row...) }

// A queryer is a database or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// each hands over every row of a query. A row is valid during the call.
func each(ctx context.Context, q queryer, query string, row func([]any) error, args ...any) error {
	return eachNamed(ctx, q, query, func([]string) error { return nil }, row, args...)
}

// eachNamed is each, but hands over the names of the columns first.
func eachNamed(ctx context.Context, q queryer, query string, columns func([]string) error, row func([]any) error, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	if err := columns(names); err != nil {
		return err
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := row(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// scanned runs a query and calls row for each of its rows, which scan reads.
func scanned(ctx context.Context, q queryer, query string, row func(scan func(...any) error) error, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// listOf runs a query and returns a value for each of its rows. fields returns the pointers that a row is scanned
// into.
func listOf[T any](ctx context.Context, q queryer, query string, fields func(*T) []any, args ...any) (out []T, err error) {
	err = scanned(ctx, q, query, func(scan func(...any) error) error {
		var v T
		err := scan(fields(&v)...)
		out = append(out, v)
		return err
	}, args...)
	return out, err
}

// texts returns the only column of a query.
func texts(ctx context.Context, q queryer, query string, args ...any) ([]string, error) {
	return listOf(ctx, q, query, func(s *string) []any { return []any{s} }, args...)
}

// rows hands over the number, the checksum and the covered columns of every row.
func (s sealed) rows(ctx context.Context, q queryer, row func(id any, sum int64, columns []any) error) error {
	number := "rowid"
	if s.table != "runs" && s.table != "environments" { // only runs and environments have row numbers
		number = "0"
	}
	query := "SELECT " + number + ", checksum, " + strings.Join(s.columns, ", ") + " FROM " + s.table
	return each(ctx, q, query, func(r []any) error {
		sum, ok := r[1].(int64)
		if !ok {
			return fmt.Errorf("%s: a checksum is no number: %w", s.table, sqlite3.Error{Code: sqlite3.ErrCorrupt})
		}
		return row(r[0], sum, r[2:])
	})
}

// A foldSum is the number and the checksum that a run keeps of its rows in fold_counts.
type foldSum struct {
	rows     int64
	checksum int64
}

// foldSums computes the sums of the runs of a span that have folds, in ascending order.
func foldSums(ctx context.Context, q queryer, s span, yield func(run int64, sum foldSum)) error {
	var run, rows int64
	d := newDigest()
	flush := func() {
		if rows > 0 {
			yield(run, foldSum{rows, d.value()})
		}
		d, rows = newDigest(), 0
	}
	query := "SELECT run_id, " + strings.Join(foldColumns, ", ") + " FROM fold_counts WHERE run_id BETWEEN ? AND ? ORDER BY run_id, grid_index, fold"
	err := each(ctx, q, query, func(r []any) error {
		id, ok := r[0].(int64)
		if !ok {
			return sqlite3.Error{Code: sqlite3.ErrCorrupt}
		}
		if id != run {
			flush()
			run = id
		}
		rows++
		d.add(r[1:]...)
		return nil
	}, s.from, s.to-1)
	if err == nil {
		flush()
	}
	return err
}

func gridSums(ctx context.Context, q queryer, yield func(id int64, hash string, sum, stored int64)) error {
	type grid struct {
		id, stored int64
		hash       string
	}
	var grids []grid
	digests := map[int64]*digest{}
	err := each(ctx, q, `SELECT id, hash, checksum FROM grids ORDER BY id`, func(r []any) error {
		id, ok1 := r[0].(int64)
		hash, ok2 := r[1].(string)
		stored, ok3 := r[2].(int64)
		if !ok1 || !ok2 || !ok3 {
			return sqlite3.Error{Code: sqlite3.ErrCorrupt}
		}
		grids = append(grids, grid{id, stored, hash})
		digests[id] = newDigest()
		digests[id].add(hash)
		return nil
	})
	if err != nil {
		return err
	}
	err = each(ctx, q, `SELECT grid_id, grid_index, params, point FROM grid_points ORDER BY grid_id, grid_index`, func(r []any) error {
		id, _ := r[0].(int64)
		if d := digests[id]; d != nil { // checkReferences finds a grid point without a grid
			d.add(r[1:]...)
		}
		return nil
	})
	for _, g := range grids {
		yield(g.id, g.hash, digests[g.id].value(), g.stored)
	}
	return err
}

func publishedSum(ctx context.Context, q queryer) (int64, error) {
	d := newDigest()
	err := each(ctx, q, `SELECT source, dataset, method, mean, std, folds FROM published_values ORDER BY source, dataset, method`,
		func(r []any) error { d.add(r...); return nil })
	return d.value(), err
}

func sealPublished(ctx context.Context, tx *sql.Tx) error {
	sum, err := publishedSum(ctx, tx)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO checksums (what, checksum) VALUES ('published_values', ?)
		ON CONFLICT DO UPDATE SET checksum = excluded.checksum`, sum)
	return err
}

// isDamage reports whether SQLite itself found damage in the file.
func isDamage(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrCorrupt || e.Code == sqlite3.ErrNotADB || e.Code == sqlite3.ErrFormat)
}
