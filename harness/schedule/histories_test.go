package schedule

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
)

// A farm is machines in virtual time that run what a state hands out, in the way of package remote: a room has a queue
// from which its workers pull, the cell of a silent worker is delivered again, and the second such cell is a row. All
// that happens follows from a seed.
type farm struct {
	*rand.Rand
	s       *state
	now     time.Duration
	agenda  []appointment // what will happen, in the order of time
	pending []event
	rooms   map[string]*queue
	workers []*pilot
	stored  map[*plan.Cell]int
	at      map[*plan.Cell]*delivery // of the cells that were handed out and have not ended
	started map[*plan.Cell]time.Duration
	deadly  map[*plan.Cell]bool // no worker survives it
	lost    map[*plan.Cell]int  // workers that were lost with it
	last    *plan.Cell          // that ended last
	most    int                 // steps that a run may take
}

// A queue is what one room has to do.
type queue struct {
	waiting []*delivery
	refuses map[string]string
	memory  int64
}

// A delivery is a cell that is under way elsewhere.
type delivery struct {
	cell  *plan.Cell
	room  string
	by    *pilot
	ended bool
}

// A pilot is a worker.
type pilot struct {
	room    string
	jobs    int // that it says it has
	places  int // that it has
	busy    int
	silent  bool // killed, or stalled
	missed  bool // the coordinator knows it
	resumes bool
}

// lostAfter is the time after which a silent worker is missed.
const lostAfter = 30 * time.Second

// latency is the time that a message takes.
const latency = 2 * time.Millisecond

type appointment struct {
	at time.Duration
	do func()
}

func newFarm(seed uint64, cells []*plan.Cell, opt Options) *farm {
	opt.Remote = fakeRemote{}
	return &farm{
		Rand: rand.New(rand.NewPCG(seed, 27)), s: newState(opt, cells, time.Unix(0, 0)), rooms: map[string]*queue{},
		stored: map[*plan.Cell]int{}, most: 20_000 + 4*len(cells),
		at: map[*plan.Cell]*delivery{}, started: map[*plan.Cell]time.Duration{}, deadly: map[*plan.Cell]bool{},
		lost: map[*plan.Cell]int{},
	}
}

func (f *farm) in(d time.Duration, do func()) {
	at, _ := slices.BinarySearchFunc(f.agenda, f.now+d+1, func(a appointment, after time.Duration) int {
		return cmp.Compare(a.at, after)
	})
	f.agenda = slices.Insert(f.agenda, at, appointment{f.now + d, do})
}

// tell gives the events to the state and does what follows.
func (f *farm) tell() {
	for len(f.pending) > 0 {
		e := f.pending[0]
		f.pending = f.pending[1:]
		for _, a := range f.s.step(time.Unix(0, 0).Add(f.now), e) {
			if a, is := a.(start); is {
				f.start(a)
			}
		}
	}
}

func seconds(c *plan.Cell) time.Duration { return time.Duration(c.Seconds * float64(time.Second)) }

// end is the result of a cell.
func (f *farm) end(c *plan.Cell, status result.Status) {
	f.stored[c]++
	f.last = c
	f.pending = append(f.pending, ended{cell: c, run: result.Run{Status: status, SearchSeconds: c.Seconds}})
}

func (f *farm) start(a start) {
	c := a.cell
	f.started[c] = f.now
	if a.room == "" {
		f.in(seconds(c), func() { f.end(c, result.OK) })
		return
	}
	d := &delivery{cell: c, room: a.room}
	f.at[c] = d
	f.in(latency, func() {
		if q := f.rooms[a.room]; f.members(a.room) == 0 {
			f.giveBack(d)
		} else {
			q.waiting = append(q.waiting, d)
			f.pull(a.room)
		}
	})
}

// members counts the workers of a room that the coordinator knows.
func (f *farm) members(room string) (n int) {
	for _, w := range f.workers {
		if w.room == room && !w.missed {
			n++
		}
	}
	return n
}

// pull gives waiting cells to free places.
func (f *farm) pull(room string) {
	q := f.rooms[room]
	for _, w := range f.workers {
		for w.room == room && !w.silent && !w.missed && w.busy < w.places && len(q.waiting) > 0 {
			d := q.waiting[0]
			q.waiting = q.waiting[1:]
			d.by = w
			w.busy++
			f.in(seconds(d.cell)+latency, func() { f.finish(w, d) })
			if f.deadly[d.cell] {
				f.in(seconds(d.cell)/2, func() { f.silence(w, 0) })
			}
		}
	}
}

// finish is the end of a cell at a worker. Of several ends the first counts.
func (f *farm) finish(w *pilot, d *delivery) {
	if w.silent {
		if w.resumes { // the worker was stopped; it goes on where it was
			f.in(time.Second, func() { f.finish(w, d) })
		}
		return
	}
	w.busy--
	switch first := !d.ended; {
	case first && f.IntN(12) == 0 && f.hostile():
		f.giveBack(d)
	case first:
		d.ended = true
		status := result.OK
		if f.hostile() && f.IntN(20) == 0 {
			status = result.Failed
		}
		f.end(d.cell, status)
	}
	if w.room != "" && !w.missed {
		f.pull(w.room)
	}
}

func (f *farm) giveBack(d *delivery) {
	if !d.ended {
		d.ended = true
		f.pending = append(f.pending, ended{cell: d.cell, how: givenBack})
	}
}

// hostile reports whether workers lie in this history.
func (f *farm) hostile() bool { return len(f.deadly) > 0 }

// silence stops a worker, for some time or, with 0, for ever.
func (f *farm) silence(w *pilot, during time.Duration) {
	if w.silent || w.missed {
		return
	}
	w.silent, w.resumes = true, during > 0
	f.in(lostAfter, func() { f.miss(w) })
	if during > 0 {
		f.in(during, func() {
			w.silent = false
			if w.missed { // it says hello again
				w.missed = false
				f.change()
			}
			f.pull(w.room)
		})
	}
}

// miss hands the cells of a silent worker out again.
func (f *farm) miss(w *pilot) {
	if !w.silent {
		return
	}
	w.missed = true
	f.again(w, true)
	f.change()
}

// again hands the cells of a worker out again, in an order that is always the same. lost counts it against the cells.
func (f *farm) again(w *pilot, lost bool) {
	var mine []*delivery
	for _, d := range f.at {
		if d.by == w && !d.ended {
			mine = append(mine, d)
		}
	}
	slices.SortFunc(mine, func(a, b *delivery) int { return a.cell.Split - b.cell.Split })
	for _, d := range mine {
		if lost {
			f.lost[d.cell]++
		}
		switch {
		case f.lost[d.cell] >= 2:
			d.ended = true
			f.end(d.cell, result.Failed)
		case lost && f.members(w.room) > 0:
			d.by = nil
			f.rooms[d.room].waiting = append(f.rooms[d.room].waiting, d)
		default:
			f.giveBack(d)
		}
	}
	if f.members(w.room) == 0 {
		q := f.rooms[w.room]
		for _, d := range q.waiting {
			f.giveBack(d)
		}
		q.waiting = nil
	}
	f.pull(w.room)
}

// come adds a worker.
func (f *farm) come(memory int64, jobs, places int, refuses map[string]string) *pilot {
	room := fmt.Sprint(memory, slices.Sorted(maps.Keys(refuses)))
	if f.rooms[room] == nil {
		f.rooms[room] = &queue{memory: memory, refuses: refuses}
	}
	w := &pilot{room: room, jobs: jobs, places: places}
	f.workers = append(f.workers, w)
	return w
}

// leave gives a worker's cells back.
func (f *farm) leave(w *pilot) {
	if !w.silent && !w.missed {
		w.missed, w.silent, w.resumes = true, true, false
		f.again(w, false)
		f.change()
	}
}

// change tells the state what workers there are.
func (f *farm) change() {
	var rooms []Room
	for _, name := range slices.Sorted(maps.Keys(f.rooms)) {
		r := Room{Name: name, Memory: f.rooms[name].memory, Refuses: f.rooms[name].refuses}
		for _, w := range f.workers {
			if w.room == name && !w.missed {
				r.Slots += w.jobs
			}
		}
		if r.Slots > 0 {
			rooms = append(rooms, r)
		}
	}
	f.pending = append(f.pending, roomsChanged{rooms})
}

// run lets time pass until everything is done. It returns the reason why it does not end.
func (f *farm) run() string {
	f.pending = append([]event{nil}, f.pending...)
	f.tell()
	for steps := 0; !f.s.done(); steps++ {
		if steps > f.most {
			return "it does not end"
		}
		if len(f.agenda) == 0 { // in the end somebody comes who takes everything
			w := f.come(0, 1, 1, nil)
			f.change()
			f.pull(w.room)
		} else {
			next := f.agenda[0]
			f.agenda = f.agenda[1:]
			f.now = max(f.now, next.at)
			next.do()
		}
		f.tell()
	}
	return ""
}

// drawHistory makes the cells and the fate of a small run.
func drawHistory(seed uint64) (f *farm, cells []*plan.Cell) {
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range 1 + r.IntN(40) {
		c := &plan.Cell{Cell: runner.Cell{Method: string(rune('A' + r.IntN(4))), Dataset: string(rune('a' + r.IntN(3))),
			Split: i + 1}, Early: r.IntN(4) == 0}
		c.Seconds = []float64{0.01, 0.2, 1, 15, 100}[r.IntN(5)]
		c.Memory = int64(r.IntN(100))
		c.Spec = runner.CellSpec{Cell: c.Cell, Cost: c.Seconds * 1e9, Memory: c.Memory}
		cells = append(cells, c)
	}
	f = newFarm(seed, cells, Options{Jobs: r.IntN(3) / 2})
	if r.IntN(2) == 0 {
		f.deadly[nil] = true // workers lie
		for range r.IntN(3) {
			f.deadly[cells[r.IntN(len(cells))]] = true
		}
	}
	for range r.IntN(12) {
		memory, jobs := []int64{0, 50, 99}[r.IntN(3)], 1+r.IntN(3)
		places := jobs
		var refuses map[string]string
		if f.hostile() && r.IntN(4) == 0 {
			places = 1 // of those that it says it has
		}
		if r.IntN(5) == 0 {
			refuses = map[string]string{string(rune('A' + r.IntN(4))): "another version"}
		}
		w := f.come(memory, jobs, places, refuses)
		w.missed = true // it comes later
		f.in(time.Duration(r.IntN(200))*time.Second, func() {
			w.missed = false
			f.change()
			f.pull(w.room)
		})
		for range r.IntN(4) {
			after := time.Duration(r.IntN(600_000)) * time.Millisecond
			switch r.IntN(4) {
			case 0:
				f.in(after, func() { f.leave(w) })
			case 1:
				f.in(after, func() { f.silence(w, 0) })
			default:
				f.in(after, func() { f.silence(w, time.Duration(1+r.IntN(120))*time.Second) })
			}
		}
	}
	return f, cells
}

// TestHistories: whatever workers do, in any order, each cell is stored once, and nothing is left. A history is
// repeated from its seed.
func TestHistories(t *testing.T) {
	n := uint64(500)
	switch {
	case os.Getenv("BENCH_FIRE") != "":
		n = 100_000
	case testenv.Thorough(t):
		n = 10_000
	}
	failed := 0
	for seed := range n {
		f, cells := drawHistory(seed)
		why := f.run()
		for _, c := range cells {
			if f.stored[c] != 1 {
				why += fmt.Sprintf("; %v is stored %d times", c.Cell, f.stored[c])
			}
		}
		if n := len(f.s.remote) + len(f.s.running) + f.s.total + len(f.s.load); n > 0 ||
			f.s.out.OK+f.s.out.Failed != len(cells) {
			why += fmt.Sprintf("; %d things are left, %+v of %d cells", n, f.s.out, len(cells))
		}
		if why != "" {
			if t.Errorf("seed %d: %s", seed, why); failed > 5 {
				t.FailNow()
			}
			failed++
		}
	}
}

// referenceCells are those of the reference run, with their times there, and what a forecast knows from it.
func referenceCells(t *testing.T) ([]*plan.Cell, *plan.Forecast) {
	t.Helper()
	runs := must.Get(reference.Runs(reference.Table2))(t)
	if len(runs) == 0 {
		t.Skip("this program is built without results")
	}
	var cells []*plan.Cell
	seen := map[[2]string]bool{}
	forecast := plan.NewForecast(nil)
	for _, r := range runs {
		c := &plan.Cell{Cell: runner.Cell{Protocol: r.Protocol, Dataset: r.Dataset, Split: r.Split, Method: r.Method},
			Seconds: r.Seconds()}
		c.Work, c.Spec = 1, runner.CellSpec{Cell: c.Cell, Shape: registry.Shape{N: 100, D: 10},
			Inputs: runner.Inputs{MethodVersion: r.MethodVersion}}
		pair := [2]string{r.Method, r.Dataset}
		c.Early, seen[pair] = !seen[pair], true
		forecast.Record(c, c.Seconds, 0)
		cells = append(cells, c)
	}
	return cells, forecast
}

// TestMakespan: with the times of five splits of the reference run and steady workers a run takes at most 1.05 times
// what no order can undercut: the longest cell, or the work of each worker. Where it takes longer, the last cell is
// named.
func TestMakespan(t *testing.T) {
	testenv.NotUnderRace(t)
	cells, forecast := referenceCells(t)
	farms := []int{8, 64, 512, 4096}
	if !testenv.Thorough(t) {
		farms = []int{8}
	}
	cells = slices.DeleteFunc(cells, func(c *plan.Cell) bool { return c.Split > 5 })
	longest, total := 0.0, 0.0
	for _, c := range cells {
		longest, total = max(longest, c.Seconds), total+c.Seconds
	}
	for _, workers := range farms {
		f := newFarm(1, cells, Options{Forecast: forecast})
		for range workers {
			f.come(0, 1, 1, nil)
		}
		f.change()
		if why := f.run(); why != "" {
			t.Fatal(why)
		}
		bound := max(longest, total/float64(workers))
		t.Logf("%d workers: %.1f s, %.4f times the bound of %.1f s", workers, f.now.Seconds(), f.now.Seconds()/bound,
			bound)
		if began, predicted := f.started[f.last].Seconds(), forecast.Seconds(f.last); f.now.Seconds() > 1.05*bound {
			t.Logf("to blame is %v: it began at %.1f s and took %.1f s, and %.1f s were predicted", f.last.Cell, began,
				f.last.Seconds, predicted)
			if began+predicted > 1.05*bound {
				t.Errorf("%d workers take %.3f times the bound, and would if the last cell took what was predicted",
					workers, f.now.Seconds()/bound)
			}
		}
	}
}
