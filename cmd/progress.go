package cmd

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
)

// lineEvery is the least time between progress lines without a terminal. The first and the last cell always have a
// line: the first one shows how long a method takes here.
const lineEvery = 10 * time.Second

// progress shows the progress of a run: in a pane of the terminal, elsewhere in plain lines.
type progress struct {
	out    io.Writer
	start  time.Time
	now    func() store.Progress
	cells  int
	metric string // of the protocol; "" for the task's usual metric

	mu    sync.Mutex // guards pane, label and over
	pane  pane
	label string
	over  bool

	ended    int       // cells
	last     time.Time // of the last line without a terminal
	failed   failures
	sided    map[string]bool // by "method on set": the note of metric.OneSided was printed
	suspects bool            // the user was told that an earlier run died in a cell
}

// drawEvery is the time between two drawings of the progress on a terminal.
const drawEvery = 200 * time.Millisecond

func newProgress(out io.Writer, now func() store.Progress, metric string) *progress {
	begun := time.Now()
	p := &progress{out: out, pane: newPane(out, out), start: begun, last: begun, now: now, cells: now().Planned,
		metric: metric, sided: map[string]bool{}}
	go func() {
		for p.draw("") {
			time.Sleep(drawEvery)
		}
	}()
	return p
}

// barWidth is the number of columns within the bar.
const barWidth = 16

// draw shows how far the run is, and said above that. It returns false where nothing is drawn: there is no terminal, no
// cell, or the run is over.
func (p *progress) draw(said string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cells == 0 || p.over {
		return false
	}
	return p.pane.draw(said, func(int) []string {
		seen := p.now()
		bar := strings.Repeat("=", barWidth*seen.Ended/p.cells)
		line := fmt.Sprintf("%d/%d cells [%-*s]%s", seen.Ended, p.cells, barWidth, bar, p.status(seen))
		return []string{line, underWay(seen)}
	})
}

// status is " 12s, about 3m40s left, wine GBRFF2". The time left is unknown where that of all its methods is.
func (p *progress) status(seen store.Progress) string {
	text := " " + wording.Seconds(time.Since(p.start).Seconds())
	left := max(0, time.Until(seen.Until).Seconds())
	switch {
	case seen.Ended == p.cells:
	case left == 0 && seen.Unknown != nil:
		text += ", time left unknown"
	default:
		text += fmt.Sprintf(", about %s left%s", wording.Seconds(left), without(seen.Unknown))
	}
	return text + p.label
}

// without names methods whose time is unknown, as in " without A, B"; it is empty if there are none.
func without(methods []string) string {
	if methods == nil {
		return ""
	}
	return " without " + wording.Few(methods, wording.MostNames)
}

// underWay names the cells that are running, the longest first.
func underWay(seen store.Progress) string {
	var parts []string
	for _, c := range seen.Running {
		parts = append(parts, fmt.Sprintf("%s (%s)", c.Name, wording.Seconds(time.Since(c.Since).Seconds())))
	}
	return "now " + strings.Join(parts, "; ")
}

// handle shows what happened to a cell.
func (p *progress) handle(e schedule.Event) {
	switch e.Kind {
	case schedule.Started:
		if e.Cell.Spec.Suspect && !p.suspects {
			p.suspects = true
			p.note(fmt.Sprintf("a cell during which an earlier run ended is run in a process of its own: %s",
				e.Cell.Cell))
		}
	case schedule.Finished:
		p.finished(e.Cell, e.Run)
	case schedule.Unplaced:
		p.note(fmt.Sprintf("no worker takes %s, such as %s (%s): waiting for a worker with enough --memory that does "+
			"not refuse them",
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
	class, area, is := metric.OneSided(r.Score)
	if of := c.Cell.Method + " on " + c.Cell.Dataset; is && c.Foreign && c.Spec.Canary == nil && !p.sided[of] {
		p.sided[of] = true
		p.note(fmt.Sprintf("note: %s, split %d: "+oneSided, of, c.Cell.Split, class, 100*area))
	}
	if r.Status != result.OK && c.Spec.Canary == nil { // a failed canary is stored, but it is no result
		// further ones are counted at the end
		if p.failed.add(c.Cell.Method, c.Cell.Dataset, failedAs(r.Status, r.Class), r.Error, 1) {
			p.note(fmt.Sprintf("%s %s: %s", c.Cell, failedAs(r.Status, r.Class), wording.Spelled(firstLine(r.Error))))
		}
	}
	_, _, drawn := p.pane.size()
	if p.ended++; drawn || p.ended > 1 && p.ended < p.cells && time.Since(p.last) < lineEvery {
		return
	}
	p.last = time.Now()
	seen := p.now()
	line := fmt.Sprintf("%d/%d cells,%s", seen.Ended, p.cells, p.status(seen))
	if len(seen.Running) > 0 {
		line += "; " + underWay(seen)
	}
	fmt.Fprintln(p.out, line)
}

// oneSided is the note for a test that metric.OneSided finds.
const oneSided = "every row counts as class %s by the sign of its score, although the order of the scores separates " +
	"the classes (AUC %.1f %%); scores above 0 are for class +1, so take 1/2 from probabilities, 50 from percentages"

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

// note prints a line, above what is drawn.
func (p *progress) note(line string) {
	if line = wording.Spelled(line) + "\n"; !p.draw(line) {
		_, _ = io.WriteString(p.out, line)
	}
}

// close removes what is drawn.
func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.pane.draw("", func(int) []string { return nil })
}
