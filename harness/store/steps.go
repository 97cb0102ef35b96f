package store

import (
	"context"
	"math"
	"slices"
	"strings"
)

// A step of a check reports problems one by one.
type step func(ctx context.Context, q queryer, report func(Problem)) error

// smallTables are the tables that every reader compares. largeTables are compared only where they are read, and by
// a full check.
var (
	smallTables = strings.Fields(`runs cells grids grid_points environments set_files protocols stages point_tests seed_counts warnings claims code_checks skipped secrets canaries state_checks`)
	largeTables = strings.Fields(`fold_counts published_values checksums scores models`)
)

func smallSteps() []step {
	return append(tableSteps(smallTables), checkGrids, checkReferences)
}

// largeSteps are the steps for large tables. The checksums of folds are compared by foldSteps.
func largeSteps(tables []string) []step {
	steps := tableSteps(tables)
	if slices.Contains(tables, "fold_counts") {
		steps = append(steps, checkFoldSizes)
	}
	if slices.Contains(tables, "published_values") {
		steps = append(steps, checkPublished)
	}
	return steps
}

// tableSteps compare the pages of tables, and the rows of sealed tables.
func tableSteps(tables []string) (steps []step) {
	for _, t := range tables {
		steps = append(steps, func(ctx context.Context, q queryer, report func(Problem)) error { return checkPages(ctx, q, t, report) })
	}
	for _, s := range byRow {
		if slices.Contains(tables, s.table) {
			steps = append(steps, func(ctx context.Context, q queryer, report func(Problem)) error { return checkRows(ctx, q, s, report) })
		}
	}
	return steps
}

// A span is the runs with numbers n where from <= n < to.
type span struct{ from, to int64 }

// spansOf divides ascending numbers of runs into spans of at most 100 runs, so that every processor has work.
func spansOf(ids []int64) (spans []span) {
	for _, id := range ids {
		if n := len(spans); n > 0 && spans[n-1].to == id && id-spans[n-1].from < 100 {
			spans[n-1].to++
			continue
		}
		spans = append(spans, span{id, id + 1})
	}
	return spans
}

// foldSteps compare the folds of the runs of each span.
func foldSteps(spans []span) (steps []step) {
	for _, s := range spans {
		steps = append(steps, func(ctx context.Context, q queryer, report func(Problem)) error { return checkFolds(ctx, q, s, report) })
	}
	return steps
}

// allFoldSteps compare all folds, including the folds of missing runs. If the runs cannot be read, one span covers
// all folds, and its step reports the error.
func (db *DB) allFoldSteps(ctx context.Context) []step {
	var ids []int64
	_ = each(ctx, db.sql, `SELECT id FROM runs ORDER BY id`, func(r []any) error {
		id, _ := r[0].(int64)
		ids = append(ids, id)
		return nil
	})
	spans := append(spansOf(ids), span{from: math.MaxInt64})
	from := int64(math.MinInt64)
	for i := range spans {
		spans[i].from, from = from, spans[i].to
	}
	spans[len(spans)-1].to = math.MaxInt64
	return foldSteps(spans)
}
