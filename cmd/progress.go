package cmd

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// lineEvery is the least time between progress lines where there is no terminal.
const lineEvery = 10 * time.Second

// progress shows how far a run is: a bar on a terminal, plain lines elsewhere.
// The time left follows the predicted cost of the cells that remain, corrected by
// how long the finished ones took against their prediction.
type progress struct {
	out   io.Writer
	bar   *mpb.Bar // nil where there is no terminal
	bars  *mpb.Progress
	start time.Time
	cells int

	mu        sync.Mutex
	done      int
	total     float64 // predicted seconds of all cells
	finishedS float64 // predicted seconds of the finished ones
	last      time.Time
	label     string
}

func newProgress(out io.Writer, plan *harness.Plan) *progress {
	p := &progress{out: out, start: time.Now(), last: time.Now(), cells: len(plan.Cells), total: plan.Seconds()}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) && p.cells > 0 {
		p.bars = mpb.New(mpb.WithOutput(out), mpb.WithAutoRefresh())
		p.bar = p.bars.AddBar(int64(p.cells),
			mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.CountersNoUnit("%d/%d cells ")),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return p.status() })))
	}
	return p
}

// status is "12s, about 3m40s left, wine GBRFF2".
func (p *progress) status() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	elapsed := time.Since(p.start)
	text := " " + round(elapsed.Seconds()).String()
	if p.finishedS > 0 && p.done < p.cells {
		left := elapsed.Seconds() * (p.total - p.finishedS) / p.finishedS
		text += fmt.Sprintf(", about %s left", round(left))
	}
	return text + p.label
}

func (p *progress) finished(c *harness.PlannedCell, r store.Run) {
	p.mu.Lock()
	p.done++
	p.finishedS += c.Seconds
	p.label = ", " + c.Cell.String()
	if r.Status == store.OK && r.Test.Correct != nil {
		p.label += fmt.Sprintf(": %.1f %%", 100*float64(*r.Test.Correct)/float64(r.Test.N))
	}
	due := p.bar == nil && (time.Since(p.last) >= lineEvery || p.done == p.cells)
	if due {
		p.last = time.Now()
	}
	p.mu.Unlock()

	if r.Status != store.OK {
		p.note(fmt.Sprintf("%s %s: %s", c.Cell, r.Status, r.Error))
	}
	switch {
	case p.bar != nil:
		p.bar.Increment()
	case due:
		fmt.Fprintf(p.out, "%d/%d cells,%s\n", p.done, p.cells, p.status())
	}
}

// note prints a line above the bar.
func (p *progress) note(line string) {
	if p.bars != nil {
		fmt.Fprintln(p.bars, line)
		return
	}
	fmt.Fprintln(p.out, line)
}

func (p *progress) close() {
	if p.bar != nil {
		p.bar.Abort(true) // no effect on a bar that is complete
		p.bars.Wait()
	}
}
