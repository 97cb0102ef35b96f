package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/reports/stats"
	"github.com/kernelboosting/bench/reports/table"
	"github.com/spf13/cobra"
)

func newDiffCommand(a *app) *cobra.Command {
	var s selection
	var o diffOptions
	c := a.lists(&cobra.Command{
		Use:   "diff A B",
		Short: "Show what differs between two databases, dates, versions or machines",
		Args:  takes("A", "B"),
	}, func(c *cobra.Command, args []string, l *listing) error { return runDiff(c.Context(), a, args, s, o, l) })
	s.add(a, c, "")
	c.Flags().BoolVar(&o.all, "all", false, "list methods and sets without a difference, too")
	c.Flags().BoolVar(&o.short, "short", false, "how much differs in one line, and nothing else")
	c.Flags().StringSliceVar(&o.failIf, "fail-if", nil, "exit code 3 only if B has other test counts, scores or ends "+
		"(counts), or is significantly worse on a set or failed where A ended ok (worse); or counts,worse; "+
		"default: if anything differs")
	alarms := []string{"counts", "worse"}
	complete(c, "fail-if", alarms...)
	beforehand(c, func() error {
		for i, asked := range o.failIf {
			o.failIf[i] = strings.ToLower(asked)
			if !slices.Contains(alarms, o.failIf[i]) {
				return usage("--fail-if %q is not one of %s", asked, strings.Join(alarms, ", "))
			}
		}
		return nil
	})
	return c
}

// diffOptions say what is listed, and what is a failure; see table.Line.Fails.
type diffOptions struct {
	all, short bool
	failIf     []string
}

func runDiff(ctx context.Context, a *app, args []string, s selection, o diffOptions, l *listing) error {
	var sides [2]verify.Source
	var versions [2]string
	for i, arg := range args {
		src, version, closed, err := diffSide(ctx, a, arg)
		if err != nil {
			return err
		}
		defer closed()
		sides[i], versions[i] = src, version
	}
	chosen, err := a.choose(s, func() ([]store.Cell, error) {
		return slices.Concat(sides[0].Cells, sides[1].Cells), nil
	})
	if err != nil {
		return err
	}
	for i := range sides {
		sides[i].Cells = slices.DeleteFunc(sides[i].Cells, func(c store.Cell) bool { return !chosen.has(c) })
		if sides[i].Cells, err = ofVersion(args[i], versions[i], sides[i].Cells); err != nil {
			return err
		}
	}
	tally := table.Tally{Rows: func(name string) int {
		e, err := a.sets.Lookup(name)
		if err != nil {
			return 0
		}
		return e.Rows
	}}
	alone, err := verify.Pairs(ctx, sides, tally.Add)
	if err != nil {
		return databaseError(err)
	}
	return a.err.printDiff(args, tally.Lines(), alone, o, l)
}

func (m *messages) printDiff(args []string, lines []table.Line, alone [2]int, o diffOptions, l *listing) error {
	l.header = []string{"protocol", "dataset", "method", "versions", "cells", "ends", "counts", "choices", "metric",
		"a", "b", "difference", "low", "high", "p"}
	l.less = []string{"versions", "metric", "low", "high", "protocol", "choices", "ends"}
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
		if o.short || !d.Changed() && !o.all {
			continue
		}
		versions := d.Versions[0]
		if d.Versions[1] != versions {
			versions += " to " + d.Versions[1]
		}
		l.add(d.Protocol, d.Dataset, d.Method, versions, d.Cells, d.Ends, d.Counts, d.Choices, d.Metric,
			number(d.A, 2), number(d.B, 2), number(d.B-d.A, 2), number(d.Low, 2), number(d.High, 2), number(d.P, 3))
	}
	if o.short {
		l.header = nil
	} else if err := l.printAny(); err != nil {
		return err
	}
	for i, n := range alone {
		if n > 0 {
			m.say("%s alone has %s", args[i], plural(n, "cell"))
		}
	}
	return m.found(args, lines, o, l.out)
}

// found says how many cells were compared and in how many pairs of a method and a set something differs, on standard
// output if that alone is asked for. What is a failure is an error.
func (m *messages) found(args []string, lines []table.Line, o diffOptions, out io.Writer) error {
	compared, changed, failed := 0, 0, 0
	for _, d := range lines {
		compared += d.Cells
		if d.Changed() {
			changed++
		}
		if d.Fails(o.failIf...) {
			failed++
		}
	}
	if compared == 0 {
		return exitError{exitIncomplete, fmt.Errorf("%s and %s have no cell in common for what was asked", args[0],
			args[1])}
	}
	found := plural(compared, "cell") + " compared: none differs"
	if changed > 0 {
		found = fmt.Sprintf("%s compared: something differs in %s of a method and a set, of %d",
			plural(compared, "cell"), plural(changed, "pair"), len(lines))
	}
	asked := strings.Join(o.failIf, ",")
	if asked != "" {
		found += fmt.Sprintf("; --fail-if %s came true for %s", asked, plural(failed, "pair"))
	}
	if failed == 0 && slices.Contains(o.failIf, "worse") && !slices.ContainsFunc(lines, table.Line.Tested) {
		return usage("%s, and worse cannot: no set has the %d splits that a test takes", found, stats.FewestSplits)
	}
	switch {
	case o.short:
		if _, err := fmt.Fprintln(out, found); err != nil {
			return err
		}
	case failed == 0:
		m.say("%s", found)
	}
	if failed > 0 {
		if o.short {
			found = args[1] + " differs from " + args[0]
		}
		return exitError{exitIncomplete, errors.New(found)}
	}
	return nil
}

// diffSide opens one side: a source of results, or a database as it was. If the side is a version, all attempts are
// cells, and version is its beginning.
func diffSide(ctx context.Context, a *app, text string) (src verify.Source, version string, closed func(), err error) {
	path, when, found := strings.Cut(text, "@")
	if _, err := os.Stat(text); !found || err == nil {
		src, closed, err = source(ctx, text)
		return src, "", closed, err
	}
	what, value, _ := strings.Cut(when, "=")
	wanted := func(store.Attempted) bool { return true }
	switch {
	case what == "before":
		if _, err := time.Parse("2006-01-02", value); err != nil {
			return src, "", nil, usage("%s: %q is no date; write one as 2026-11-01", text, value)
		}
		wanted = func(t store.Attempted) bool { return t.StartedAt < value }
	case what == "version" && value != "":
		version = value
	case what == "environment":
		number, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return src, "", nil, usage("%s: %q is no number, as environment_id of the results is", text, value)
		}
		wanted = func(t store.Attempted) bool { return t.EnvironmentID == number }
	default:
		return src, "", nil, usage("%s: %q is not one of before=DATE, version=V, environment=NUMBER", text, when)
	}
	if !store.IsDatabase(path) {
		return src, "", nil, usage("%s: @ is for results of a database, and %s is none", text, path)
	}
	db, err := store.OpenReader(ctx, path)
	if err != nil {
		return src, "", nil, databaseError(err)
	}
	src, err = verify.OfAttempts(ctx, text, db, wanted)
	src, closed, err = closing(src, db, err)
	return src, version, closed, err
}

// ofVersion returns the cells of a side whose versions begin with a text, all if this is "". It is an error if several
// versions of a method do, or if none does.
func ofVersion(side, version string, all []store.Cell) ([]store.Cell, error) {
	if version == "" {
		return all, nil
	}
	type method struct{ protocol, name string }
	stored, every := map[method][]string{}, []string{}
	for _, c := range all {
		m := method{c.Protocol, c.Method}
		stored[m], every = append(stored[m], c.Inputs.MethodVersion), append(every, c.Inputs.MethodVersion)
	}
	var kept []store.Cell
	for _, c := range all {
		fitting := store.Fitting(stored[method{c.Protocol, c.Method}], version)
		if len(fitting) > 1 {
			return nil, usage("%s: several stored versions of %s begin with %q: %s; write more of one, or choose "+
				"other methods with --methods", side, c.Method, version, strings.Join(fitting, ", "))
		}
		if slices.Contains(fitting, c.Inputs.MethodVersion) {
			kept = append(kept, c)
		}
	}
	if slices.Sort(every); kept == nil && len(all) > 0 {
		return nil, usage("%s: no stored version begins with %q; stored are %s", side, version,
			strings.Join(slices.Compact(every), ", "))
	}
	return kept, nil
}
