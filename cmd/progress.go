package cmd

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// lineEvery is the least time between progress lines without a terminal. The first and the last cell always have a line:
// the first one shows how long a method takes here.
const lineEvery = 10 * time.Second

// progress shows the progress of a run: on a terminal a bar and a line with the running cells, elsewhere plain lines.
type progress struct {
	out    io.Writer
	bar    *mpb.Bar // nil where there is no terminal
	bars   *mpb.Progress
	start  time.Time
	run    *harness.Progress
	cells  int
	resize reflow

	metric string // of the protocol; "" for the task's usual metric

	mu    sync.Mutex // guards label
	label string

	ended    int       // cells
	last     time.Time // of the last line without a terminal
	failed   failures
	suspects bool // the user was told that an earlier run died in a cell
}

func newProgress(out io.Writer, run *harness.Progress, metric string) *progress {
	p := &progress{out: out, start: time.Now(), last: time.Now(), run: run, cells: run.Now().Planned, metric: metric}
	if isTerminal(out) && p.cells > 0 {
		var seen store.Progress
		p.bars = mpb.New(mpb.WithOutput(out), mpb.WithAutoRefresh())
		p.bar = p.bars.AddBar(int64(p.cells),
			mpb.BarRemoveOnComplete(), mpb.BarWidth(barWidth),
			mpb.PrependDecorators(decor.CountersNoUnit("%d/%d cells ")),
			mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string {
				seen = p.run.Now()
				text := clip(p.status(seen), s.AvailableWidth)
				width := p.resize.before(out)
				p.resize.bar = min(width, width-s.AvailableWidth+len([]rune(text))+barWidth) // the bar takes what the text leaves
				return text
			})),
			mpb.BarExtender(mpb.BarFillerFunc(func(w io.Writer, _ decor.Statistics) error {
				line := clip(underWay(seen), p.resize.width-1)
				p.resize.now = len([]rune(line))
				_, err := fmt.Fprintln(w, line)
				return err
			}), false))
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

// A reflow repairs the bar after a terminal became narrower. The last drawing then takes more than the bar's two lines, and
// the extra lines would stay behind.
type reflow struct{ width, bar, now int } // of the terminal and of the lines that were drawn last

// before moves the cursor to the line where the bar begins now, if the terminal became narrower. It returns the width.
func (r *reflow) before(out io.Writer) int {
	f, ok := out.(interface{ Fd() uintptr })
	if !ok {
		return r.width
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return r.width
	}
	if width < r.width {
		if more := wrapped(r.bar, width) + wrapped(r.now, width); more > 0 {
			fmt.Fprintf(out, "\x1b[%dA", more)
		}
	}
	r.width = width
	return width
}

// wrapped is the number of lines that a line takes beyond its first.
func wrapped(columns, width int) int { return max(0, columns-1) / width }

// status is " 12s, about 3m40s left, wine GBRFF2".
func (p *progress) status(seen store.Progress) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := " " + wording.Seconds(time.Since(p.start).Seconds())
	if seen.Ended < p.cells {
		text += fmt.Sprintf(", about %s left", wording.Seconds(max(0, time.Until(seen.Until).Seconds())))
	}
	return text + p.label
}

// underWay names the cells that are running, the longest first.
func underWay(seen store.Progress) string {
	var parts []string
	for _, c := range seen.Running {
		parts = append(parts, fmt.Sprintf("%s (%s)", c.Name, wording.Seconds(time.Since(c.Since).Seconds())))
	}
	return "now " + strings.Join(parts, "; ")
}

// hear shows what happened to a cell.
func (p *progress) hear(e schedule.Event) {
	switch e.Kind {
	case schedule.Started:
		if e.Cell.Spec.Suspect && !p.suspects {
			p.suspects = true
			p.note(fmt.Sprintf("a cell during which an earlier run ended is run in a process of its own: %s", e.Cell.Cell))
		}
	case schedule.Finished:
		p.finished(e.Cell, e.Run)
	case schedule.Unplaced:
		p.note(fmt.Sprintf("no worker takes %s, such as %s (%s): waiting for a worker with enough --memory that does not refuse them",
			plural(e.Cells, "cell"), e.Cell, wording.Bytes(e.Cell.Spec.Memory)))
	}
}

func (p *progress) finished(c *plan.Cell, r result.Run) {
	name := c.Cell.String()
	if c.Spec.Canary != nil {
		name = "canary of " + name
	} else if r.Status == result.OK {
		name += p.testResult(r)
	}
	p.mu.Lock()
	p.label = ", " + name
	p.mu.Unlock()
	if r.Status != result.OK && c.Spec.Canary == nil { // a failed canary is stored, but it is no result
		if p.failed.add(c.Cell.Method, c.Cell.Dataset, failedAs(r.Status, r.Class), r.Error, 1) { // further ones are counted at the end
			p.note(fmt.Sprintf("%s %s: %s", c.Cell, failedAs(r.Status, r.Class), wording.Spelled(firstLine(r.Error))))
		}
	}
	if p.bar != nil {
		p.bar.Increment()
		return
	}
	if p.ended++; p.ended > 1 && p.ended < p.cells && time.Since(p.last) < lineEvery {
		return
	}
	p.last = time.Now()
	seen := p.run.Now()
	line := fmt.Sprintf("%d/%d cells,%s", seen.Ended, p.cells, p.status(seen))
	if len(seen.Running) > 0 {
		line += "; " + underWay(seen)
	}
	fmt.Fprintln(p.out, line)
}

// testResult returns the test result by the metric that selects, such as ": 93.1 %" or ": rmse 0.482".
func (p *progress) testResult(r result.Run) string {
	task, err := registry.ParseTask(r.Task)
	if err != nil {
		return ""
	}
	m, err := metric.ForSelection(p.metric, task)
	if err != nil {
		return ""
	}
	value := m.Of(r.Score)
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

// note prints a line above the bar.
func (p *progress) note(line string) {
	line = wording.Spelled(line)
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
