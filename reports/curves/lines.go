package curves

import (
	"maps"
	"math"
	"slices"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
)

// Lines are the runs of a table by series, value of the swept quantity, data set and split. Where sets are the
// points, each value has one set; a protocol without a sweep has the value 0 alone, and its methods are the series.
type Lines struct {
	Table    *frame.Table
	Quantity string   // "" without a sweep
	Title    string   // what drawings call it; "" for a number of Quantity
	Names    []string // of the series, as the protocol orders them
	// sets with runs at every point of every series shown; in a sweep over sets, the set of each value
	Sets     []string
	Dropped  []string // sets that some point lacks
	OverSets bool     // sets are the points
	CPU      string   // the processor of all times

	xs    map[string][]float64 // by series, ascending
	cells map[place]map[int]store.Row
}

// A place is a point of a series on a set.
type place struct {
	series string
	x      float64
	set    string
}

// LinesOf arranges a table. Times are of the processor that computed most of its runs.
func LinesOf(t *frame.Table, s frame.Sweep) Lines {
	l := Lines{Table: t, Quantity: s.Name, Title: s.Title, OverSets: s.Datasets, xs: map[string][]float64{},
		cells: map[place]map[int]store.Row{}}
	columns := s.Points
	if columns == nil {
		for _, m := range t.Methods {
			columns = append(columns, frame.Point{Series: m, Method: m})
		}
	}
	for _, c := range columns {
		for _, set := range t.Sets {
			rows := t.Cells(set.Name, c.Method)
			x := c.Value
			if s.Datasets && len(rows) > 0 {
				x = float64(rows[0].TrainRows)
			}
			l.add(place{c.Series, x, set.Name}, rows)
		}
	}
	if processors := t.Processors(); len(processors) > 0 {
		l.CPU = processors[0]
	}
	l.pickSets()
	return l
}

func (l *Lines) add(at place, rows []store.Row) {
	runs := map[int]store.Row{}
	for _, r := range rows {
		if r.Status == result.OK {
			runs[r.Split] = r
		}
	}
	if len(runs) == 0 {
		return
	}
	l.cells[at] = runs
	if !slices.Contains(l.Names, at.series) {
		l.Names = append(l.Names, at.series)
	}
	if xs := l.xs[at.series]; !slices.Contains(xs, at.x) {
		l.xs[at.series] = append(xs, at.x)
		slices.Sort(l.xs[at.series])
	}
}

// pickSets finds the sets that every point has, so that the means of all points are over the same sets.
func (l *Lines) pickSets() {
	for _, set := range l.Table.Sets {
		has, lacks := false, false
		for name, xs := range l.xs {
			for _, x := range xs {
				there := l.Has(name, x, set.Name)
				has, lacks = has || there, lacks || !there
			}
		}
		switch {
		case l.OverSets && has || has && !lacks:
			l.Sets = append(l.Sets, set.Name)
		case has:
			l.Dropped = append(l.Dropped, set.Name)
		}
	}
}

// Xs returns the values at which a series has runs, ascending.
func (l Lines) Xs(series string) []float64 { return l.xs[series] }

// All returns the values at which any series has runs, ascending.
func (l Lines) All() []float64 {
	var out []float64
	for _, xs := range l.xs {
		out = append(out, xs...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// A Measure reads a value of a run. The second result is false if the run does not have the value.
type Measure func(store.Row) (float64, bool)

// Measured measures the table's metric, in the unit of tables.
func (l Lines) Measured() Measure {
	return func(r store.Row) (float64, bool) {
		v := l.Table.ValueOf(r.Score)
		return frame.Float64(v), v != nil
	}
}

// Seconds measures processor seconds of the whole cell on the processor of the lines.
func (l Lines) Seconds() Measure {
	return func(r store.Row) (float64, bool) {
		if r.CPUSeconds == nil || r.Environment.CPU != l.CPU || *r.CPUSeconds <= 0 {
			return 0, false
		}
		return *r.CPUSeconds, true
	}
}

// Declared measures the cost that was predicted for the whole cell when it ran, in nanoseconds: by the exponents that
// the method declares (registry.Growth), or by the cost that it declared before.
func (l Lines) Declared() Measure {
	return func(r store.Row) (float64, bool) { return r.CostUnits, r.CostUnits > 0 }
}

// Splits returns the measure of a series at a value on a set by split.
func (l Lines) Splits(series string, x float64, set string, of Measure) map[int]float64 {
	out := map[int]float64{}
	for split, r := range l.cells[place{series, x, set}] {
		if v, ok := of(r); ok {
			out[split] = v
		}
	}
	return out
}

// Ratio returns the number of test rows for each row of the training part at a point, for which stats.CorrectedT
// corrects. A method may learn from fewer rows than the training part has. The ratio is 0 if the splits are draws
// of the method over one division.
func (l Lines) Ratio(series string, x float64, set string) float64 {
	var of frame.Dataset
	if at := slices.IndexFunc(l.Table.Sets, func(s frame.Set) bool { return s.Name == set }); at >= 0 {
		of = l.Table.Sets[at].Dataset
	}
	train, test := 0, 0
	for _, r := range l.cells[place{series, x, set}] {
		learned, tested := of.Units(r.TrainRows, r.TestRows, &r.Score)
		train, test = train+learned, test+tested
	}
	if of.Draws || train == 0 {
		return 0
	}
	return float64(test) / float64(train)
}

// Has reports whether a series has runs at a value on a set.
func (l Lines) Has(series string, x float64, set string) bool {
	_, ok := l.cells[place{series, x, set}]
	return ok
}

// SetsAt returns the sets that a value is measured on.
func (l Lines) SetsAt(series string, x float64) []string {
	var out []string
	for _, set := range l.Sets {
		if l.Has(series, x, set) {
			out = append(out, set)
		}
	}
	return out
}

// An Average sums up a series at a value. For a metric it is the mean over sets of the mean over splits. For times
// it is the median over splits of the geometric mean over sets.
type Average struct {
	Value     float64
	Low, High float64 // metric: its interval for other rows of the same sets, infinite for none; times: the extremes
	Runs      int
}

// Mean averages a metric; the second result is false without a run.
func (l Lines) Mean(series string, x float64, of Measure) (Average, bool) {
	sets := l.SetsAt(series, x)
	var a Average
	var samples []Sample
	for _, set := range sets {
		values := sorted(l.Splits(series, x, set, of))
		if len(values) == 0 {
			return a, false
		}
		samples = append(samples, Sample{1 / float64(len(sets)), values, l.Ratio(series, x, set)})
		a.Runs += len(values)
	}
	e := Combine(samples)
	a.Value = e.Mean
	a.Low, a.High = e.Interval(level)
	return a, len(sets) > 0
}

// Median averages processor times.
func (l Lines) Median(series string, x float64) (Average, bool) {
	values := sorted(l.logs(series, x, l.Seconds()))
	if len(values) == 0 {
		return Average{}, false
	}
	return Average{math.Exp(median(values)), math.Exp(values[0]), math.Exp(values[len(values)-1]), len(values)}, true
}

// logs returns for each split the mean over sets of the logarithm of a measure, for a series at a value. It leaves out
// splits that some set lacks.
func (l Lines) logs(series string, x float64, of Measure) map[int]float64 {
	each := doc.Map(l.SetsAt(series, x), func(set string) map[int]float64 { return l.Splits(series, x, set, of) })
	return Averages(each, math.Log)
}

// Averages returns for each split the mean over lists of a function of its values. It leaves out splits that a list
// lacks.
func Averages(lists []map[int]float64, of func(float64) float64) map[int]float64 {
	out := map[int]float64{}
	for i, list := range lists {
		for split, v := range list {
			if _, ok := out[split]; ok || i == 0 {
				out[split] += of(v) / float64(len(lists))
			}
		}
		maps.DeleteFunc(out, func(split int, _ float64) bool { _, ok := list[split]; return !ok })
	}
	return out
}

// Version is the method's version of a point on a set.
func (l Lines) Version(series string, x float64, set string) string {
	for _, r := range l.cells[place{series, x, set}] {
		return r.MethodVersion
	}
	return ""
}

func sorted(values map[int]float64) []float64 {
	return slices.Sorted(maps.Values(values))
}

// median is the median of ascending values.
func median(values []float64) float64 {
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
