package cmd

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/spf13/cobra"
)

func newStatusCommand(a *app) *cobra.Command {
	var watch bool
	var protocol string
	c := a.lists(&cobra.Command{
		Use:   "status",
		Short: "Show how many cells are stored per protocol, data set and method",
		Args:  takes(),
	}, func(c *cobra.Command, _ []string, l *listing) error {
		db, err := a.reader(c.Context())
		if err != nil {
			return err
		}
		defer db.Close()
		switch {
		case watch && c.Flags().Changed("format"):
			return usage("--watch is drawn as text; leave --format out")
		case protocol != "" && !watch:
			return usage("--protocol is for --watch; status lists the cells of all protocols")
		case watch:
			return a.watch(c, db, protocol)
		}
		return a.status(c.Context(), db, l)
	})
	c.Flags().BoolVar(&watch, "watch", false, "show runs until they end")
	c.Flags().StringVar(&protocol, "protocol", "", "with --watch: show the results of this protocol (default that of "+
		"the run, else that of the last cells)")
	return c
}

func (a *app) status(ctx context.Context, db *store.DB, l *listing) error {
	rows, err := db.Status(ctx)
	if err != nil {
		return databaseError(err)
	}
	sets, err := a.storedSets(ctx, db)
	if err != nil {
		return err
	}
	stored, err := db.Protocols(ctx)
	if err != nil {
		return err
	}
	current := currentData(rows, sets)
	l.header = []string{"protocol", "dataset", "method", "ok", "planned", "failed", "timeout", "seconds", "failures"}
	l.less = []string{"seconds", "failures"}
	for _, r := range rows {
		if r.Fingerprint == current[r.Dataset] {
			l.add(r.Protocol, r.Dataset, r.Method, r.OK, plannedSplits(stored, r.Protocol), r.Failed, r.Timeout,
				round1(r.Seconds), failuresOf(r))
		}
	}
	if err := l.print(); err != nil {
		return err
	}
	if err := a.err.noteFailures(ctx, db, current); err != nil {
		return err
	}
	a.noteOldData(rows, current, sets, stored)
	if err := a.noteMissing(ctx, db, rows, stored); err != nil {
		return err
	}
	if err := a.noteVersions(ctx, db, rows); err != nil {
		return err
	}
	findings, err := db.Findings(ctx, "")
	if err != nil {
		return databaseError(err)
	}
	a.err.printFindings(findings)
	return nil
}

// failuresOf returns the failed cells whose class says more, such as "2 crash, 1 oom".
func failuresOf(r store.StatusRow) any {
	var parts []string
	for _, f := range []struct {
		cells int
		class result.Class
	}{{r.Crash, result.ClassCrash}, {r.OOM, result.ClassOOM}, {r.BadOutput, result.ClassBadOutput}} {
		if f.cells > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", f.cells, f.class))
		}
	}
	if parts == nil {
		return nil
	}
	return strings.Join(parts, ", ")
}

// noteFailures says how cells of the current data failed. Equal failures are counted together.
func (m *messages) noteFailures(ctx context.Context, db *store.DB, current map[string]string) error {
	rows, err := db.Failures(ctx)
	if err != nil {
		return databaseError(err)
	}
	var all failures
	for _, r := range rows {
		if r.Fingerprint == current[r.Dataset] {
			all.add(r.Method, r.Dataset, failedAs(r.Status, r.Class), r.Error, r.Cells)
		}
	}
	all.list(m, false)
	return nil
}

// noteMissing says for each protocol how many cells of the listed methods and sets are not stored, and how long `bench
// run` would take for them.
func (a *app) noteMissing(ctx context.Context, db *store.DB, rows []store.StatusRow,
	stored map[string]store.StoredProtocol) error {
	byProtocol := map[string][]store.StatusRow{}
	for _, r := range rows {
		byProtocol[r.Protocol] = append(byProtocol[r.Protocol], r)
	}
	for _, name := range slices.Sorted(maps.Keys(byProtocol)) {
		exp, err := a.experiment(cmp.Or(stored[name].Path, name))
		if err != nil {
			continue // the protocol's file is gone: nothing can be run
		}
		req := plan.Request{Limits: plan.Limits{MaxCell: defaultMaxCell, Memory: a.memory}}
		req.Splits, _ = plan.Splits(fmt.Sprint(exp.Protocol.Splits), "")
		for _, r := range byProtocol[name] {
			if _, err := exp.Registry.Lookup(r.Method); err == nil && !slices.Contains(req.Methods, r.Method) {
				req.Methods = append(req.Methods, r.Method)
			}
			if _, err := a.sets.Lookup(r.Dataset); err == nil && !slices.Contains(req.Datasets, r.Dataset) {
				req.Datasets = append(req.Datasets, r.Dataset)
			}
		}
		if req.Methods == nil || req.Datasets == nil {
			continue
		}
		plan, err := makePlan(ctx, exp, req, db)
		if err != nil {
			return err
		}
		if n := len(plan.Cells); n > 0 {
			jobs := runtime.NumCPU()
			a.say("%s: %s not stored of these methods on these sets; %s on %s", name, counted(n, "cell", "is", "are"),
				predicted(plan, plan.Predict(jobs, 0)), plural(jobs, "job"))
		}
		for _, line := range result.Explain(result.OfKinds(plan.Excluded, result.TooLong, result.TooLarge)) {
			a.say("%s: %s", name, line)
		}
	}
	return nil
}

// currentData maps the name of each data set to the fingerprint whose results count: that of the files which are here
// now, or else that of the run which was stored last.
func currentData(rows []store.StatusRow, sets *storedSets) map[string]string {
	current, last := map[string]string{}, map[string]string{}
	for _, r := range rows {
		if set, ok := sets.Now(r.Dataset); ok {
			current[r.Dataset] = set.Fingerprint
		} else if r.LastRun > last[r.Dataset] {
			current[r.Dataset], last[r.Dataset] = r.Fingerprint, r.LastRun
		}
	}
	return current
}

// noteOldData says which cells are not counted, and how to compute them again.
func (a *app) noteOldData(rows []store.StatusRow, current map[string]string, sets *storedSets,
	stored map[string]store.StoredProtocol) {
	type data struct{ protocol, dataset, fingerprint string }
	type group struct {
		cells, splits int
		methods       []string
	}
	groups := map[data]*group{}
	var order []data
	for _, r := range rows {
		if r.Fingerprint == current[r.Dataset] {
			continue
		}
		d := data{r.Protocol, r.Dataset, r.Fingerprint}
		g := groups[d]
		if g == nil {
			g = &group{}
			groups[d] = g
			order = append(order, d)
		}
		g.cells += r.OK + r.Failed + r.Timeout
		g.splits = max(g.splits, r.LastSplit)
		g.methods = append(g.methods, r.Method)
	}
	for _, d := range order {
		what, again, g := d.dataset, "", groups[d]
		if now, ok := sets.Now(d.dataset); ok {
			what = now.File
			p := stored[d.protocol]
			slices.Sort(g.methods)
			splits, _ := plan.Splits(fmt.Sprint(g.splits), "")
			path := p.Path
			if path != "" {
				path = shortPath(path)
			}
			again = ": " + a.invocation(d.protocol, path, p.Splits).Command(slices.Compact(g.methods),
				[]string{cmp.Or(sets.File(d.dataset), d.dataset)}, splits, false)
		}
		a.say("%s changed since (data was %.8s, is %.8s), %s not counted%s", what, d.fingerprint, current[d.dataset],
			counted(g.cells, "cell", "is", "are"), again)
	}
}

// plannedSplits returns the number of splits of a protocol, nil for an unknown number.
func plannedSplits(stored map[string]store.StoredProtocol, name string) any {
	if p, err := protocol.Load(name); err == nil {
		return p.Splits
	}
	if p, ok := stored[name]; ok {
		return p.Splits
	}
	return nil
}
