package cmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/store/storetest"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/reports/live"
)

// A glass is what a terminal shows of what is written to it: it knows line ends, returns, and the two sequences that a
// board uses.
type glass struct {
	width     int
	lines     []string
	row       int
	sequences string // escape sequences that were written, other than moving up and erasing
}

func (g *glass) Write(p []byte) (int, error) {
	column := 0
	text := strings.ReplaceAll(string(p), "…", "~")
	for len(text) > 0 {
		var up int
		for len(g.lines) <= g.row {
			g.lines = append(g.lines, "")
		}
		switch {
		case strings.HasPrefix(text, "\x1b[J"):
			g.lines = append(g.lines[:g.row], g.lines[g.row][:min(column, len(g.lines[g.row]))])
			text = text[3:]
			continue
		case strings.HasPrefix(text, "\x1b["):
			end := strings.IndexAny(text, "ABCDHJKm")
			if n, _ := fmt.Sscanf(text[:end+1], "\x1b[%dA", &up); n == 1 && text[end] == 'A' {
				g.row -= up
			} else {
				g.sequences += text[1 : end+1]
			}
			text = text[end+1:]
			continue
		case text[0] == '\r':
			column = 0
		case text[0] == '\n':
			g.row, column = g.row+1, 0
		default:
			if column == g.width { // the terminal breaks a wider line
				g.row, column = g.row+1, 0
				text = " " + text
				g.lines = append(g.lines, "")
				break
			}
			g.lines[g.row] += text[:1]
			column++
		}
		text = text[1:]
	}
	return len(p), nil
}

// narrow makes the terminal narrower, which breaks wider lines above the cursor.
func (g *glass) narrow(width int) {
	var lines []string
	for _, l := range g.lines {
		for ; len(l) > width; l = l[width:] {
			lines = append(lines, l[:width])
		}
		lines = append(lines, l)
	}
	g.row += len(lines) - len(g.lines)
	g.lines, g.width = lines, width
}

// pane is a pane of this terminal.
func (g *glass) pane(height int) pane {
	return pane{out: g, size: func() (int, int, bool) { return g.width, height, true }}
}

func (g *glass) String() string { return strings.TrimRight(strings.Join(g.lines, "\n"), "\n") }

// TestBoardInPlace: a state takes the place of the one before, also where it has other lines, and never more than the
// window.
func TestBoardInPlace(t *testing.T) {
	var g *glass
	var b *board
	fresh := func(height int) {
		g = &glass{width: 60}
		b = &board{pane: g.pane(height), ended: -1}
		fmt.Fprintln(g, "$ bench status --watch")
	}
	fresh(30)
	s := live.State{Database: "r.db", At: time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC), Runs: 1, Planned: 9, Left: 60}
	for i := range 20 {
		s.Sets = append(s.Sets, live.Set{Name: fmt.Sprint("set", i), Left: 1})
	}
	shows := func(state live.State, lines int) {
		t.Helper()
		b.show(state, false)
		want := append([]string{"$ bench status --watch"}, state.Text(g.width-1)...)
		if lines < len(want)-1 {
			want = append(want[:lines:lines], fmt.Sprintf("... %d more lines; a higher window shows them",
				len(want)-lines))
		}
		must.Be(t, g.String(), strings.ReplaceAll(strings.Join(want, "\n"), "…", "~"), "the terminal shows")
	}
	t.Setenv("NO_COLOR", "1")
	shows(s, 100)
	s.Ended = 3
	shows(s, 100)
	few := s
	few.Sets = s.Sets[:2]
	shows(few, 100)
	fresh(10)
	shows(s, 9)
	shows(few, 9)
	must.Be(t, g.sequences, "", "NO_COLOR is heeded by none of")
	t.Setenv("NO_COLOR", "")
	shows(few, 9)
	must.Be(t, g.sequences, "[1m[0m", "the first line is bold by")
	fmt.Fprint(g, "^C")
	b.end()
	must.Be(t, g.lines[len(g.lines)-1], "", "the cursor is left behind")
}

// TestProgressInPlace: notes stay above the bar, whose lines are cut to the terminal's width, also when it becomes
// narrower. At the end the bar is gone, and a note is a line of its own.
func TestProgressInPlace(t *testing.T) {
	g := &glass{width: 60}
	p := &progress{out: g, pane: g.pane(30), cells: 4, label: ", \x1b[2JCART on a set",
		start: time.Now().Add(-time.Hour)}
	p.now = func() store.Progress { return store.Progress{} }
	bar := "0/4 cells [" + strings.Repeat(" ", barWidth) + "] 1h, about 0.0s left, \\x1b[2JC~\nnow "
	p.draw("")
	p.note("first\r")
	p.note("second")
	if got, want := g.String(), "first\\r\nsecond\n"+strings.TrimRight(bar, " "); strings.TrimRight(got, " ") != want {
		t.Errorf("the terminal shows\n%s\nand not\n%s", got, want)
	}
	g.narrow(40)
	p.draw("")
	fmt.Fprint(g, "^C")
	must.Be(t, g.String(), "first\\r\nsecond\n"+bar[:38]+"~\nnow \n^C", "a narrower terminal shows")
	must.Begin(t, p.status(store.Progress{Unknown: []string{"A"}}), " 1h, time left unknown, ")
	p.close()
	p.note("over")
	must.Be(t, g.String(), "first\\r\nsecond\nover", "at the end the terminal shows")
}

// TestBoardInAFile: where there is no terminal, a block is printed when cells have ended, at most every ten seconds,
// and the last one in any case.
func TestBoardInAFile(t *testing.T) {
	var out strings.Builder
	b := &board{pane: newPane(&out, &out), ended: -1}
	s := live.State{Database: "r.db", At: time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC), Runs: 1, Planned: 9}
	for _, c := range []struct {
		after        time.Duration
		ended, shown int
		last         bool
	}{{0, 0, 1, false}, {time.Second, 1, 1, false}, {9 * time.Second, 1, 2, false}, {time.Hour, 1, 2, false},
		{time.Second, 2, 3, false}, {time.Second, 2, 4, true}} {
		s.At, s.Ended = s.At.Add(c.after), c.ended
		b.show(s, c.last)
		must.Be(t, strings.Count(out.String(), "r.db"), c.shown, c)
	}
	must.Lack(t, out.String(), "\x1b")
}

// TestWatchedSets: the watcher shows every set of the cells' rules, also one that the protocol of that name leaves to a
// longer list.
func TestWatchedSets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	db := must.Get(store.Open(t.Context(), path))(t)
	run := storetest.Finished("CART", "yeast", 1)
	run.Protocol, run.ProtocolHash, run.SetFile = "table2", must.Get(protocol.Load("table2"))(t).Hash(), ""
	w := db.NewWriter(environment.Current(), nil)
	must.Do(t, errors.Join(w.Put(run), w.Close(), db.Close()))
	a := &app{reg: methods.All(), db: path, err: &messages{}, sets: catalogue.Builtin()}
	reader := must.Get(a.reader(t.Context()))(t)
	defer reader.Close()
	watcher := must.Get(newWatcher(t.Context(), a, reader, ""))(t)
	defer watcher.Close()
	s := must.Get(watcher.Look(t.Context()))(t)
	if len(s.Sets) != 1 || s.Sets[0].Name != "yeast" || s.Sets[0].OK != 1 {
		t.Errorf("%+v, want one cell of yeast", s)
	}
}

// TestCellsUnderWay: a worker takes many short cells at once, and the line of a run names the first ones.
func TestCellsUnderWay(t *testing.T) {
	var seen store.Progress
	for range mostUnderWay + 3 {
		seen.Running = append(seen.Running, store.RunningCell{Name: "A on x, split 1", Since: time.Now()})
	}
	if line := underWay(seen); strings.Count(line, "A on x") != mostUnderWay || !strings.HasSuffix(line, "; 3 more") {
		t.Error(line)
	}
}
