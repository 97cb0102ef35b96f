package cmd

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// lineEvery is the least time between progress lines without a terminal. The first and the last cell always have a line:
// the first one shows how long a method takes here.
const lineEvery = 10 * time.Second

// progress shows the progress of a run: on a terminal a bar and a line with the running cells, elsewhere plain lines. The
// remaining time is the plan's forecast, corrected by cells that have ended, and at most the rest of the budget.
type progress struct {
	out    io.Writer
	bar    *mpb.Bar // nil where there is no terminal
	bars   *mpb.Progress
	start  time.Time
	opt    schedule.Options
	cells  int
	resize reflow

	metric string // of the protocol; "" for the task's usual metric

	mu      sync.Mutex
	done    int
	left    map[*plan.Cell]bool      // neither ended nor running
	running map[*plan.Cell]time.Time // since when
	last    time.Time
	label   string

	failed   failures
	suspects bool // the user was told that an earlier run died in a cell
}

func newProgress(out io.Writer, todo *plan.Plan, opt schedule.Options, metric string) *progress {
	p := &progress{out: out, start: time.Now(), last: time.Now(), opt: opt, cells: len(todo.Cells), metric: metric,
		left: map[*plan.Cell]bool{}, running: map[*plan.Cell]time.Time{}}
	for _, c := range todo.Cells {
		p.left[c] = true
	}
	if isTerminal(out) && p.cells > 0 {
		p.bars = mpb.New(mpb.WithOutput(out), mpb.WithAutoRefresh())
		p.bar = p.bars.AddBar(int64(p.cells),
			mpb.BarRemoveOnComplete(), mpb.BarWidth(barWidth),
			mpb.PrependDecorators(decor.CountersNoUnit("%d/%d cells ")),
			mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string {
				text := clip(p.status(), s.AvailableWidth)
				width := p.resize.before(out)
				p.resize.bar = min(width, width-s.AvailableWidth+len([]rune(text))+barWidth) // the bar takes what the text leaves
				return text
			})),
			mpb.BarExtender(mpb.BarFillerFunc(func(w io.Writer, _ decor.Statistics) error {
				line := clip(p.now(), p.resize.width-1)
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
func (p *progress) status() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	elapsed := time.Since(p.start).Seconds()
	text := " " + wording.Seconds(elapsed)
	if p.done < p.cells {
		text += fmt.Sprintf(", about %s left", wording.Seconds(p.remaining(elapsed)))
	}
	return text + p.label
}

// now names the cells that are running, the longest first.
func (p *progress) now() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	cells := slices.SortedFunc(maps.Keys(p.running), func(a, b *plan.Cell) int { return p.running[a].Compare(p.running[b]) })
	var parts []string
	for _, c := range cells {
		parts = append(parts, fmt.Sprintf("%s (%s)", c.Cell, wording.Seconds(time.Since(p.running[c]).Seconds())))
	}
	return "now " + strings.Join(parts, "; ")
}

// remaining predicts the seconds that are left; p.mu is held.
func (p *progress) remaining(elapsed float64) float64 {
	var running []plan.RunningCell
	for c, since := range p.running {
		running = append(running, plan.RunningCell{Cell: c, For: time.Since(since)})
	}
	var left []*plan.Cell
	for c := range p.left {
		if _, beyond := p.opt.Forecast.Beyond(p.opt.Limits, c); !beyond {
			left = append(left, c)
		}
	}
	seconds := p.opt.Forecast.Wall(left, running, p.opt.Places())
	if p.opt.Budget > 0 {
		seconds = min(seconds, max(0, p.opt.Budget.Seconds()-elapsed))
	}
	return seconds
}

func (p *progress) started(c *plan.Cell) {
	p.mu.Lock()
	delete(p.left, c)
	p.running[c] = time.Now()
	first := c.Spec.Suspect && !p.suspects
	p.suspects = p.suspects || c.Spec.Suspect
	p.mu.Unlock()
	if first {
		p.note(fmt.Sprintf("a cell during which an earlier run ended is run in a process of its own: %s", c.Cell))
	}
}

// elsewhere counts a cell that another run has ended.
func (p *progress) elsewhere(c *plan.Cell) {
	p.mu.Lock()
	p.done++
	delete(p.left, c)
	p.mu.Unlock()
	if p.bar != nil {
		p.bar.Increment()
	}
}

// waiting says that other runs are computing all cells that are left.
func (p *progress) waiting(cells int, by string) {
	p.note(fmt.Sprintf("waiting for %s that another run is at (%s); what it does not end is run here", plural(cells, "cell"), by))
}

func (p *progress) finished(c *plan.Cell, r result.Run) {
	p.mu.Lock()
	p.done++
	done := p.done
	delete(p.running, c)
	name := c.Cell.String()
	if c.Spec.Canary != nil {
		name = "canary of " + name
	} else if r.Status == result.OK {
		name += p.testResult(r)
	}
	p.label = ", " + name
	due := p.bar == nil && (p.done == 1 || time.Since(p.last) >= lineEvery || p.done == p.cells)
	if due {
		p.last = time.Now()
	}
	p.mu.Unlock()

	if r.Status != result.OK && c.Spec.Canary == nil { // a failed canary is stored, but it is no result
		p.mu.Lock()
		first := p.failed.add(c.Cell.Method, c.Cell.Dataset, failedAs(r.Status, r.Class), r.Error, 1)
		p.mu.Unlock()
		if first { // further failures of this kind are counted at the end
			p.note(fmt.Sprintf("%s %s: %s", c.Cell, failedAs(r.Status, r.Class), wording.Spelled(firstLine(r.Error))))
		}
	}
	switch {
	case p.bar != nil:
		p.bar.Increment()
	case due:
		line := fmt.Sprintf("%d/%d cells,%s", done, p.cells, p.status())
		if now := p.now(); now != "now " {
			line += "; " + now
		}
		fmt.Fprintln(p.out, line)
	}
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
