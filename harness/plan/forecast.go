package plan

import (
	"cmp"
	"container/heap"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
)

// A Forecast predicts how long cells take. The cost of a cell is the time that it takes in nanoseconds, by the
// reference run (see ReferenceCost); times of stored and finished cells of this machine correct it. The plan, the
// progress line and the status take their times from a Forecast.
//
// Let u be the sum of the costs of a method's cells and s their measured seconds. A cell's cost times the factor s/u is
// its time. The factor comes from
//
//   - the cells of the same method and data set, if any were measured;
//   - else all its measured cells, if the reference run has the method;
//   - else the law (see law) of the method's factors on other sets;
//   - else, if no cell of the method was measured, the machine's factor: the geometric mean of Slowness and of the mean
//     factor of each measured method that the reference run has.
//
// Of a method that the reference run does not have, such as a plugin, the cost is a guess that its law corrects.
//
// Measured seconds are processor time, which hardly depends on other programs of the machine. Separately, a
// Forecast measures how much longer than their processor time the cells of a run take (see slowdown). It multiplies
// the remaining time of the run by this ratio.
//
// A Forecast is safe for concurrent use. Slowness and Policy are set before its first use.
type Forecast struct {
	mu      sync.Mutex
	took    map[methodName]map[string]timing // by method and data set
	laws    map[methodName]law               // computed from took
	peaks   map[methodName]map[string]peak   // by method and data set
	machine float64                          // the logarithm of 1e9 * its factor; NaN until it is computed

	// Slowness is how many times as long as on the machine of the reference run this machine is expected to take,
	// before anything is measured.
	Slowness float64

	Policy Policy // by which a run orders its cells; of NewForecast it is Default

	spent  map[methodName]spent // by foreign method; see ownMethods
	around map[bool]meanOf      // seconds that cells of this run took outside of their fits, by Cell.Foreign
}

// A methodName names a method. Its version leaves out libraries, since times hardly depend on their versions.
type methodName struct{ name, version string }

func nameOf(method, version string) methodName {
	own, _ := registry.Libraries(version)
	return methodName{method, own}
}

type timing struct {
	seconds, units, cells float64
	rows, features        int // of the training part; 0 where they are unknown
}

// factor is the logarithm of 1e9 * seconds / units.
func (t timing) factor() float64 { return math.Log(1e9 * t.seconds / t.units) }

// NewForecast returns the forecast from stored timings, on a machine as fast as that of the reference run.
func NewForecast(stored []store.Timing) *Forecast {
	f := &Forecast{took: map[methodName]map[string]timing{}, laws: map[methodName]law{},
		peaks: map[methodName]map[string]peak{}, spent: map[methodName]spent{}, machine: math.NaN(),
		Slowness: 1, Policy: Default}
	for _, t := range stored {
		f.record(nameOf(t.Method, t.MethodVersion), t.Dataset, timing{t.Seconds, t.CostUnits, float64(t.Cells),
			t.TrainRows, t.Features})
		f.recordPeak(nameOf(t.Method, t.MethodVersion), t.Dataset, peak{t.PeakBytes, t.TrainRows, t.Features})
	}
	return f
}

// Record notes the wall time of a cell, and its processor time or 0 where this is not known.
func (f *Forecast) Record(c *Cell, wall, processor float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if processor <= 0 {
		processor = wall
	}
	of := ownMethods
	if c.Foreign {
		of = methodOf(c)
	}
	s := f.spent[of]
	f.spent[of] = spent{s.wall + wall, s.processor + processor}
	f.record(methodOf(c), c.Dataset, timing{processor, c.Spec.Cost, 1, c.Spec.Shape.N, c.Spec.Shape.D})
}

// RecordAround notes the seconds that a cell took outside of its fits, such as the start of its process. A small cell
// of a method in a process of its own spends most of its time there.
func (f *Forecast) RecordAround(c *Cell, seconds float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.around == nil {
		f.around = map[bool]meanOf{}
	}
	m := f.around[c.Foreign]
	f.around[c.Foreign] = meanOf{m.sum + max(0, seconds), m.n + 1}
}

// A meanOf is a sum of n values.
type meanOf struct{ sum, n float64 }

// meanAround is the mean of the times that RecordAround noted; 0 if there are none.
func (f *Forecast) meanAround(foreign bool) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.around[foreign]
	return m.sum / max(1, m.n)
}

// spent is the wall time and the processor time of cells that have ended in this run, in seconds.
type spent struct{ wall, processor float64 }

// ownMethods stands in Forecast.spent for all methods that are not foreign.
var ownMethods = methodName{}

// slowdown predicts the wall time of a cell divided by its processor time. Cells of the program's own methods compute
// all the time on one core, so that all of them tell how busy the machine is. Two seconds without slowdown are added to
// their sums, so that the first short cells do not decide the ratio; a minute would hide other programs from runs of a
// few minutes. A foreign method may wait, or compute on several cores, and its processor time has the start of its
// process. So the ratio of such a method is its own, once a cell of it has ended.
func (f *Forecast) slowdown(c *Cell) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.spent[methodOf(c)]; c.Foreign && s.processor > 0 {
		return s.wall / s.processor
	}
	const calm = 2
	s := f.spent[ownMethods]
	return max(1, (s.wall+calm)/(s.processor+calm))
}

func methodOf(c *Cell) methodName { return nameOf(c.Method, c.Spec.Inputs.MethodVersion) }

func (f *Forecast) record(m methodName, dataset string, more timing) {
	if !(more.seconds > 0 && more.units > 0) {
		return // these times say nothing
	}
	if f.took[m] == nil {
		f.took[m] = map[string]timing{}
	}
	t := f.took[m][dataset]
	f.took[m][dataset] = timing{t.seconds + more.seconds, t.units + more.units, t.cells + more.cells, more.rows,
		more.features}
	f.machine = math.NaN()
	delete(f.laws, m)
}

// Seconds predicts the time of a cell that has a core for itself.
func (f *Forecast) Seconds(c *Cell) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	sets := f.took[methodOf(c)]
	if t, known := sets[c.Dataset]; known {
		return c.Spec.Cost * t.seconds / t.units
	}
	if !c.Guessed && len(sets) > 0 { // a law of small sets would be wrong far beyond them
		seconds, units := 0.0, 0.0
		for _, name := range slices.Sorted(maps.Keys(sets)) { // in one order, so that sums have the same bits
			seconds, units = seconds+sets[name].seconds/sets[name].cells, units+sets[name].units/sets[name].cells
		}
		return c.Spec.Cost * seconds / units
	}
	l, known := f.laws[methodOf(c)]
	if !known {
		if l, known = lawOf(sets); known {
			f.laws[methodOf(c)] = l
		}
	}
	if known {
		return l.seconds(c.Spec.Cost, c.Spec.Shape.N, c.Spec.Shape.D)
	}
	return c.Spec.Cost * 1e-9 * math.Exp(f.machineFactor())
}

// Measured predicts the time of a cell, including the time outside of its fits, from cells of the same method on the
// same set. It is 0 if no cell of the set was measured.
func (f *Forecast) Measured(c *Cell) float64 {
	if !f.measured(c) {
		return 0
	}
	return f.Seconds(c) + f.meanAround(c.Foreign)
}

// measured reports whether the time of cells of the same method on the same set is known.
func (f *Forecast) measured(c *Cell) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, known := f.took[methodOf(c)][c.Dataset]
	return known
}

// Unknown reports whether nothing says how long the cell takes: the reference run does not have its method, and no fit
// of it was measured. Seconds is then a guess that may be wrong by orders of magnitude.
func (f *Forecast) Unknown(c *Cell) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return c.Guessed && len(f.took[methodOf(c)]) == 0
}

// machineFactor is the logarithm of the ratio of this machine's times to costs; f.mu is held.
func (f *Forecast) machineFactor() float64 {
	if !math.IsNaN(f.machine) {
		return f.machine
	}
	sum, n := math.Log(f.Slowness), 1.0
	byName := func(a, b methodName) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.version, b.version))
	}
	for _, m := range slices.SortedFunc(maps.Keys(f.took), byName) { // in one order, so that sums have the same bits
		if _, known := referenceCells()[m.name]; !known {
			continue
		}
		mean, sets := 0.0, f.took[m]
		for _, name := range slices.Sorted(maps.Keys(sets)) {
			mean += sets[name].factor() / float64(len(sets))
		}
		sum, n = sum+mean, n+1
	}
	f.machine = sum / n
	return f.machine
}

// MarkFirst marks a first cell of each method whose times are unknown: the one with the least product of rows and
// features. It runs before the method's other cells, whose times are then predicted from the time that it took. A mark
// is written only where it changes, since the progress of a run may be reading the marks at the same time.
func MarkFirst(cells []*Cell, f *Forecast) {
	first := map[string]*Cell{}
	for _, c := range cells {
		if c.Spec.Canary != nil || !f.Unknown(c) {
			continue
		}
		if best := first[c.Method]; best == nil || c.Spec.Cost < best.Spec.Cost {
			first[c.Method] = c
		}
	}
	for _, c := range cells {
		if is := first[c.Method] == c; c.First != is {
			c.First = is
		}
	}
}

// UnknownMethods returns the sorted names of the methods of cells whose time is unknown.
func (f *Forecast) UnknownMethods(cells []*Cell) []string {
	names := map[string]bool{}
	for _, c := range cells {
		if f.Unknown(c) {
			names[c.Method] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// A RunningCell is a cell and the time for which it has been running.
type RunningCell struct {
	Cell *Cell
	For  time.Duration
}

// Wall predicts the seconds until all cells have ended whose time is known. The cells start on a number of jobs in the
// order of a run. Until then these jobs are busy with the cells in running.
func (f *Forecast) Wall(cells []*Cell, running []RunningCell, jobs int) float64 {
	free := make(ends, max(1, jobs))
	last := 0.0
	around := map[bool]float64{true: f.meanAround(true), false: f.meanAround(false)}
	for i, r := range running {
		if f.Unknown(r.Cell) {
			continue
		}
		// a late cell gets a tenth of its time more
		left := max(f.slowdown(r.Cell)*f.Seconds(r.Cell)-r.For.Seconds(), r.For.Seconds()/10)
		if i < len(free) {
			free[i] = left
		}
		last = max(last, left)
	}
	heap.Init(&free)
	for _, c := range NewQueue(cells, f).Rest() {
		if f.Unknown(c) {
			continue
		}
		free[0] += f.slowdown(c)*f.Seconds(c) + around[c.Foreign]
		last = max(last, free[0])
		heap.Fix(&free, 0)
	}
	return last
}

// ends holds the times at which jobs become free, the earliest first.
type ends []float64

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, j int) bool { return e[i] < e[j] }
func (e ends) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *ends) Push(any)          { panic("plan: the number of jobs is fixed") }
func (e *ends) Pop() any          { panic("plan: the number of jobs is fixed") }

// A Prediction is what a forecast says of a run: the time that it takes and the cells that it runs.
type Prediction struct {
	Seconds  float64            // from start to end, without the cells of methods in Unknown
	Unknown  []string           // methods whose time is unknown until a cell of theirs was measured
	Early    float64            // seconds until every method has a cell on every set
	Cells    []*Cell            // the cells that run, in the order of the plan, or by part where there is a budget
	Excluded []result.Exclusion // the cells of parts that do not fit into the budget, in the order of the parts
}

// Predict predicts a run on a number of jobs within a budget; 0 is no budget.
func (p *Plan) Predict(jobs int, budget time.Duration) Prediction {
	out := Prediction{Cells: p.Cells}
	if budget > 0 {
		out.Cells = nil
		policy, free := p.Forecast.Policy, Resources{Seconds: budget.Seconds()}
		for _, part := range policy.Parts(p.Cells) {
			taken := slices.Concat(out.Cells, part)
			if out.Excluded == nil &&
				policy.MayStart(part, Resources{Seconds: p.Forecast.Wall(taken, nil, jobs)}, free) {
				out.Cells = taken
				continue
			}
			out.Excluded = append(out.Excluded, OverBudget(part, budget)...)
		}
	}
	var early []*Cell
	for _, c := range out.Cells {
		if c.Early {
			early = append(early, c)
		}
	}
	out.Early = p.Forecast.Wall(early, nil, jobs)
	out.Seconds = p.Forecast.Wall(out.Cells, nil, jobs)
	out.Unknown = p.Forecast.UnknownMethods(out.Cells)
	return out
}

// A law says how the time of a method grows otherwise than its cost. It is a line: the logarithm of the method's factor
// (see Forecast) is linear in log n and log d. So the time is the cost times k n^byRows d^byFeatures. Each data set is
// one point of the fit, however many cells of the set were measured.
//
// The two slopes are the most probable ones under two assumptions. A slope is normal around 0 with standard
// deviation 1/2, so that the cost counts as it is if few sets are known or all sets have the same size. The logarithm
// of a time has standard deviation 0.3 around the line. Then the slopes are limited, that of n to [-1, 2] and that of
// d to [-1, 1].
type law struct{ at, rows, features, byRows, byFeatures float64 } // the line goes through (rows, features, at)

// lawOf fits the law to the measured sets of a method. It returns false if no set has a known size.
func lawOf(sets map[string]timing) (law, bool) {
	const pull = 0.3 * 0.3 / (0.5 * 0.5) // what the assumptions add to a sum of squares
	var l law
	var known []timing
	for _, name := range slices.Sorted(maps.Keys(sets)) { // in a fixed order, so that sums have the same bits
		if t := sets[name]; t.rows > 0 && t.features > 0 {
			known = append(known, t)
		}
	}
	if known == nil {
		return l, false
	}
	for _, t := range known {
		share := 1 / float64(len(known))
		l.at += share * t.factor()
		l.rows += share * math.Log(float64(t.rows))
		l.features += share * math.Log(float64(t.features))
	}
	nn, nd, dd := pull, 0.0, pull
	var ny, dy float64
	for _, t := range known {
		n, d, y := math.Log(float64(t.rows))-l.rows, math.Log(float64(t.features))-l.features, t.factor()-l.at
		nn, nd, dd = nn+n*n, nd+n*d, dd+d*d
		ny, dy = ny+n*y, dy+d*y
	}
	determinant := nn*dd - nd*nd
	l.byRows = min(max((ny*dd-dy*nd)/determinant, -1), 2)
	l.byFeatures = min(max((dy*nn-ny*nd)/determinant, -1), 1)
	return l, true
}

// factor predicts log(1e9 * seconds / units) for a set with n training rows and d features.
func (l law) factor(n, d int) float64 {
	return l.at + l.byRows*(math.Log(float64(max(1, n)))-l.rows) +
		l.byFeatures*(math.Log(float64(max(1, d)))-l.features)
}

// seconds predicts the time of a cell of some units on a set with n training rows and d features.
func (l law) seconds(units float64, n, d int) float64 { return units * 1e-9 * math.Exp(l.factor(n, d)) }
