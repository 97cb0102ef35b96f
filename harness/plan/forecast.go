package plan

import (
	"container/heap"
	"math"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness/store"
)

// A Forecast predicts how long cells take: their declared cost (see registry.Cost), corrected
// by what stored and finished cells took. What the plan, the progress line and the status say
// about time comes from here.
//
// A cost is meant as nanoseconds of one core. With u its units and s the seconds measured, the
// factor s/u of a cell's method is
//
//   - that of the cells of the same data set, where there are any;
//   - else the geometric mean of those of other sets, each weighted by how near its cost is, and
//     of the machine's factor with the weight of a set about a thousand times as large or as small;
//   - the machine's factor, where nothing of the method is known: the geometric mean over the
//     methods that are, and of 1e-9.
//
// Seconds measured are processor time, which hardly depends on what else the machine does. How much longer the cells of
// a run take than that is measured beside it, and counts in what the run still takes.
//
// It is safe for concurrent use.
type Forecast struct {
	mu      sync.Mutex
	took    map[methodName]map[string]timing // by method and data set
	machine float64                          // logarithm of its factor times 1e9; NaN if it is to be computed

	wall, processor float64 // seconds of the cells that have ended in this run
}

type methodName struct{ name, version string }

type timing struct{ seconds, units, cells float64 }

// factor is the logarithm of seconds over units, times 1e9.
func (t timing) factor() float64 { return math.Log(1e9 * t.seconds / t.units) }

// NewForecast returns the forecast that stored timings allow.
func NewForecast(stored []store.Timing) *Forecast {
	f := &Forecast{took: map[methodName]map[string]timing{}}
	for _, t := range stored {
		f.record(methodName{t.Method, t.MethodVersion}, t.Dataset, timing{t.Seconds, t.CostUnits, float64(t.Cells)})
	}
	return f
}

// Record notes what a cell took: its wall time, and its processor time or 0 where that is not known.
func (f *Forecast) Record(c *Cell, wall, processor float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if processor <= 0 {
		processor = wall
	}
	f.wall += wall
	f.processor += processor
	f.record(methodOf(c), c.Dataset, timing{processor, c.Spec.Cost, 1})
}

// slowdown is how much longer cells take than their processor time. A minute's worth of cells that are not
// slowed down stands beside those that were measured.
func (f *Forecast) slowdown() float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	const calm = 60
	return max(1, (f.wall+calm)/(f.processor+calm))
}

func methodOf(c *Cell) methodName { return methodName{c.Method, c.Spec.Inputs.MethodVersion} }

func (f *Forecast) record(m methodName, dataset string, more timing) {
	if !(more.seconds > 0 && more.units > 0) {
		return // nothing follows from them
	}
	if f.took[m] == nil {
		f.took[m] = map[string]timing{}
	}
	t := f.took[m][dataset]
	f.took[m][dataset] = timing{t.seconds + more.seconds, t.units + more.units, t.cells + more.cells}
	f.machine = math.NaN()
}

// Seconds predicts the time of a cell on a core of its own.
func (f *Forecast) Seconds(c *Cell) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	sets := f.took[methodOf(c)]
	if t, known := sets[c.Dataset]; known {
		return c.Spec.Cost * t.seconds / t.units
	}
	sum, weights := f.machineFactor()*strangerWeight, strangerWeight
	if len(sets) == 0 {
		sum, weights = f.machineFactor(), 1
	}
	for _, t := range sets {
		w := 1 / (1 + math.Abs(math.Log10(c.Spec.Cost*t.cells/t.units)))
		sum += w * t.factor()
		weights += w
	}
	return c.Spec.Cost * 1e-9 * math.Exp(sum/weights)
}

// measured reports whether the time of cells of the same method on the same set is known.
func (f *Forecast) measured(c *Cell) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, known := f.took[methodOf(c)][c.Dataset]
	return known
}

// strangerWeight is the weight of a method's own sets whose cost is a thousand times as large.
const strangerWeight = 0.25

// machineFactor is by how much this machine is slower than the declared costs say; f.mu is held.
func (f *Forecast) machineFactor() float64 {
	if !math.IsNaN(f.machine) {
		return f.machine
	}
	sum := 0.0
	for _, sets := range f.took {
		mean := 0.0
		for _, t := range sets {
			mean += t.factor() / float64(len(sets))
		}
		sum += mean
	}
	f.machine = sum / float64(len(f.took)+1) // one for the declared costs
	return f.machine
}

// A RunningCell is a cell and how long it has been running.
type RunningCell struct {
	Cell *Cell
	For  time.Duration
}

// Wall predicts the seconds until cells have ended that are started on a number of jobs in the
// order of a run, beside those that are running.
func (f *Forecast) Wall(cells []*Cell, running []RunningCell, jobs int) float64 {
	free := make(ends, max(1, jobs))
	last, slow := 0.0, f.slowdown()
	for i, r := range running {
		left := max(slow*f.Seconds(r.Cell)-r.For.Seconds(), r.For.Seconds()/10) // what is late will be a little later
		if i < len(free) {
			free[i] = left
		}
		last = max(last, left)
	}
	heap.Init(&free)
	q := NewQueue(cells, f)
	for c := q.Next(); c != nil; c = q.Next() {
		free[0] += slow * f.Seconds(c)
		last = max(last, free[0])
		heap.Fix(&free, 0)
	}
	return last
}

// ends are the moments at which jobs become free, the next one first.
type ends []float64

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, j int) bool { return e[i] < e[j] }
func (e ends) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *ends) Push(any)          { panic("harness: the number of jobs is fixed") }
func (e *ends) Pop() any          { panic("harness: the number of jobs is fixed") }
