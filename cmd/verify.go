package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/spf13/cobra"
)

type verifyOptions struct {
	selection
	sample  string
	jobs    int
	seed    uint64
	seeded  bool
	isolate isolation
}

func newVerifyCommand(a *app) *cobra.Command {
	var f verifyOptions
	c := a.lists(&cobra.Command{
		Use:   "verify",
		Short: "Run a random share of stored cells again and compare every count",
		Args:  takes(),
	}, func(c *cobra.Command, _ []string, l *listing) error {
		f.seeded = c.Flags().Changed("seed")
		return runVerify(a, c, f, l)
	})
	flags := c.Flags()
	flags.StringVar(&f.sample, "sample", "2%", "share of the cells, at least one, or a number of cells")
	f.selection.add(a, c, "")
	jobsFlag(c, &f.jobs, "cells to run at a time")
	isolateFlag(c, &f.isolate)
	permissionFlags(a, c)
	flags.Uint64Var(&f.seed, "seed", 0, "seed that chooses the cells (default a new one each time)")
	rare(c, "seed")
	return c
}

// parseSample reads "2%" as a share and "10" as a number.
func parseSample(text string) (share float64, number int, err error) {
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		share, err = strconv.ParseFloat(percent, 64)
		if err == nil && share > 0 && share <= 100 {
			return share / 100, 0, nil
		}
	} else if number, err = strconv.Atoi(text); err == nil && number > 0 {
		return 0, number, nil
	}
	return 0, 0, usage("--sample %q is neither a share, as 2%%, nor a number of cells, as 10", text)
}

func runVerify(a *app, c *cobra.Command, f verifyOptions, l *listing) error {
	ctx := c.Context()
	share, number, err := parseSample(f.sample)
	if err != nil {
		return err
	}
	if f.jobs < 1 {
		return usage("--jobs %d: at least one cell must run at a time", f.jobs)
	}
	db, err := a.reader(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	stored, err := planAgain(ctx, a, db, f)
	if err != nil {
		return err
	}
	a.err.noteGroups("old: cannot be compared", stored.Old)
	a.err.noteGroups("its data is not here: cannot be compared", stored.NoData)
	a.err.noteGroups("cannot be compared", stored.Unknown)
	if len(stored.Cells) == 0 {
		return exitError{exitIncomplete, fmt.Errorf("database %s holds no result that can be compared for what was "+
			"asked", a.db)}
	}
	if !f.seeded {
		f.seed = uint64(rand.Uint32())
	}
	cells := verify.Sample(stored.Cells, share, number, f.seed)
	said := fmt.Sprintf("%d of %s are run again, chosen by --seed %d", len(cells), plural(len(stored.Cells), "cell"),
		f.seed)
	return verifyCells(ctx, a, db, cells, said, f, l)
}

func verifyCells(ctx context.Context, a *app, db *store.DB, cells []*plan.Cell, said string, f verifyOptions,
	l *listing) error {
	ended, end := context.WithCancel(ctx)
	defer end()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	forecast, err := harness.Forecast(ctx, db)
	if err != nil {
		return databaseError(err)
	}
	fmt.Fprintln(a.err, said)
	defer collectWithin(a.memory)()
	opt := schedule.Options{Jobs: f.jobs, Limits: plan.Limits{Memory: a.memory}, Forecast: forecast}
	progress := harness.NewProgress(&plan.Plan{Cells: cells}, opt, "", "")
	bar := newProgress(a.err.To, progress.Now, "")
	opt.Tell = func(e schedule.Event) {
		progress.Hear(e)
		bar.handle(e)
	}
	// Nothing is stored, so that running cells need not finish.
	handleSignals(ended, a, stopping{bar.note, "stopping: running cells are given up",
		harness.Control{Stop: cancel, Cancel: func() {}, Abandon: func() { os.Exit(exitInterrupted) }}})
	var verified []verify.Verified
	slices.SortStableFunc(cells, func(a, b *plan.Cell) int { return -cmp.Compare(a.Seconds, b.Seconds) })
	run, apart := a.cells(0, f.isolate)
	defer apart.Close()
	out, err := verify.Cells(ctx, run, nil, cells, opt, db, func(v verify.Verified) { verified = append(verified, v) })
	bar.close()
	if err != nil {
		return databaseError(err)
	}
	differ, err := a.err.printVerified(verified, len(cells), l)
	switch {
	case err != nil:
		return err
	case out.Interrupted:
		return exitError{exitInterrupted, errors.New("interrupted")}
	case differ > 0:
		return exitError{exitIncomplete, fmt.Errorf("%s not as stored: the method's code gives other results than "+
			"the code that computed them (raise its Version, or `bench run` with --rerun and its name), chance "+
			"decides its results, or what is stored was changed",
			counted(differ, "cell", "is", "are"))}
	case out.Excluded != nil:
		return exitError{exitIncomplete, fmt.Errorf("not all cells were compared; %s",
			strings.Join(result.Explain(out.Excluded), "; "))}
	}
	return nil
}

// printVerified lists the differences, says for each method how many of all cells were compared, and returns how many
// differ.
func (m *messages) printVerified(verified []verify.Verified, all int, l *listing) (differ int, err error) {
	slices.SortFunc(verified, func(x, y verify.Verified) int {
		return cmp.Or(strings.Compare(x.Cell.Method, y.Cell.Method), strings.Compare(x.Cell.Protocol, y.Cell.Protocol),
			strings.Compare(x.Cell.Dataset, y.Cell.Dataset), cmp.Compare(x.Cell.Split, y.Cell.Split))
	})
	l.header = []string{"protocol", "dataset", "method", "split", "what", "stored", "computed"}
	type tally struct{ cells, differ int }
	methods := map[string]tally{}
	for _, v := range verified {
		t := methods[v.Cell.Method]
		t.cells++
		if len(v.Differences) > 0 {
			t.differ++
			differ++
		}
		methods[v.Cell.Method] = t
		for _, d := range v.Differences {
			l.add(v.Cell.Protocol, v.Cell.Dataset, v.Cell.Method, v.Cell.Split, d.What, d.Stored, d.Computed)
		}
	}
	if err := l.printAny(); err != nil {
		return differ, err
	}
	for _, method := range slices.Sorted(maps.Keys(methods)) {
		t := methods[method]
		m.say("%s: %s compared, %d differ", method, plural(t.cells, "cell"), t.differ)
	}
	last := fmt.Sprintf("%d of %s equal the stored ones, bit for bit", len(verified)-differ,
		plural(len(verified), "cell"))
	if rest := all - len(verified); rest > 0 {
		last += fmt.Sprintf("; %s not compared", counted(rest, "cell", "was", "were"))
	}
	m.say("%s", last)
	return differ, nil
}

// noteGroups prints a line for each protocol and reason of cells that were all treated in the same way, with their
// methods and sets.
func (m *messages) noteGroups(fate string, groups []plan.Group) {
	type line struct{ protocol, why string }
	cells, methods, sets := map[line]int{}, map[line][]string{}, map[line][]string{}
	for _, g := range groups {
		l := line{g.Protocol, g.Why}
		cells[l] += g.Cells
		methods[l], sets[l] = append(methods[l], g.Method), append(sets[l], g.Dataset)
	}
	list := func(names []string) string {
		return strings.Join(slices.Compact(slices.Sorted(slices.Values(names))), ", ")
	}
	for _, l := range slices.SortedFunc(maps.Keys(cells), func(x, y line) int {
		return cmp.Or(strings.Compare(list(methods[x]), list(methods[y])), strings.Compare(x.protocol, y.protocol),
			strings.Compare(x.why, y.why))
	}) {
		m.say("%s: %s of %s (protocol %s: %s): %s", fate, plural(cells[l], "cell"), list(methods[l]), l.protocol,
			list(sets[l]), wording.Spelled(l.why))
	}
}

// planAgain reads the stored results that the flags ask for and plans them again, by their protocols or by the one
// asked for.
func planAgain(ctx context.Context, a *app, db *store.DB, f verifyOptions) (plan.Stand, error) {
	var out plan.Stand
	chosen, cells, err := askedCells(ctx, a, db, f.selection)
	if err != nil {
		return out, err
	}
	var methods []string
	for _, c := range cells {
		methods = append(methods, c.Method)
	}
	if err := a.know(chosen.Protocol.Name, methods); err != nil {
		return out, err
	}
	stored, err := db.Protocols(ctx)
	if err != nil {
		return out, databaseError(err)
	}
	byProtocol := map[string][]store.Cell{}
	for _, c := range cells {
		if c.Status == result.OK {
			byProtocol[c.Protocol] = append(byProtocol[c.Protocol], c)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byProtocol)) {
		exp := chosen.Experiment
		if exp.Protocol.Path == "" && stored[name].Text == "" && !slices.Contains(protocol.Names(), name) {
			for _, c := range byProtocol[name] {
				out.Unknown = append(out.Unknown, plan.Group{Protocol: name, Dataset: c.Dataset, Method: c.Method,
					Cells: 1, Why: "the text of the protocol is not known here; name its file with --protocol"})
			}
			continue
		}
		if exp.Protocol.Path == "" { // of the protocols that are stored, or of one that has no file of its own
			if exp, err = a.storedProtocol(ctx, db, name, stored[name]); err != nil {
				return out, err
			}
		}
		s, err := exp.Standing(ctx, byProtocol[name], true)
		if err != nil {
			return out, err
		}
		out.Cells = append(out.Cells, s.Cells...)
		out.Old = append(out.Old, s.Old...)
		out.NoData, out.Unknown = append(out.NoData, s.NoData...), append(out.Unknown, s.Unknown...)
	}
	return out, nil
}

// askedCells returns the stored cells that the flags ask for, failures included. It reads the files of users' own
// sets into the catalogue.
func askedCells(ctx context.Context, a *app, db *store.DB, s selection) (choice, []store.Cell, error) {
	cells, err := db.Cells(ctx)
	if err != nil {
		return choice{}, nil, databaseError(err)
	}
	sets, err := a.storedSets(ctx, db)
	if err != nil {
		return choice{}, nil, databaseError(err)
	}
	for _, c := range cells {
		_, _ = sets.Entry(c.Dataset) // planning says which sets are not known any more
	}
	chosen, err := a.choose(s, func() ([]store.Cell, error) { return cells, nil })
	if err != nil {
		return chosen, nil, err
	}
	return chosen, slices.DeleteFunc(cells, func(c store.Cell) bool { return !chosen.has(c) }), nil
}
