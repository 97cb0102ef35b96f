package cmd

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/live"
	"github.com/spf13/cobra"
)

// watchEvery is the time between two looks at the runs that are under way.
const watchEvery = time.Second

// watcher returns a watcher of the runs under way on a database and of the results of protocol, a name or a file. If
// protocol is "", it is the run's.
func (a *app) watcher(ctx context.Context, db *store.DB, protocol string) (*live.Watcher, error) {
	opt := live.Options{Frame: func(ctx context.Context, name string) (frame.Frame, error) {
		return a.frameOf(ctx, db, reportFlags{selection: selection{protocol: cmp.Or(protocol, name)}})
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

// watch draws the progress of runs until they end or the user interrupts.
func (a *app) watch(c *cobra.Command, db *store.DB, protocol string) error {
	ctx, done := a.untilSignal(c.Context())
	defer done()
	w, err := a.watcher(ctx, db, protocol)
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
