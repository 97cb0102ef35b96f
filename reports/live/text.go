package live

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/frame"
)

// underWay shows the first cells that are under way.
func (s State) underWay(width int, line func(string, ...any)) {
	by := width / 4
	room := width - by - 29
	line("%s %s %6s %20s", pad("under way", room), pad("by", by), "for", "predicted end")
	for _, c := range s.Cells[:min(len(s.Cells), mostCells)] {
		line("%s %s %6s %20s", pad(clip(c.Name, room), room), pad(clip(cmp.Or(c.By, "a worker"), by), by),
			wording.Seconds(c.For), s.Ends(c))
	}
	if more := len(s.Cells) - mostCells; more > 0 {
		line("and %d more that workers have taken", more)
	}
}

// mostCells is how many cells under way a text shows. A worker takes many short ones at once.
const mostCells = 12

// Text returns a state as lines of at most width columns. What a terminal would obey is spelled out.
func (s State) Text(width int) []string {
	var out []string
	line := func(format string, a ...any) {
		out = append(out, clip(wording.Spelled(fmt.Sprintf(format, a...)), width))
	}
	wrap := func(whole string) {
		out = append(out, strings.Split(text.WrapSoft(wording.Spelled(whole), width), "\n")...)
	}
	head, now := s.Database, s.At.Format(time.TimeOnly)
	if s.Protocol != "" {
		head += ", protocol " + s.Protocol
	}
	line("%s", pad(clip(head, width-len(now)-1), width-len(now))+now)
	wrap(s.Summary())
	if s.Runs > 0 {
		line("%s", bar(width, s.Ended, s.Planned))
	}
	if len(s.Workers) > 0 {
		line("")
		line("%s %5s %6s", pad("worker", width-13), "jobs", "cells")
	}
	for _, w := range s.Workers {
		line("%s %5d %6d", pad(clip(w.Name, width-14), width-13), w.Jobs, w.Cells)
	}
	if len(s.Cells) > 0 {
		line("")
		s.underWay(width, line)
	}
	for _, w := range s.Warnings {
		wrap("warning: " + w)
	}
	if len(s.Failures) > 0 {
		line("")
		line("failed")
	}
	for _, f := range s.Failures {
		line("%s", Failure(f))
		_, rest, _ := strings.Cut(f.Error, "\n") // after a crash, the rest is the standard error
		for _, l := range lastLines(rest+"\n"+f.Stderr, 2) {
			line("    %s", l)
		}
	}
	if len(s.Sets) > 0 {
		line("")
		line("%s %18s  best so far", pad("data set", width/3+9), "cells")
	}
	for _, d := range s.Sets {
		room := width / 3
		before := fmt.Sprintf("%s %s  ", pad(clip(d.Name, room), room), d.done())
		line("%s%s", before, d.leaders(width-text.StringWidth(before)))
	}
	return out
}

// Summary is "152 of 400 cells, 3 failed; 12.3 a minute; about 4m left, until 17:56".
func (s State) Summary() string {
	if s.Runs == 0 {
		return "No run is under way"
	}
	text := fmt.Sprintf("%d of %s", s.Ended, frame.Count(s.Planned, "cell"))
	if s.Runs > 1 {
		text += fmt.Sprintf(" of %d runs", s.Runs)
	}
	if s.Failed > 0 {
		text += fmt.Sprintf(", %d failed", s.Failed)
	}
	if s.Rate > 0 {
		text += fmt.Sprintf("; %.3g a minute", s.Rate)
	}
	unknown := wording.Few(s.Unknown, wording.MostNames)
	if s.Left == 0 && unknown != "" {
		return text + "; time left unknown until a fit of " + unknown + " is measured"
	}
	text += fmt.Sprintf("; about %s left, until %s", wording.Seconds(s.Left), s.after(s.Left))
	if unknown != "" {
		text += ", without " + unknown + ", whose time is unknown"
	}
	return text
}

// Ends says when a cell is predicted to end.
func (s State) Ends(c Cell) string {
	if c.Left < 0 {
		return "unknown"
	}
	return "in " + wording.Seconds(c.Left) + ", " + s.after(c.Left)
}

// after is the time of day some seconds after the state, with the date where that is another day.
func (s State) after(seconds float64) string {
	then := s.At.Add(time.Duration(seconds * float64(time.Second)))
	switch {
	case seconds > 300*24*3600: // no forecast is good for so long
		return "next year"
	case seconds < 600:
		return then.Format(time.TimeOnly)
	case then.YearDay() != s.At.YearDay():
		return then.Format("2 Jan 15:04")
	}
	return then.Format("15:04")
}

// done is a bar and "34/60 (3 failed)".
func (d Set) done() string {
	stored, cells := d.OK+d.Failed, d.OK+d.Failed+d.Left
	text := fmt.Sprintf("%d/%d", stored, cells)
	if d.Failed > 0 {
		text += fmt.Sprintf(" (%d failed)", d.Failed)
	}
	return fmt.Sprintf("%s %18s", bar(8, stored, cells), text)
}

// leaders is the best mean with as many names of methods as fit into the columns: "98.1 GBRFF2, SVM and 13 more". Where
// not even one of several names fits, it is "98.1 15 methods".
func (d Set) leaders(columns int) string {
	for most := wording.MostNames; most > 0; most-- {
		out := strings.TrimSpace(d.Mean + " " + wording.Few(d.Best, most))
		if len(d.Best) <= 1 || text.StringWidth(wording.Spelled(out)) <= columns {
			return out
		}
	}
	return d.Mean + " " + frame.Count(len(d.Best), "method")
}

// Failure is "3 cells of LGBM failed (crash), the last on wine, split 2: exit status 1".
func Failure(f store.FailureShown) string {
	how := string(f.Status)
	if f.Status == result.Failed && f.Class != "" && f.Class != result.ClassError {
		how += " (" + string(f.Class) + ")"
	}
	return fmt.Sprintf("%s of %s %s, the last on %s, split %d: %s", frame.Count(f.Cells, "cell"), f.Method, how,
		f.Dataset, f.Split, wording.FirstLine(f.Error))
}

// lastLines returns the last lines of a text that are not blank.
func lastLines(text string, most int) []string {
	var out []string
	for _, l := range strings.Split(text, "\n") {
		if l = strings.TrimRight(strings.ReplaceAll(l, "\t", "    "), " \r"); l != "" {
			out = append(out, l)
		}
	}
	return out[max(0, len(out)-most):]
}

func bar(columns, part, whole int) string {
	filled := 0
	if whole > 0 {
		filled = (columns - 2) * part / whole
	}
	return "[" + strings.Repeat("#", filled) + strings.Repeat("-", max(0, columns-2-filled)) + "]"
}

func pad(s string, columns int) string { return text.Pad(s, columns, ' ') }

func clip(s string, columns int) string { return text.Snip(s, max(1, columns), "…") }
