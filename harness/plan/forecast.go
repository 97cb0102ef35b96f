package plan

import (
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
)

// A Forecast predicts how long cells take, by one rule: the mean seconds of the nearest measured cells of the method,
// times the ratio of the work of both (see work and nearest). Cells are near if they have about as many training rows
// and features (see measured.from). Measured are the cells of this run, those of the database, and those of the
// reference run (see referenceCost), whose seconds are multiplied by Slowness. Where no cell of the method was
// measured, the time of a cell is unknown.
//
// The seconds are processor time, which hardly depends on other programs of the machine. How much longer the cells of a
// run take is measured separately, for the remaining time of the run (see slowdown).
//
// A Forecast is safe for concurrent use. Slowness and Policy are set before its first use, and cells that it was asked
// about do not change.
type Forecast struct {
	mu     sync.Mutex
	stored map[methodName][]store.Timing // of methods that learn has not seen yet
	took   map[methodName][]measured
	known  map[string]map[*Cell]float64 // what seconds said, by method, until a cell of the method is recorded
	peaks  map[methodName][]peak
	spent  map[methodName]wallOf // wall time of this run's cells, and of stored ones of plugins, by processor time
	around map[bool]wallOf       // seconds of this run's cells outside of their fits by cells; by Cell.Foreign

	Slowness float64 // how many times as long as on the machine of the reference run cells take on this one
	Policy   Policy  // by which a run orders its cells; of NewForecast it is Default
}

// A methodName names a method. Its version leaves out libraries, since times hardly depend on their versions.
type methodName struct{ name, version string }

func nameOf(method, version string) methodName {
	own, _ := registry.Libraries(version)
	return methodName{method, own}
}

func methodOf(c *Cell) methodName { return nameOf(c.Method, c.Spec.Inputs.MethodVersion) }

// measured is cells of a method on a data set with as much work each.
type measured struct {
	dataset              string
	shape                registry.Shape // of the training part
	work, seconds, cells float64        // work of a cell; sum of the seconds; number
}

// from is how far measured cells are from a cell: the product of the ratios of rows and of features, less 1. Of equally
// near ones those of the same set and of the same work are nearer. Another task is farther than any set.
func (m measured) from(c measured) float64 {
	ratio := func(a, b float64) float64 { return max(a/b, b/a) }
	far := ratio(float64(m.shape.N), float64(c.shape.N))*ratio(float64(m.shape.D), float64(c.shape.D)) - 1
	far += 0.0001 * (1 - 1/ratio(m.work, c.work))
	if m.dataset != c.dataset {
		far += 0.001
	}
	if m.shape.Task != c.shape.Task {
		far += 1e12
	}
	return far
}

// nearest predicts the seconds of a cell, and returns how far the nearest measured cells are: +Inf if there are none.
// Cells of the same set predict alone. Else it is the geometric mean of what the three nearest predict, since the time
// of a method depends on more of a set than its size. The farther cells are, the less is their weight, since the growth
// of a new method is not known.
func nearest(all []measured, c measured) (seconds, far float64) {
	type neighbour struct {
		measured
		far float64
	}
	near := make([]neighbour, 0, 4)
	for _, m := range all {
		d := m.from(c)
		i := len(near)
		for i > 0 && d < near[i-1].far {
			i--
		}
		near = slices.Insert(near, i, neighbour{m, d})
		near = near[:min(3, len(near))]
	}
	if len(near) == 0 {
		return 0, math.Inf(1)
	}
	if near[0].dataset == c.dataset {
		near = near[:1]
	}
	var logs, weights float64
	for _, m := range near {
		weight := 1 / (1 + m.far)
		logs, weights = logs+weight*math.Log(m.secondsFor(c.work)), weights+weight
	}
	return math.Exp(logs / weights), near[0].far
}

func (m measured) secondsFor(work float64) float64 { return m.seconds / m.cells * work / m.work }

// NewForecast returns the forecast from stored timings, on a machine as fast as that of the reference run.
func NewForecast(stored []store.Timing) *Forecast {
	f := &Forecast{stored: map[methodName][]store.Timing{}, took: map[methodName][]measured{},
		known: map[string]map[*Cell]float64{}, peaks: map[methodName][]peak{}, spent: map[methodName]wallOf{},
		around: map[bool]wallOf{}, Slowness: 1, Policy: Default}
	for _, t := range stored {
		m := nameOf(t.Method, t.MethodVersion)
		f.stored[m] = append(f.stored[m], t)
		if registry.OfPlugin(t.MethodVersion) {
			f.spent[m] = f.spent[m].and(t.Wall, t.Seconds)
		}
		f.recordPeak(m, peak{t.Dataset, t.PeakBytes, t.TrainRows, t.Features})
	}
	return f
}

// learn takes the stored cells of a method into account. Their work follows from their grids and protocols with what
// the method declares today. Cells with parameters of another version say nothing.
func (f *Forecast) learn(spec registry.Spec) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := nameOf(spec.Name, spec.Version)
	for _, t := range f.stored[m] {
		sh := registry.Shape{Task: t.Task, N: t.TrainRows, D: t.Features}
		if scale, err := spec.Scale(t.Grid); err == nil {
			f.record(m, measured{t.Dataset, sh, work(spec, sh, len(t.Grid), scale, t.Semantics), t.Seconds,
				float64(t.Cells)})
		}
	}
	delete(f.stored, m)
}

// record adds measured cells to those of the same set with as much work. Without time or size they say nothing.
func (f *Forecast) record(m methodName, more measured) {
	if !(more.seconds > 0 && more.work > 0 && more.shape.N > 0 && more.shape.D > 0) {
		return
	}
	delete(f.known, m.name)
	i := slices.IndexFunc(f.took[m], func(t measured) bool { return t.from(more) == 0 })
	if i < 0 {
		i, f.took[m] = len(f.took[m]), append(f.took[m], measured{more.dataset, more.shape, more.work, 0, 0})
	}
	t := &f.took[m][i]
	t.seconds, t.cells = t.seconds+more.seconds, t.cells+more.cells
}

// Record notes the wall time of a cell, and its processor time or 0 where this is not known.
func (f *Forecast) Record(c *Cell, wall, processor float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if processor <= 0 {
		processor = wall
	}
	f.spent[spender(c)] = f.spent[spender(c)].and(wall, processor)
	f.record(methodOf(c), measured{c.Dataset, c.Spec.Shape, c.Work, processor, 1})
}

// RecordAround notes the seconds that a cell took outside of its fits, such as the start of its process. A small cell
// of a method in a process of its own spends most of its time there.
func (f *Forecast) RecordAround(c *Cell, seconds float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.around[c.Foreign] = f.around[c.Foreign].and(max(0, seconds), 1)
}

// wallOf is a sum of seconds, and of what they are divided by: processor time, or the number of cells.
type wallOf struct{ wall, by float64 }

func (w wallOf) and(wall, by float64) wallOf { return wallOf{w.wall + wall, w.by + by} }

// spender names the method whose ratio of wall time to processor time is used for a cell. It is the cell's own method
// if that is foreign, since a plugin may wait or compute on several cores. Else it is "", for all methods of the
// program together, which compute all the time on one core.
func spender(c *Cell) methodName {
	if c.Foreign {
		return methodOf(c)
	}
	return methodName{}
}

// slowdown predicts the wall time of a cell divided by its processor time. Two seconds without slowdown are added to
// the sums of the program's methods, so that the first short cells do not decide the ratio; a minute would hide other
// programs from runs of a few minutes. f.mu is held.
func (f *Forecast) slowdown(c *Cell) float64 {
	if s := f.spent[spender(c)]; c.Foreign && s.by > 0 {
		return s.wall / s.by
	}
	s := f.spent[methodName{}].and(2, 2)
	return max(1, s.wall/s.by)
}

// Seconds predicts the time of a cell that has a core for itself. It is 0 where nothing says how long the cell takes.
func (f *Forecast) Seconds(c *Cell) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seconds(c)
}

// seconds is asked about every waiting cell whenever one ends. f.mu is held.
func (f *Forecast) seconds(c *Cell) float64 {
	s, known := f.known[c.Method][c]
	if known {
		return s
	}
	s, far := nearest(f.took[methodOf(c)], measured{dataset: c.Dataset, shape: c.Spec.Shape, work: c.Work})
	if s == 0 || far > c.Far && c.Spec.Cost > 0 {
		s = 1e-9 * c.Spec.Cost * f.Slowness
	}
	if f.known[c.Method] == nil {
		f.known[c.Method] = map[*Cell]float64{}
	}
	f.known[c.Method][c] = s
	return s
}

// wall predicts the seconds from the start of a cell to its end on a machine as busy as in this run.
func (f *Forecast) wall(c *Cell) (fits, around float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.around[c.Foreign]
	return f.slowdown(c) * f.seconds(c), s.wall / max(1, s.by)
}

// alone predicts the wall time of a cell that has the machine for itself: of a plugin, which may wait or compute on
// several cores, by the ratio of its own measured cells.
func (f *Forecast) alone(c *Cell) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.spent[spender(c)]; c.Foreign && s.by > 0 {
		return f.seconds(c) * s.wall / s.by
	}
	return f.seconds(c)
}

// Measured predicts the time of a cell, including the time outside of its fits, from cells of the same method on the
// same set. It is 0 if no cell of the set was measured.
func (f *Forecast) Measured(c *Cell) float64 {
	_, around := f.wall(c)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.ContainsFunc(f.took[methodOf(c)], func(m measured) bool { return m.dataset == c.Dataset }) {
		return 0
	}
	return f.seconds(c) + around
}

// Unknown reports whether nothing says how long the cell takes.
func (f *Forecast) Unknown(c *Cell) bool { return f.Seconds(c) == 0 }

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
	free := make([]float64, max(1, jobs)) // when jobs become free, the earliest first
	last := 0.0
	for i, r := range running {
		fits, _ := f.wall(r.Cell)
		if fits == 0 {
			continue
		}
		left := max(fits-r.For.Seconds(), r.For.Seconds()/10) // a late cell gets a tenth of its time more
		if i < len(free) {
			free[i] = left
		}
		last = max(last, left)
	}
	slices.Sort(free)
	for _, c := range NewQueue(cells, f).Rest() {
		fits, around := f.wall(c)
		if fits == 0 {
			continue
		}
		end := free[0] + fits + around
		at, _ := slices.BinarySearch(free[1:], end)
		copy(free, free[1:at+1])
		free[at], last = end, max(last, end)
	}
	return last
}

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
