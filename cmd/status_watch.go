package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/live"
	"github.com/spf13/cobra"
	"golang.org/x/term"
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
		h, err := a.harness(protocol)
		if err != nil {
			return nil, err
		}
		opt.Protocol = h.Protocol.Name
	}
	w, err := live.NewWatcher(ctx, db, opt)
	return w, unreadable(err)
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
	board := newBoard(a.out)
	defer board.end()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for seen, told := false, false; ; {
		s, err := w.Look(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return unreadable(err)
		}
		over := seen && s.Runs == 0
		if seen = seen || s.Runs > 0; !seen && !told {
			told = true
			fmt.Fprintf(a.err, "no run is under way on %s; waiting for one (Ctrl-C ends)\n", a.db)
		}
		if seen {
			board.draw(s, over)
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
	out     io.Writer
	size    func() (width, height int, ok bool) // of the terminal; ok is false if there is none
	widths  []int                               // of the lines that are on the terminal now
	printed time.Time
	ended   int
}

func newBoard(o *output) *board {
	size := func() (int, int, bool) {
		if !isTerminal(o) || os.Getenv("TERM") == "dumb" {
			return 0, 0, false
		}
		w, h, err := term.GetSize(int(o.Fd()))
		return w, h, err == nil && w > 0 && h > 0
	}
	return &board{out: o.bold(), size: size, ended: -1}
}

// linesOfFiles is the width of a board where there is no terminal.
const linesOfFiles = 80

// end leaves the cursor on an empty line. A terminal may have printed ^C at an interrupt.
func (b *board) end() {
	if b.widths != nil {
		fmt.Fprint(b.out, "\r\x1b[J")
	}
}

func (b *board) draw(s live.State, last bool) {
	width, height, ok := b.size()
	if !ok {
		if now := s.Ended + s.Failed; last || b.ended < 0 || now != b.ended && s.At.Sub(b.printed) >= lineEvery {
			if b.ended >= 0 {
				fmt.Fprintln(b.out)
			}
			b.ended, b.printed = now, s.At
			fmt.Fprintln(b.out, strings.Join(s.Text(linesOfFiles), "\n"))
		}
		return
	}
	lines := s.Text(width - 1) // writing the last column moves the cursor on some terminals
	if room := max(2, height-1); len(lines) > room {
		more := len(lines) - room + 1
		lines = append(lines[:room-1], fmt.Sprintf("... %s; a higher window shows them", plural(more, "more line")))
	}
	// If the terminal became narrower, a drawn line now takes several lines.
	up := 0
	for _, columns := range b.widths {
		up += 1 + wrapped(columns, width)
	}
	var text strings.Builder
	if up > 0 {
		fmt.Fprintf(&text, "\r\x1b[%dA", min(up, height-1))
	}
	text.WriteString("\r\x1b[J") // this also removes a printed ^C
	b.widths = b.widths[:0]
	for i, l := range lines {
		b.widths = append(b.widths, utf8.RuneCountInString(l))
		if i == 0 && os.Getenv("NO_COLOR") == "" {
			l = "\x1b[1m" + l + "\x1b[0m"
		}
		text.WriteString(l + "\n")
	}
	_, _ = io.WriteString(b.out, text.String())
}
