package cmd

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// lineEvery is the least time between progress lines where there is no terminal.
const lineEvery = 10 * time.Second

// progress shows how far a run is: a bar on a terminal, plain lines elsewhere.
// The time left follows the predicted cost of the cells that remain, corrected by
// how long finished cells of the same method took, and is never more than what
// is left of a budget.
type progress struct {
	out   io.Writer
	bar   *mpb.Bar // nil where there is no terminal
	bars  *mpb.Progress
	start time.Time
	opt   harness.Options
	cells int
	pace  harness.Pace

	metric string // of the protocol; "" for the usual one of a task

	mu    sync.Mutex
	done  int
	left  map[*harness.PlannedCell]bool
	last  time.Time
	label string
}

func newProgress(out io.Writer, plan *harness.Plan, opt harness.Options, metric string) *progress {
	p := &progress{out: out, start: time.Now(), last: time.Now(), opt: opt, cells: len(plan.Cells), left: map[*harness.PlannedCell]bool{}, metric: metric}
	for _, c := range plan.Cells {
		p.left[c] = true
	}
	if isTerminal(out) && p.cells > 0 {
		p.bars = mpb.New(mpb.WithOutput(out), mpb.WithAutoRefresh())
		p.bar = p.bars.AddBar(int64(p.cells),
			mpb.BarRemoveOnComplete(), mpb.BarWidth(barWidth),
			mpb.PrependDecorators(decor.CountersNoUnit("%d/%d cells ")),
			mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string {
				return clip(p.status(), s.AvailableWidth)
			})))
	}
	return p
}

// barWidth is the bar's own width in columns; counters and status stand beside it.
const barWidth = 24

// clip cuts text to a number of columns; a line that wraps would be drawn twice.
func clip(text string, columns int) string {
	runes := []rune(text)
	if len(runes) <= columns {
		return text
	}
	return string(runes[:max(0, columns-1)]) + "…"
}

// status is "12s, about 3m40s left, wine GBRFF2".
func (p *progress) status() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	elapsed := time.Since(p.start).Seconds()
	text := " " + round(elapsed).String()
	if p.done > 0 && p.done < p.cells {
		text += fmt.Sprintf(", about %s left", round(p.remaining(elapsed)))
	}
	return text + p.label
}

// remaining predicts the seconds that are left.
func (p *progress) remaining(elapsed float64) float64 {
	seconds := 0.0
	for c := range p.left {
		seconds += p.pace.Seconds(c)
	}
	seconds /= float64(p.opt.Jobs)
	if p.opt.Budget > 0 {
		seconds = min(seconds, max(0, p.opt.Budget.Seconds()-elapsed))
	}
	return seconds
}

func (p *progress) finished(c *harness.PlannedCell, r store.Run) {
	p.pace.Record(c, r.Seconds())
	p.mu.Lock()
	p.done++
	delete(p.left, c)
	p.label = ", " + c.Cell.String()
	if r.Status == store.OK {
		p.label += p.testResult(r)
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
		fmt.Fprintf(p.out, "%d/%d cells,%s\n", p.count(), p.cells, p.status())
	}
}

// testResult is the test by the metric that selects, such as ": 93.1 %" or ": rmse 0.482".
func (p *progress) testResult(r store.Run) string {
	task, err := registry.ParseTask(r.Task)
	if err != nil {
		return ""
	}
	m, err := metric.ForSelection(p.metric, task)
	if err != nil {
		return ""
	}
	value := m.Of(r.Test)
	if value == nil {
		return ""
	}
	v, _ := value.Float64()
	name := m.Name + " "
	if m.Name == "accuracy" {
		name = ""
	}
	if m.Percent {
		return fmt.Sprintf(": %s%.1f %%", name, 100*v)
	}
	return fmt.Sprintf(": %s%.3g", name, v)
}

func (p *progress) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// note prints a line above the bar.
func (p *progress) note(line string) {
	line = spelled(line)
	if p.bars != nil {
		fmt.Fprintln(p.bars, "\r"+line) // an echoed ^C has moved the cursor
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
