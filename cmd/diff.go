package cmd

import (
	"context"
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
	var all bool
	c := a.lists(&cobra.Command{
		Use:   "diff A B",
		Short: "Show what differs between two databases, dates, versions or machines",
		Args:  takes("A", "B"),
	}, func(c *cobra.Command, args []string, l *listing) error { return a.diff(c.Context(), args, s, all, l) })
	s.add(a, c, "")
	c.Flags().BoolVar(&all, "all", false, "list methods and sets without a difference, too")
	return c
}

func (a *app) diff(ctx context.Context, args []string, s selection, all bool, l *listing) error {
	var sides [2]admit.Source
	for i, arg := range args {
		src, closed, err := a.side(ctx, arg)
		if err != nil {
			return err
		}
		defer closed()
		sides[i] = src
	}
	chosen, err := a.choose(s, func() ([]store.Cell, error) {
		return slices.Concat(sides[0].Cells, sides[1].Cells), nil
	})
	if err != nil {
		return err
	}
	for i := range sides {
		sides[i].Cells = slices.DeleteFunc(sides[i].Cells, func(c store.Cell) bool { return !chosen.has(c) })
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
	return a.err.printDiff(args, tally.Lines(), alone, all, l)
}

// printDiff lists what differs, and says how much was compared.
func (m *messages) printDiff(args []string, lines []cells.Line, alone [2]int, all bool, l *listing) error {
	l.header = []string{"protocol", "dataset", "method", "versions", "cells", "ends", "counts", "choices", "metric",
		"a", "b", "difference", "low", "high", "p"}
	l.less = []string{"versions", "metric", "low", "high", "protocol", "choices", "ends"}
	compared, changed := 0, 0
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
		if !d.Changed() && !all {
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
	switch {
	case compared == 0:
		return exitError{exitIncomplete, fmt.Errorf("%s and %s have no cell in common for what was asked", args[0],
			args[1])}
	case changed > 0:
		return exitError{exitIncomplete, fmt.Errorf("%s compared: something differs in %s of a method and a "+
			"set, of %d", plural(compared, "cell"), plural(changed, "pair"), len(lines))}
	}
	m.say("%s compared: none differs", plural(compared, "cell"))
	return nil
}

// side opens one side: a source of results, or a database as it was.
func (a *app) side(ctx context.Context, text string) (admit.Source, func(), error) {
	path, when, found := strings.Cut(text, "@")
	if _, err := os.Stat(text); !found || err == nil {
		return source(ctx, text)
	}
	what, value, _ := strings.Cut(when, "=")
	var wanted func(store.Attempted) bool
	switch what {
	case "before":
		if _, err := time.Parse("2006-01-02", value); err != nil {
			return admit.Source{}, nil, usage("%s: %q is no date; write one as 2026-11-01", text, value)
		}
		wanted = func(t store.Attempted) bool { return t.StartedAt < value }
	case "version":
		wanted = func(t store.Attempted) bool { return t.Inputs.MethodVersion == value }
	case "environment":
		wanted = func(t store.Attempted) bool { return strconv.FormatInt(t.EnvironmentID, 10) == value }
	default:
		return admit.Source{}, nil, usage("%s: %q is not one of before=DATE, version=V, environment=NUMBER", text, when)
	}
	db, err := store.OpenReader(ctx, path)
	if err != nil {
		return admit.Source{}, nil, databaseError(err)
	}
	src, err := admit.OfAttempts(ctx, text, db, wanted)
	return closing(src, db, err)
}
