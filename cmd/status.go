package cmd

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/live"
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
			return runWatch(a, c, db, protocol)
		}
		return runStatus(c.Context(), a, db, l)
	})
	c.Flags().BoolVar(&watch, "watch", false, "show runs until they end")
	c.Flags().StringVar(&protocol, "protocol", "", "with --watch: show the results of this protocol (default that of "+
		"the run, else that of the last cells)")
	return c
}

func runStatus(ctx context.Context, a *app, db *store.DB, l *listing) error {
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
	noteOldData(a, rows, current, sets, stored)
	if err := noteMissing(ctx, a, db, rows, stored); err != nil {
		return err
	}
	if err := noteVersions(ctx, a, db, rows); err != nil {
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
func noteMissing(ctx context.Context, a *app, db *store.DB, rows []store.StatusRow,
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
		others := []string(nil)
		req := plan.Request{Limits: plan.Limits{MaxCell: defaultMaxCell, Memory: a.memory}}
		req.Splits, _ = plan.Splits(fmt.Sprint(exp.Protocol.Splits), "")
		for _, r := range byProtocol[name] {
			list := &req.Methods
			if _, err := exp.Registry.Lookup(r.Method); err != nil {
				list = &others
			}
			frame.AppendUnique(list, r.Method)
			if _, err := a.sets.Lookup(r.Dataset); err == nil && !slices.Contains(req.Datasets, r.Dataset) {
				req.Datasets = append(req.Datasets, r.Dataset)
			}
		}
		if req.Methods == nil || req.Datasets == nil {
			continue
		}
		plan, err := makePlan(ctx, exp, req, db)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil: // what is stored can be told all the same
			a.say("%s: what is missing cannot be counted: %s", name, wording.Spelled(err.Error()))
			continue
		}
		if n := len(plan.Cells); n > 0 {
			jobs := runtime.NumCPU()
			uncounted := ""
			if others != nil {
				uncounted = fmt.Sprintf(" (without %s, since status starts no plugin)", frame.Briefly(others, "method"))
			}
			a.say("%s: %s not stored of these methods on these sets%s; %s on %s", name,
				counted(n, "cell", "is", "are"), uncounted, predicted(plan, plan.Predict(jobs, 0)), plural(jobs, "job"))
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
func noteOldData(a *app, rows []store.StatusRow, current map[string]string, sets *storedSets,
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

// noteVersions lists the versions of each method that has results of several, with their places among the methods of
// the protocol.
func noteVersions(ctx context.Context, a *app, db *store.DB, rows []store.StatusRow) error {
	var protocols []string
	for _, r := range rows {
		frame.AppendUnique(&protocols, r.Protocol)
	}
	for _, protocol := range protocols {
		methods, err := db.Retried(ctx, protocol)
		if err != nil {
			return databaseError(err)
		}
		if methods == nil {
			continue
		}
		read, err := a.frameOf(ctx, db, reportOptions{selection: selection{protocol: protocol}, also: methods})
		if err != nil {
			a.say("%s: versions are not listed: %v", protocol, err)
			continue
		}
		t, err := read.Table("")
		if err != nil {
			a.say("%s: versions are not listed: %v", protocol, err)
			continue
		}
		for _, m := range methods {
			listVersions(a, &t, m)
		}
	}
	return nil
}

// listVersions says nothing of a method with one version.
func listVersions(a *app, t *frame.Table, method string) {
	versions := t.Standings(method)
	if len(versions) < 2 {
		return
	}
	a.say("%s: %d versions of %s, by mean %s:", t.Protocol, len(versions), method, t.Metric.Title)
	for _, v := range versions {
		now, text := "", "no result on a set that counts"
		if v.Now {
			now = " (now)"
		}
		if v.Mean != nil {
			text = fmt.Sprintf("%s over %s, place %d of %d", frame.Text(v.Mean, t.Decimals()),
				frame.Count(v.Sets, "data set"), v.Place, v.Of)
		}
		a.say("  %s%s: %s", v.Name, now, text)
	}
}

// watchEvery is the time between two looks at the runs that are under way.
const watchEvery = time.Second

// newWatcher returns a watcher of the runs under way on a database and of the results of protocol, a name or a file. If
// protocol is "", it is the run's.
func newWatcher(ctx context.Context, a *app, db *store.DB, protocol string) (*live.Watcher, error) {
	opt := live.Options{Frame: func(ctx context.Context, name string) (frame.Frame, error) {
		return a.frameOf(ctx, db, reportOptions{selection: selection{protocol: cmp.Or(protocol, name)},
			others: protocol == ""})
	}}
	if protocol != "" {
		exp, err := a.experiment(protocol)
		if err != nil {
			return nil, err
		}
		opt.Protocol = exp.Protocol.Name
	}
	w, err := live.NewWatcher(ctx, db, opt)
	return w, databaseError(err)
}

// runWatch draws the progress of runs until they end or the user interrupts.
func runWatch(a *app, c *cobra.Command, db *store.DB, protocol string) error {
	ctx, done := a.untilSignal(c.Context())
	defer done()
	w, err := newWatcher(ctx, a, db, protocol)
	if err != nil {
		return err
	}
	defer w.Close()
	board := board{pane: newPane(a.out, a.out.bold()), ended: -1}
	defer board.end()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for seen, told := false, false; ; {
		s, err := w.Look(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return databaseError(err)
		}
		over := seen && s.Runs == 0
		if seen = seen || s.Runs > 0; !seen && !told {
			told = true
			a.say("no run is under way on %s; waiting for one (Ctrl-C ends)", a.db)
		}
		if seen {
			board.show(s, over)
		}
		if over || a.out.err != nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// A board shows a state in place on a terminal. Without a terminal it prints a block when cells have ended.
type board struct {
	pane
	printed time.Time
	ended   int
}

// linesOfFiles is the width of a board where there is no terminal.
const linesOfFiles = 80

func (b *board) show(s live.State, last bool) {
	if b.draw("", s.Text) {
		return
	}
	if now := s.Ended + s.Failed; last || b.ended < 0 || now != b.ended && s.At.Sub(b.printed) >= lineEvery {
		if b.ended >= 0 {
			fmt.Fprintln(b.out)
		}
		b.ended, b.printed = now, s.At
		fmt.Fprintln(b.out, strings.Join(s.Text(linesOfFiles), "\n"))
	}
}
