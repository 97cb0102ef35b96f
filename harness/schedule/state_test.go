package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/registry"
	"pgregory.net/rapid"
)

// A world answers a state's actions in virtual time, in an order that is drawn, and fails where the state breaks a
// promise.
type world struct {
	t       *rapid.T
	s       *state
	now     time.Time
	left    map[*plan.Cell]bool // neither ended nor skipped
	running map[*plan.Cell]time.Time
	sets    map[string]bool // loaded, by name
	begun   map[*plan.Cell]bool
	pending []event // answers that are to come
	stopped bool
	started int
	rooms   []Room
	away    map[*plan.Cell]place // of those that run
	deadly  bool                 // an earlier run died of a foreign cell
	takes   map[*plan.Cell]int64 // the memory of running cells when they started
}

func drawCells(t *rapid.T) []*plan.Cell {
	var cells []*plan.Cell
	for i := range rapid.IntRange(0, 14).Draw(t, "cells") {
		set := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "set")
		method := rapid.SampledFrom([]string{"M", "N", "Foreign"}).Draw(t, "method")
		c := &plan.Cell{Cell: runner.Cell{Method: method, Dataset: set, Split: i + 1}, Foreign: method == "Foreign",
			SetBytes: 50,
			Memory:   int64(rapid.IntRange(1, 50).Draw(t, "memory")), Early: rapid.Bool().Draw(t, "early")}
		c.Spec = runner.CellSpec{Cell: c.Cell, Key: fmt.Sprint("k", i), Set: catalogue.Description{TOML: set},
			Cost: rapid.SampledFrom([]float64{0.01, 0.3, 1, 20, 100}).Draw(t, "seconds") * 1e9}
		if c.Foreign && rapid.IntRange(0, 4).Draw(t, "canary") == 0 {
			c.Spec.Canary = &runner.Canary{}
		}
		if rapid.IntRange(0, 4).Draw(t, "fatal") == 0 {
			c.Deaths = rapid.IntRange(1, 3).Draw(t, "deaths")
		}
		c.Unsized, c.Spec.Shape = method == "N", registry.Shape{N: 100, D: 10}
		c.Seconds, c.Work, c.Spec.Memory = c.Spec.Cost/1e9, c.Spec.Cost, c.Memory+c.SetBytes
		cells = append(cells, c)
	}
	return cells
}

type fakeRemote struct{ Remote }

func drawRooms(t *rapid.T) []Room {
	var rooms []Room
	for i := range rapid.IntRange(0, 2).Draw(t, "rooms") {
		r := Room{Name: fmt.Sprint("room ", i), Slots: rapid.IntRange(1, 2).Draw(t, "slots"),
			Memory: int64(rapid.IntRange(0, 1).Draw(t, "small") * 80)}
		if rapid.Bool().Draw(t, "refuses") {
			r.Refuses = map[string]string{"M": "another version"}
		}
		rooms = append(rooms, r)
	}
	return rooms
}

func newWorld(t *rapid.T, cells []*plan.Cell, opt Options) *world {
	w := &world{t: t, now: time.Unix(0, 0), left: map[*plan.Cell]bool{}, running: map[*plan.Cell]time.Time{},
		sets:  map[string]bool{},
		begun: map[*plan.Cell]bool{}, away: map[*plan.Cell]place{},
		takes: map[*plan.Cell]int64{}}
	for _, c := range cells {
		w.left[c] = true
		w.deadly = w.deadly || c.Foreign && c.Deaths > 0
	}
	w.s = newState(opt, cells, w.now)
	return w
}

func (w *world) do(a action) {
	switch a := a.(type) {
	case start:
		w.begin(a)
		w.start(a.cell, a.room)
	case give:
		if a.cell.Deaths < mostDeaths || !a.cell.Foreign || a.run.Status != result.Failed {
			w.t.Fatalf("%v got a row without being run", a.cell.Cell)
		}
		w.comesLast(a.cell)
		if want := fmt.Sprintf("the program ended %d times while this cell was running; run it again with --retry",
			a.cell.Deaths); a.run.Class != result.ClassCrash || a.run.Error != want {
			w.t.Fatalf("%v is stored as %s: %s", a.cell.Cell, a.run.Class, a.run.Error)
		}
		delete(w.left, a.cell)
		w.pending = append(w.pending, ended{cell: a.cell, run: a.run, given: true})
	case ask:
		w.pending = append(w.pending, answered{true})
	case forget:
		if !w.sets[a.cell.Dataset] {
			w.t.Fatalf("set %s is forgotten and was not loaded", a.cell.Dataset)
		}
		delete(w.sets, a.cell.Dataset)
		for c := range w.running {
			if _, away := w.away[c]; c.Dataset == a.cell.Dataset && !away {
				w.t.Fatalf("set %s is forgotten while a cell of it runs", c.Dataset)
			}
		}
	case fail:
		w.stopped = true
	}
}

// begin notes which cells the database knows.
func (w *world) begin(a start) {
	for _, c := range a.begin {
		if w.begun[c] || c.Foreign && len(a.begin) > 1 {
			w.t.Fatalf("%v begins twice, or is a foreign one of %d", c.Cell, len(a.begin))
		}
		w.begun[c] = true
	}
	if w.s.opt.Begin != nil && a.room == "" && !w.begun[a.cell] || a.cell.Foreign && a.room != "" && a.begin != nil {
		w.t.Fatalf("%v starts in room %q, and begun are %v", a.cell.Cell, a.room, a.begin)
	}
}

// alone reports whether a cell must not run beside others: its method is the foreign one, and the program died of a
// cell of that method.
func (w *world) alone(c *plan.Cell) bool { return c.Foreign && w.deadly }

// comesLast fails if a cell that must run alone comes before others that need not, or before a deadlier one.
func (w *world) comesLast(c *plan.Cell) {
	waiting := 0
	for other := range w.left {
		if !w.alone(other) || other.Deaths > c.Deaths {
			waiting++
		}
	}
	if w.alone(c) && waiting > w.s.out.Canaries+len(w.s.out.Excluded) { // cells beyond the limits are left, too
		w.t.Fatalf("%v comes before %d others", c.Cell, waiting)
	}
}

func (w *world) start(c *plan.Cell, room string) {
	opt := w.s.opt
	if room != "" {
		p, there, all := place{room, Share(c.Spec)}, 0, 0
		for _, other := range w.away {
			all += other.share
			if other.room == room {
				there += other.share
			}
		}
		at := slices.IndexFunc(w.rooms, func(r Room) bool { return r.Name == room })
		if at < 0 || !w.rooms[at].Takes(c.Spec) || there+p.share > w.rooms[at].Slots*Whole ||
			all+p.share > slots(w.rooms)*Whole {
			w.t.Fatalf("%v goes to %q beside %d of %d parts of places, and there is %+v", c.Cell, room, there, all,
				w.rooms)
		}
		w.away[c] = p
	}
	switch {
	case !w.left[c]:
		w.t.Fatalf("%v starts twice", c.Cell)
	case c.Foreign && c.Deaths >= mostDeaths:
		w.t.Fatalf("%v starts again", c.Cell)
	case w.stopped:
		w.t.Fatalf("%v starts when nothing is to start", c.Cell)
	case opt.Budget > 0 && w.now.Sub(time.Unix(0, 0)) > opt.Budget:
		w.t.Fatalf("%v starts after the budget", c.Cell)
	}
	w.comesLast(c)
	w.started++
	delete(w.left, c)
	w.running[c] = w.now
	w.takes[c] = w.s.forecast.Memory(c)
	if room == "" {
		w.sets[c.Dataset] = true
	}
	used := int64(0)
	for c := range w.running {
		if _, away := w.away[c]; !away {
			used += w.takes[c]
		}
	}
	used += 50 * int64(len(w.sets))
	if len(w.running)-len(w.away) > opt.Jobs || opt.Limits.Memory > 0 && used > opt.Limits.Memory {
		w.t.Fatalf("%d cells run and take %d bytes; %d jobs and %d bytes are allowed", len(w.running), used, opt.Jobs,
			opt.Limits.Memory)
	}
	for other := range w.running {
		if other != c && (w.alone(c) || w.alone(other)) {
			w.t.Fatalf("%v and %v run beside each other, and one of them is to run alone", c.Cell, other.Cell)
		}
	}
}

// drawPolicy draws the default policy, or one with any order and any parts that lets cells wait at its whim.
func drawPolicy(t *rapid.T) plan.Policy {
	p := plan.Default
	if rapid.Bool().Draw(t, "default policy") {
		return p
	}
	p.Order = func(*plan.Cell, float64) (round int, weight float64) {
		return rapid.IntRange(0, 1).Draw(t, "round"), rapid.Float64().Draw(t, "weight")
	}
	p.Parts = func(cells []*plan.Cell) [][]*plan.Cell {
		cells = rapid.Permutation(cells).Draw(t, "order")
		n := rapid.IntRange(0, len(cells)).Draw(t, "first part")
		return [][]*plan.Cell{cells[:n], cells[n:]}
	}
	p.MayStart = func(cells []*plan.Cell, need, free plan.Resources) bool {
		return plan.Default.MayStart(cells, need, free) && rapid.Bool().Draw(t, "may start")
	}
	return p
}

// next draws what happens next, nil if nothing will.
func (w *world) next() event {
	w.now = w.now.Add(time.Duration(rapid.IntRange(0, 40).Draw(w.t, "pass")) * time.Second)
	if len(w.pending) > 0 {
		e := w.pending[0]
		w.pending = w.pending[1:]
		return e
	}
	if rapid.IntRange(0, 40).Draw(w.t, "interrupt") == 0 {
		w.stopped = true
		return stopped{}
	}
	cells := make([]*plan.Cell, 0, len(w.running))
	for c := range w.running {
		cells = append(cells, c)
	}
	slices.SortFunc(cells, func(a, b *plan.Cell) int { return a.Split - b.Split })
	if w.s.opt.Remote != nil && rapid.IntRange(0, 5).Draw(w.t, "rooms change") == 0 {
		w.rooms = drawRooms(w.t)
		return roomsChanged{w.rooms}
	}
	if len(cells) == 0 {
		if w.s.opt.Remote != nil { // in the end somebody comes who takes everything
			w.rooms = []Room{{Name: "last", Slots: 1}}
			return roomsChanged{w.rooms}
		}
		return nil
	}
	c := rapid.SampledFrom(cells).Draw(w.t, "ends")
	delete(w.running, c)
	_, away := w.away[c]
	delete(w.away, c)
	if away && rapid.IntRange(0, 3).Draw(w.t, "given back") == 0 {
		w.left[c] = true
		return ended{cell: c, how: givenBack}
	}
	peak := int64(rapid.IntRange(1, 200).Draw(w.t, "peak"))
	e := ended{cell: c, run: result.Run{Status: result.OK, SearchSeconds: c.Seconds, PeakRSSBytes: &peak}}
	e.run.Isolated = rapid.Bool().Draw(w.t, "isolated")
	switch rapid.IntRange(0, 12).Draw(w.t, "how") {
	case 0:
		e.run.Status = result.Failed
	case 1:
		e.how = tooLate
	case 2:
		if rapid.IntRange(0, 3).Draw(w.t, "error") == 0 {
			e.how, e.err = withError, errors.New("the runner fails")
			w.stopped = true
		}
	}
	return e
}

// TestSteps: whatever happens in whatever order, and whatever the policy, cells start at most once, within the jobs,
// the memory and the budget, those that a run died of alone, none after an interrupt or an error; and at the end every
// cell is accounted for.
func TestSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := drawCells(t)
		opt := Options{Jobs: rapid.IntRange(1, 3).Draw(t, "jobs"), Forecast: plan.NewForecast(nil)}
		opt.Forecast.Policy = drawPolicy(t)
		if rapid.Bool().Draw(t, "remote") {
			opt.Remote, opt.Jobs = fakeRemote{}, opt.Jobs-1
		}
		if rapid.Bool().Draw(t, "limited") {
			opt.Limits.Memory = int64(rapid.IntRange(100, 250).Draw(t, "memory limit"))
		}
		if rapid.Bool().Draw(t, "budgeted") {
			opt.Budget = time.Duration(rapid.IntRange(1, 400).Draw(t, "budget")) * time.Second
		}
		if rapid.Bool().Draw(t, "noted") {
			opt.Begin = func(context.Context, []string) error { return nil }
		}
		if rapid.Bool().Draw(t, "asked") {
			opt.Ready = func(<-chan struct{}) bool { return true }
		}
		w := newWorld(t, cells, opt)
		var e event
		for steps := 0; ; steps++ {
			for _, a := range w.s.step(w.now, e) {
				w.do(a)
			}
			if w.s.done() {
				break
			}
			if steps > 2000 {
				t.Fatal("it does not end")
			}
			if e = w.next(); e == nil {
				t.Fatalf("nothing runs, nothing is waited for, and it is not done: %+v", w.s.out)
			}
		}
		out := w.s.out
		accounted := out.OK + out.Failed + out.Canaries + len(out.Excluded)
		if len(w.running) > 0 || accounted > len(cells) || !w.stopped && accounted != len(cells) {
			t.Errorf("%d of %d cells are accounted for, %d run: %+v", accounted, len(cells), len(w.running), out)
		}
		if !w.stopped && len(result.OfKinds(out.Excluded, result.OverBudget)) == 0 && len(w.sets) > 0 {
			t.Errorf("no cell is left, and data sets are kept: %v", w.sets)
		}
	})
}

// TestBudgetEndsWithoutAnyPlace: a run that waits for machines ends at its budget.
func TestBudgetEndsWithoutAnyPlace(t *testing.T) {
	c := &plan.Cell{Cell: runner.Cell{Method: "M", Dataset: "a", Split: 1}}
	began := time.Unix(0, 0)
	s := newState(Options{Remote: fakeRemote{}, Budget: time.Minute}, []*plan.Cell{c}, began)
	if s.step(began, nil); s.done() {
		t.Fatal("it is done before its budget")
	}
	if s.step(began.Add(2*time.Minute), ticked{}); !s.done() || len(s.out.Excluded) != 1 {
		t.Errorf("it is not done, or the cell is not told: %+v", s.out)
	}
}
