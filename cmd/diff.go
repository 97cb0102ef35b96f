package cmd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/admit"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/cells"
	"github.com/spf13/cobra"
)

func newDiffCommand(a *app) *cobra.Command {
	var s selection
	var o diffOptions
	c := a.lists(&cobra.Command{
		Use:   "diff A B",
		Short: "Show what differs between two databases, dates, versions or machines",
		Args:  takes("A", "B"),
	}, func(c *cobra.Command, args []string, l *listing) error { return a.diff(c.Context(), args, s, o, l) })
	s.add(a, c, "")
	c.Flags().BoolVar(&o.all, "all", false, "list methods and sets without a difference, too")
	oneOf(c, &o.failIf, "fail-if", "", "exit code 3 only if B has other test counts, scores or ends (counts), or is "+
		"significantly worse on a set (worse); default: if anything differs", "counts", "worse")
	return c
}

// diffOptions say what is listed, and what is a failure: "counts", "worse", or "" for any difference.
type diffOptions struct {
	all    bool
	failIf string
}

func (a *app) diff(ctx context.Context, args []string, s selection, o diffOptions, l *listing) error {
	var sides [2]admit.Source
	var versions [2]versionsOf
	for i, arg := range args {
		src, of, closed, err := a.side(ctx, arg)
		if err != nil {
			return err
		}
		defer closed()
		sides[i], versions[i] = src, of
	}
	chosen, err := a.choose(s, func() ([]store.Cell, error) {
		return slices.Concat(sides[0].Cells, sides[1].Cells), nil
	})
	if err != nil {
		return err
	}
	for i := range sides {
		sides[i].Cells = slices.DeleteFunc(sides[i].Cells, func(c store.Cell) bool { return !chosen.has(c) })
		if err := versions[i].check(args[i], sides[i].Cells); err != nil {
			return err
		}
	}
	tally := cells.Tally{Rows: func(name string) int {
		e, err := a.sets.Lookup(name)
		if err != nil {
			return 0
		}
		return e.Rows
	}}
	alone, err := admit.Pairs(ctx, sides, tally.Add)
	if err != nil {
		return databaseError(err)
	}
	return a.err.printDiff(args, tally.Lines(), alone, o, l)
}

// printDiff lists what differs, and says how much was compared.
func (m *messages) printDiff(args []string, lines []cells.Line, alone [2]int, o diffOptions,
	l *listing) error {
	l.header = []string{"protocol", "dataset", "method", "versions", "cells", "ends", "counts", "choices", "metric",
		"a", "b", "difference", "low", "high", "p"}
	l.less = []string{"versions", "metric", "low", "high", "protocol", "choices", "ends"}
	compared, changed, failed := 0, 0, 0
	number := func(v float64, places int) any {
		if math.IsNaN(v) {
			return nil
		}
		if l.forPeople() || l.format == "md" {
			return strconv.FormatFloat(v, 'f', places, 64)
		}
		return v
	}
	for _, d := range lines {
		compared += d.Cells
		if d.Changed() {
			changed++
		}
		if d.Fails(o.failIf) {
			failed++
		}
		if !d.Changed() && !o.all {
			continue
		}
		versions := d.Versions[0]
		if d.Versions[1] != versions {
			versions += " to " + d.Versions[1]
		}
		l.add(d.Protocol, d.Dataset, d.Method, versions, d.Cells, d.Ends, d.Counts, d.Choices, d.Metric,
			number(d.A, 2), number(d.B, 2), number(d.B-d.A, 2), number(d.Low, 2), number(d.High, 2), number(d.P, 3))
	}
	if err := l.printAny(); err != nil {
		return err
	}
	for i, n := range alone {
		if n > 0 {
			m.say("%s alone has %s", args[i], plural(n, "cell"))
		}
	}
	differs := fmt.Sprintf("%s compared: something differs in %s of a method and a set, of %d",
		plural(compared, "cell"), plural(changed, "pair"), len(lines))
	switch {
	case compared == 0:
		return exitError{exitIncomplete, fmt.Errorf("%s and %s have no cell in common for what was asked", args[0],
			args[1])}
	case failed > 0 && o.failIf != "":
		return exitError{exitIncomplete, fmt.Errorf("--fail-if %s came true for %s of a method and a set; %s", o.failIf,
			plural(failed, "pair"), differs)}
	case failed > 0:
		return exitError{exitIncomplete, errors.New(differs)}
	case changed > 0:
		m.say("%s; --fail-if %s did not come true", differs, o.failIf)
		return nil
	}
	m.say("%s compared: none differs", plural(compared, "cell"))
	return nil
}

// versionsOf are the stored versions that a side of a comparison means, by method.
type versionsOf map[string][]string

// check refuses a side whose cells may be of several versions of a method.
func (v versionsOf) check(side string, has []store.Cell) error {
	for _, c := range has {
		if several := v[c.Method]; len(several) > 1 {
			return usage("%s means several stored versions of %s: %s; write more of one", side, c.Method,
				strings.Join(several, ", "))
		}
	}
	return nil
}

// side opens one side: a source of results, or a database as it was.
func (a *app) side(ctx context.Context, text string) (admit.Source, versionsOf, func(), error) {
	path, when, found := strings.Cut(text, "@")
	if _, err := os.Stat(text); !found || err == nil {
		src, closed, err := source(ctx, text)
		return src, nil, closed, err
	}
	var none admit.Source
	what, value, _ := strings.Cut(when, "=")
	if !slices.Contains([]string{"before", "version", "environment"}, what) || value == "" {
		return none, nil, nil, usage("%s: %q is not one of before=DATE, version=V, environment=NUMBER", text, when)
	}
	if _, err := time.Parse("2006-01-02", value); err != nil && what == "before" {
		return none, nil, nil, usage("%s: %q is no date; write one as 2026-11-01", text, value)
	}
	db, err := store.OpenReader(ctx, path)
	if err != nil {
		return none, nil, nil, databaseError(err)
	}
	all, err := db.Attempts(ctx)
	versions := versionsOf{}
	for _, t := range all {
		versions[t.Method] = append(versions[t.Method], t.Inputs.MethodVersion)
	}
	for method, stored := range versions {
		versions[method] = store.Fitting(stored, value)
	}
	wanted := func(t store.Attempted) bool { return slices.Contains(versions[t.Method], t.Inputs.MethodVersion) }
	if what != "version" {
		versions = nil
		wanted = func(t store.Attempted) bool {
			return what == "before" && t.StartedAt < value || strconv.FormatInt(t.EnvironmentID, 10) == value
		}
	}
	src, err := admit.OfAttempts(ctx, text, db, wanted)
	src, closed, err := closing(src, db, err)
	return src, versions, closed, err
}
