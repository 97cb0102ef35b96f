package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/store/storetest"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/frame"
)

// began is when the runs of these tests began.
var began = time.Date(2026, 11, 2, 12, 0, 0, 0, time.Local)

// A scene is a database with runs under way, and a watcher whose clock the test sets.
type scene struct {
	db  *store.DB
	w   *Watcher
	now time.Time
}

func newScene(t *testing.T) *scene {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.db")
	db, err1 := store.Open(t.Context(), path)
	reader, err2 := store.OpenReader(t.Context(), path)
	must.Do(t, errors.Join(err1, err2))
	share = 0 // all is read anew at each look
	s := &scene{db: db, now: began}
	s.w = must.Get(NewWatcher(t.Context(), reader, Options{
		Now:   func() time.Time { return s.now },
		Frame: func(context.Context, string) (frame.Frame, error) { return frame.Frame{}, frame.ErrNoResults },
	}))(t)
	t.Cleanup(func() { must.Do(t, errors.Join(s.w.Close(), reader.Close(), db.Close())) })
	return s
}

// begin puts a run under way. says writes what it says of itself.
func (s *scene) begin(t *testing.T, first store.Progress) (says func(store.Progress)) {
	t.Helper()
	r := must.Get(s.db.Register(t.Context(), nil, first, nil))(t)
	t.Cleanup(func() { must.Do(t, r.Close()) })
	return func(p store.Progress) {
		t.Helper()
		must.Do(t, r.Write(t.Context(), p))
	}
}

func (s *scene) look(t *testing.T) State {
	t.Helper()
	return must.Get(s.w.Look(t.Context()))(t)
}

// put stores a cell.
func (s *scene) put(t *testing.T, method, dataset string, status result.Status, text, stderr string) {
	t.Helper()
	run := storetest.Finished(method, dataset, 1)
	run.Protocol, run.Status, run.Error, run.Stderr = "p", status, text, stderr
	if status != result.OK {
		run.Class, run.Folds, run.Score = result.ClassCrash, nil, result.Score{}
	}
	w := s.db.NewWriter(environment.Current(), nil)
	must.Do(t, errors.Join(w.Put(run), w.Close()))
}

// TestState: what runs say of themselves is shown as of the moment of the look. Rates are counted since the runs
// began, and then over the last minute.
func TestState(t *testing.T) {
	s := newScene(t)
	at := func(seconds int) time.Time { return began.Add(time.Duration(seconds) * time.Second) }
	p := store.Progress{Machine: "here/1", Protocol: "p", Begun: began, Until: at(100), Jobs: 1, Planned: 12,
		Left:    map[string]int{"x": 6, "y": 6},
		Workers: []store.Worker{{Name: "lab/2", Jobs: 2, Memory: 1 << 30}},
		Running: []store.RunningCell{{Name: "A on x, split 1", By: "here/1", Since: began, Until: at(10)},
			{Name: "B on y, split 2", Since: began, Until: at(30)}, {Name: "B on y, split 1", By: "lab/2",
				Since: at(5), Until: at(7)}}}
	says := s.begin(t, p)
	s.now = at(8)
	got := s.look(t)
	if got.Left != 92 || got.Protocol != "p" || got.Planned != 12 || got.Ended != 0 || got.Rate != 0 {
		t.Errorf("%+v, want 92 s left of 12 cells", got)
	}
	text := ""
	for _, c := range got.Cells {
		text += fmt.Sprintf("%s by %s for %.6g, %.6g left; ", c.Name, c.By, c.For, c.Left)
	}
	must.Be(t, text, "A on x, split 1 by here/1 for 8, 2 left; B on y, split 2 by  for 8, 22 left; B on y, split 1 by "+
		"lab/2 for 3, 0 left; ", "cells under way")
	must.Be(t, fmt.Sprint(got.Workers), "[{here/1 (run) 1 1} {lab/2 2 1}]", "workers")
	must.Be(t, fmt.Sprint(got.Sets), "[{x 0 0 6 [] } {y 0 0 6 [] }]", "sets")

	s.put(t, "A", "x", result.OK, "", "")
	s.put(t, "B", "y", result.Failed, "it broke\nhere", "a trace")
	p.Ended, p.Failed, p.Left, p.Running = 2, 1, map[string]int{"x": 5}, p.Running[1:2]
	says(p)
	s.now = at(30)
	got = s.look(t)
	if got.Ended != 2 || got.Failed != 1 || got.Rate != 4 || fmt.Sprint(got.Sets) != "[{x 0 0 5 [] }]" {
		t.Errorf("%+v: want 2 cells in half a minute", got)
	}
	if len(got.Failures) != 1 || got.Failures[0].Stderr != "a trace" ||
		Failure(got.Failures[0]) != "1 cell of B failed (crash), the last on y, split 1: it broke" {
		t.Errorf("failures: %+v", got.Failures)
	}
	if len(got.Cells) != 1 || got.Cells[0].Name != "B on y, split 2" {
		t.Errorf("cells that have ended are under way: %v", got.Cells)
	}
	p.Ended = 3
	says(p)
	s.now = at(90)
	if got = s.look(t); math.Abs(got.Rate-1) > 1e-9 {
		t.Errorf("one cell in the last minute is a rate of %v", got.Rate)
	}
}

// TestTwoRuns: two runs on one database go together, each until it ends. Cells of another protocol than the shown
// one name it.
func TestTwoRuns(t *testing.T) {
	s := newScene(t)
	s.begin(t, store.Progress{Machine: "a", Protocol: "p", Begun: began, Until: began.Add(10 * time.Second),
		Planned: 2, Left: map[string]int{"x": 2}})
	s.begin(t, store.Progress{Machine: "b", Protocol: "q", Begun: began, Until: began.Add(5 * time.Second), Planned: 3,
		Left: map[string]int{"x": 3}, Unknown: []string{"A"},
		Running: []store.RunningCell{{Name: "A on x, split 1", By: "b", Since: began}}})
	got := s.look(t)
	if got.Left != 10 || got.Planned != 5 || got.Runs != 2 || got.Ends(got.Cells[0]) != "unknown" ||
		got.Summary() != "0 of 5 cells of 2 runs; about 10s left, until 12:00:10, without A, whose time is unknown" {
		t.Errorf("%+v", got)
	}
	got.Left = 0
	must.Be(t, got.Summary(), "0 of 5 cells of 2 runs; time left unknown until a fit of A is measured")
	must.Be(t, fmt.Sprint(got.Sets), "[{x 0 0 2 [] }]", "sets")
	must.Be(t, got.Cells[0].Name, "A on x, split 1 (q)", "sets")
}

// hostile is a state whose names are those of somebody who wants to be a program.
func hostile() State {
	const name = "<script>document.title='owned'</script>\x1b[2J\u202e<img src=x onerror=alert(1)>"
	return State{
		Database: name, Protocol: name, At: began, Runs: 1, Planned: 4, Ended: 1, Failed: 1, Left: 61,
		Workers: []Worker{{Name: name, Jobs: 1, Cells: 1}}, Cells: []Cell{{Name: name, By: name, For: 3, Left: 4}},
		Sets: []Set{{Name: name, OK: 1, Failed: 1, Left: 2, Best: []string{name}, Mean: name}},
		Failures: []store.FailureShown{{Method: name, Dataset: name, Split: 1, Status: result.Failed,
			Class: result.ClassCrash, Error: name + "\n" + name, Stderr: name + "\n\t" + name, Cells: 1}},
		Warnings: []string{name},
	}
}

// TestTextOfAnything: lines are no wider than the screen, and hold nothing that a terminal obeys.
func TestTextOfAnything(t *testing.T) {
	for _, width := range []int{40, 80, 200} {
		for _, line := range hostile().Text(width) {
			if utf8.RuneCountInString(line) > width || strings.ContainsAny(line, "\x1b\u202e\n") {
				t.Errorf("%d columns: %q", width, line)
			}
		}
	}
}

// TestText: what 80 columns show.
func TestText(t *testing.T) {
	s := State{
		Database: "results.db", Protocol: "table2", At: began, Runs: 1, Planned: 400, Ended: 100, Failed: 3,
		Rate: 12.34, Left: 220,
		Workers: []Worker{{Name: "lab1/4711 (run)", Jobs: 2, Cells: 1}},
		Cells: []Cell{{Name: "GBRFF2 on wine, split 3", By: "lab1/4711", For: 12, Left: 20},
			{Name: "CART on swiss, split 1", For: 1, Left: 4000}},
		Sets: []Set{{Name: "wine", OK: 31, Failed: 3, Left: 26, Best: []string{"GBRFF2"}, Mean: "98.1"},
			{Name: "swiss", Left: 60}},
		Failures: []store.FailureShown{{Method: "LGBM", Dataset: "wine", Split: 2, Status: result.Failed,
			Class: result.ClassCrash, Error: "its process ended; the end of its standard error:\nTraceback\n  boom",
			Cells: 3}},
	}
	const want = `
results.db, protocol table2                                             12:00:00
100 of 400 cells, 3 failed; 12.3 a minute; about 3m40s left, until 12:03:40
[###################-----------------------------------------------------------]

worker                                                               jobs  cells
lab1/4711 (run)                                                         2      1

under way                       by                      for        predicted end
GBRFF2 on wine, split 3         lab1/4711               12s     in 20s, 12:00:20
CART on swiss, split 1          a worker               1.0s      in 1h07m, 13:06

failed
3 cells of LGBM failed (crash), the last on wine, split 2: its process ended; t…
    Traceback
      boom

data set                                         cells  best so far
wine                       [###---]   34/60 (3 failed)  98.1 GBRFF2
swiss                      [------]               0/60  
`
	must.Be(t, "\n"+strings.Join(s.Text(80), "\n")+"\n", want)
	if got := (State{Database: "r.db", At: began}).Text(80); len(got) != 2 || got[1] != "No run is under way" {
		t.Errorf("%q", got)
	}
	s.Cells = slices.Repeat(s.Cells[:1], mostCells+3)
	if text := strings.Join(s.Text(80), "\n"); !strings.Contains(text, "\nand 3 more that workers have taken\n") {
		t.Error(text)
	}
}

// TestTiedNames: of many tied methods a line names those that fit, at most three, and counts the others. Nothing is cut
// without a sign.
func TestTiedNames(t *testing.T) {
	var names []string
	for i := range 16 {
		names = append(names, fmt.Sprintf("Method%02d", i+1))
	}
	s := State{At: began, Runs: 1, Planned: 9, Unknown: names, Sets: []Set{{Name: "wine", OK: 16, Best: names,
		Mean: "100.0"}}}
	for width, want := range map[int]string{
		80: "100.0 16 methods", 90: "100.0 Method01 and 15 more", 105: "100.0 Method01, Method02 and 14 more",
		120: "100.0 Method01, Method02, Method03 and 13 more", 300: "100.0 Method01, Method02, Method03 and 13 more",
	} {
		lines := s.Text(width)
		if last := lines[len(lines)-1]; !strings.HasSuffix(last, "  "+want) {
			t.Errorf("%d columns: %q, want %q", width, last, want)
		}
		whole := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
		must.Hold(t, whole, "unknown until a fit of Method01, Method02, Method03 and 13 more is measured")
	}
}
