package cmd

import (
	"context"
	"fmt"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
)

// These are the names of a dry run's rows that sum up other rows.
const (
	anySet    = "(all sets)"
	anyMethod = "(all methods)"
)

// dryRun prints the plan: a row per set and method, then the sums by method and by set; or a row per cell with
// --explain. Times and sizes are for people in tables, plain numbers in the other formats.
func (a *app) dryRun(ctx context.Context, h *plan.Experiment, req plan.Request, f runFlags) error {
	db, err := store.OpenReader(ctx, a.db)
	if err == nil {
		defer db.Close()
	} else if !isNoDatabase(err) {
		return unreadable(err)
	}
	req.Secret = []byte("a plan that is not run") // which splits canaries copy is not shown
	plan, err := a.plan(ctx, h, req, db)
	if err != nil {
		return err
	}
	opt := schedule.Options{Jobs: f.jobs, Budget: f.budget}
	prediction := plan.Predict(opt.Places(), opt.Budget)
	var l listing
	if f.explain {
		l, err = explained(ctx, prediction.Cells, db, f.format)
	} else {
		l = planned(prediction.Cells, plan.Skipped, f.format)
	}
	if err != nil {
		return err
	}
	if err := l.write(a.out, f.format); err != nil {
		return err
	}
	a.announce(plan, prediction, opt)
	if plan.Failed > 0 {
		fmt.Fprintf(a.err, "%d stored as failed; --retry runs them again\n", plan.Failed)
	}
	return nil
}

// explained lists cells with the reason why each is run.
func explained(ctx context.Context, cells []*plan.Cell, db *store.DB, format string) (listing, error) {
	l := listing{header: []string{"dataset", "method", "split", "seconds", "reason"}}
	if format == "table" {
		l.header[3] = "time"
	}
	for _, c := range cells {
		reason := "never run"
		if db != nil {
			var err error
			if reason, err = c.Explain(ctx, db); err != nil {
				return l, err
			}
		}
		l.add(c.Dataset, c.Method, c.Split, duration(c.Seconds, format), reason)
	}
	return l, nil
}

// A planRow sums up cells of a plan.
type planRow struct {
	dataset, method string
	cells           int
	seconds         float64
	longest         float64 // of one cell
	memory          int64   // of one cell
	limit           string  // the option that leaves the cells out
}

func (r *planRow) add(c *plan.Cell) {
	r.cells++
	r.seconds += c.Seconds
	r.longest = max(r.longest, c.Seconds)
	r.memory = max(r.memory, c.Memory)
}

// planned lists a row per set and method, in the order in which they begin, and the sums.
func planned(cells []*plan.Cell, left []plan.Skipped, format string) listing {
	var pairs, methods, sets, out []*planRow
	at := map[[3]string]*planRow{}
	row := func(rows *[]*planRow, dataset, method, limit string) *planRow {
		key := [3]string{dataset, method, limit}
		if at[key] == nil {
			at[key] = &planRow{dataset: dataset, method: method, limit: limit}
			*rows = append(*rows, at[key])
		}
		return at[key]
	}
	for _, c := range cells {
		row(&pairs, c.Dataset, c.Method, "").add(c)
		row(&methods, anySet, c.Method, "").add(c)
		row(&sets, c.Dataset, anyMethod, "").add(c)
	}
	for _, l := range left {
		row(&out, l.Cell.Dataset, l.Cell.Method, l.Reason).add(l.Cell)
	}
	l := listing{header: []string{"dataset", "method", "cells", "seconds", "longest_seconds", "memory_mib", "skipped"}}
	if format == "table" {
		l.header = []string{"dataset", "method", "cells", "time", "longest", "memory", "skipped by"}
	}
	for _, rows := range [][]*planRow{pairs, out, methods, sets} {
		for _, r := range rows {
			var memory any = r.memory >> 20
			if format == "table" {
				memory = wording.Bytes(r.memory)
			}
			var limit any = r.limit
			if r.limit == "" {
				limit = nil
			}
			l.add(r.dataset, r.method, r.cells, duration(r.seconds, format), duration(r.longest, format), memory, limit)
		}
	}
	return l
}

// duration is seconds for programs, and a time for people.
func duration(seconds float64, format string) any {
	if format == "table" {
		return wording.Seconds(seconds)
	}
	return round1(seconds)
}
