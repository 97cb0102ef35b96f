package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/frame"
)

// began is when the runs of these tests began.
var began = time.Date(2026, 11, 2, 12, 0, 0, 0, time.Local)

// cell returns a planned cell. Its predicted time is the given seconds, if no time of a cell was measured before.
func cell(method, dataset string, split int, seconds float64) store.PlannedCell {
	return store.PlannedCell{Key: fmt.Sprint(method, dataset, split), Protocol: "p", Dataset: dataset, Method: method, MethodVersion: "1", Split: split, CostUnits: 1e9 * seconds / plan.UsualFactor}
}

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
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	share = 0 // all is read anew at each look
	s := &scene{db: db, now: began}
	var err error
	s.w, err = NewWatcher(t.Context(), reader, Options{
		Environment: environment.Current(), Now: func() time.Time { return s.now },
		Frame: func(context.Context, string) (frame.Frame, error) { return frame.Frame{}, frame.ErrNoResults },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.w.Close(), reader.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// begin puts a run under way.
func (s *scene) begin(t *testing.T, told store.Told, cells ...store.PlannedCell) {
	t.Helper()
	claims, err := s.db.NewClaims()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := claims.Close(); err != nil {
			t.Error(err)
		}
	})
	claims.Show(cells, func() store.Told { return told })
	for s.look(t).Runs == 0 {
		time.Sleep(5 * time.Millisecond)
		s.now = s.now.Add(time.Hour) // it is time to look again
	}
	s.now = began
	s.w.under, s.w.results, s.w.ended = pace{stale: true}, pace{stale: true}, nil
}

func (s *scene) look(t *testing.T) State {
	t.Helper()
	out, err := s.w.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// put stores a cell.
func (s *scene) put(t *testing.T, c store.PlannedCell, status result.Status, text, stderr string) {
	t.Helper()
	seconds := c.CostUnits / 1e9 * plan.UsualFactor
	run := result.Run{Planned: result.Planned{Key: c.Key, Protocol: c.Protocol, ProtocolHash: "h", Method: c.Method, MethodVersion: "1", Dataset: c.Dataset, Fingerprint: "f", Split: c.Split, Task: "binary", GridHash: "g", CostUnits: c.CostUnits},
		Status: status, Error: text, Stderr: stderr, TrainRows: 1, SearchSeconds: seconds, FitSeconds: new(float64), PredictSeconds: new(float64), CPUSeconds: &seconds, StartedAt: began.UTC().Format(time.RFC3339Nano)}
	if status != result.OK {
		run.Class = result.ClassCrash
	}
	w := s.db.NewWriter(environment.Current(), nil)
	if err := errors.Join(w.Put(run), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestState: what is left is the forecast of the plan over the cells that neither ended nor run, with those that run, on all places of
// the runs. Rates are counted since the runs began, and then over the last minute.
func TestState(t *testing.T) {
	s := newScene(t)
	var cells []store.PlannedCell
	for split := 1; split <= 6; split++ {
		cells = append(cells, cell("A", "x", split, 10), cell("B", "y", split, 30))
	}
	running := []store.CellUnder{{Key: "Ax1", Since: began}, {Key: "By1", Since: began.Add(5 * time.Second), Away: true}, {Key: "By2", Since: began, Away: true}}
	s.begin(t, store.Told{Machine: "here/1", Begun: began, Places: 3, Jobs: 1, Running: running, Workers: []store.Worker{{Name: "lab/2", Jobs: 2, Memory: 1 << 30, Keys: []string{"By1"}}}}, cells...)

	s.now = began.Add(8 * time.Second)
	got := s.look(t)
	f := plan.NewForecast(nil)
	var left []*plan.Cell
	var now []plan.RunningCell
	for _, c := range cells {
		switch c.Key {
		case "Ax1", "By2":
			now = append(now, plan.RunningCell{Cell: plan.OfShown(c), For: 8 * time.Second})
		case "By1":
			now = append(now, plan.RunningCell{Cell: plan.OfShown(c), For: 3 * time.Second})
		default:
			left = append(left, plan.OfShown(c))
		}
	}
	if want := f.Wall(left, now, 3); got.Left != want || got.Planned != 12 || got.Ended != 0 || got.Rate != 0 {
		t.Errorf("%+v, want %v s left of 12 cells", got, want)
	}
	// Without measured times a cell takes its cost, so that the ends can be said by hand: 10 - 8, 30 - 8 and 30 - 3 seconds.
	text := ""
	for _, c := range got.Cells {
		text += fmt.Sprintf("%s by %s for %.6g, %.6g left; ", c.Name, c.By, c.For, c.Left)
	}
	if text != "A on x, split 1 by here/1 for 8, 2 left; B on y, split 2 by  for 8, 22 left; B on y, split 1 by lab/2 for 3, 27 left; " {
		t.Errorf("cells under way: %s", text)
	}
	if text := fmt.Sprint(got.Workers); text != "[{here/1 true 1 0 1} {lab/2 false 2 1073741824 1}]" {
		t.Errorf("workers: %s", text)
	}
	if text := fmt.Sprint(got.Sets); text != "[{x 0 0 6 } {y 0 0 6 }]" {
		t.Errorf("sets: %s", text)
	}

	s.put(t, cells[0], result.OK, "", "")
	s.put(t, cells[1], result.Failed, "it broke\nhere", "a trace")
	s.now = began.Add(30 * time.Second)
	got = s.look(t)
	if got.Ended != 2 || got.Failed != 1 || got.Rate != 4 || fmt.Sprint(got.Sets) != "[{x 1 0 5 } {y 0 1 5 }]" {
		t.Errorf("%+v: want 2 cells in half a minute", got)
	}
	if len(got.Failures) != 1 || got.Failures[0].Stderr != "a trace" || Failure(got.Failures[0]) != "1 cell of B failed (crash), the last on y, split 1: it broke" {
		t.Errorf("failures: %+v", got.Failures)
	}
	if len(got.Cells) != 1 || got.Cells[0].Name != "B on y, split 2" {
		t.Errorf("cells that have ended are under way: %v", got.Cells)
	}
	s.put(t, cells[2], result.OK, "", "")
	s.now = began.Add(90 * time.Second)
	if got = s.look(t); math.Abs(got.Rate-1) > 1e-9 {
		t.Errorf("one cell in the last minute is a rate of %v", got.Rate)
	}
}

// TestTwoRuns: of two runs on one database each cell counts once, and their places go together.
func TestTwoRuns(t *testing.T) {
	s := newScene(t)
	s.begin(t, store.Told{Machine: "a", Begun: began, Places: 1, Jobs: 1}, cell("A", "x", 1, 10), cell("A", "x", 2, 10))
	s.look(t)
	runs := []store.Underway{s.w.runs[0], s.w.runs[0]}
	runs[1].Machine = "b"
	s.w.runs = runs // a second one of this process
	if got := s.look(t); got.Left != 10 || got.Planned != 2 || got.Runs != 2 || !strings.HasPrefix(got.Summary(), "0 of 2 cells of 2 runs; about 10s left, until 12:00:10") {
		t.Errorf("%+v", got)
	}
}

// TestBudget: a run with a budget ends with it, and cells beyond the limit of the run are not waited for.
func TestBudget(t *testing.T) {
	s := newScene(t)
	s.begin(t, store.Told{Machine: "a", Begun: began, Places: 1, Ends: began.Add(5 * time.Second)}, cell("A", "x", 1, 10))
	if got := s.look(t); got.Left != 5 {
		t.Errorf("%v s are left of a budget of 5", got.Left)
	}
	other := newScene(t)
	other.begin(t, store.Told{Machine: "a", Begun: began, Places: 1, MaxCell: 20 * time.Second}, cell("A", "x", 1, 10), cell("A", "x", 2, 10), cell("B", "x", 1, 100))
	other.put(t, cell("A", "x", 1, 10), result.OK, "", "")
	if got := other.look(t); got.Left < 10 || got.Left > 200 {
		t.Errorf("%v s are left", got.Left)
	}
}

// hostile is a state whose names are those of somebody who wants to be a program.
func hostile() State {
	const name = "<script>document.title='owned'</script>\x1b[2J\u202e<img src=x onerror=alert(1)>"
	return State{
		Database: name, Protocol: name, At: began, Runs: 1, Planned: 4, Ended: 1, Failed: 1, Left: 61,
		Workers: []Worker{{Name: name, Jobs: 1, Cells: 1}}, Cells: []Cell{{Name: name, By: name, For: 3, Left: 4}},
		Sets:     []Set{{Name: name, OK: 1, Failed: 1, Left: 2, Best: name}},
		Failures: []store.FailureShown{{Method: name, Dataset: name, Split: 1, Status: result.Failed, Class: result.ClassCrash, Error: name + "\n" + name, Stderr: name + "\n\t" + name, Cells: 1}},
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
		Database: "results.db", Protocol: "table2", At: began, Runs: 1, Planned: 400, Ended: 100, Failed: 3, Rate: 12.34, Left: 220,
		Workers: []Worker{{Name: "lab1/4711", Runs: true, Jobs: 2, Cells: 1}}, Cells: []Cell{{Name: "GBRFF2 on wine, split 3", By: "lab1/4711", For: 12, Left: 20}, {Name: "CART on swiss, split 1", For: 1, Left: 4000}},
		Sets:     []Set{{Name: "wine", OK: 31, Failed: 3, Left: 26, Best: "GBRFF2 98.1"}, {Name: "swiss", Left: 60}},
		Failures: []store.FailureShown{{Method: "LGBM", Dataset: "wine", Split: 2, Status: result.Failed, Class: result.ClassCrash, Error: "its process ended; the end of its standard error:\nTraceback\n  boom", Cells: 3}},
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
wine                       [###---]   34/60 (3 failed)  GBRFF2 98.1
swiss                      [------]               0/60  
`
	if got := "\n" + strings.Join(s.Text(80), "\n") + "\n"; got != want {
		t.Errorf("%s", got)
	}
	if got := (State{Database: "r.db", At: began}).Text(80); len(got) != 2 || got[1] != "no run is under way" {
		t.Errorf("%q", got)
	}
}
