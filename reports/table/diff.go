package table

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// A Line sums up the cells of a method on a data set that both sides have.
type Line struct {
	Protocol, Dataset, Method string
	Versions                  [2]string // of the method on each side, joined by ", " where there are several
	Cells                     int
	Ends                      int // cells that ended with another status
	Lost                      int // of Ends: those that ended ok on the first side alone
	Counts                    int // cells with other test counts, or other bits of the test scores where both are known
	Choices                   int // cells with another chosen grid point
	Metric                    string
	// means of the metric over the cells that ended ok on both sides; in per cent where the metric is
	A, B   float64
	Behind bool // the mean of B is the worse one
	// Low and High are the interval at 95 % of B - A for other rows of the same set (Nadeau and Bengio 2003), NaN for a
	// single split. P is the p-value of a difference, adjusted for all lines by Holm, and 1 where every split is equal.
	Low, High, P float64
}

// Changed reports whether anything of the line differs.
func (l Line) Changed() bool { return l.Ends+l.Counts+l.Choices > 0 }

// Tested reports whether the means of the line were tested, or all their splits are equal.
func (l Line) Tested() bool { return !math.IsNaN(l.P) }

// Fails reports whether the line is a failure for an alarm on "counts", which are other ends or other results, on
// "worse", which are lost cells or a significantly worse mean of the second side, or, without either, on any change.
func (l Line) Fails(alarms ...string) bool {
	counts := slices.Contains(alarms, "counts") && l.Ends+l.Counts > 0
	worse := slices.Contains(alarms, "worse") && (l.Lost > 0 || l.Behind && l.P < frame.UsualLevel)
	return counts || worse || len(alarms) == 0 && l.Changed()
}

// A Tally finds what changed between two collections of results: counts, choices of grid points, and means.
//
// [Tally.Add] takes the two results of a cell, and [Tally.Lines] sums up by protocol, data set and method. Means
// are tested on each data set by itself, since the author of a method wants to know which sets a change affects.
// The zero value is ready.
type Tally struct {
	// Rows says how many rows a data set has; 0 is unknown. A protocol may learn from only some of the rows that a
	// split does not test, but how alike splits are depends on all rows that they divide.
	Rows func(dataset string) int

	lines map[[3]string]*line
	order [][3]string
}

type line struct {
	Line
	metric      metric.Metric
	a, b        *big.Rat
	differences []*big.Rat
	train, test int
}

// Add adds a cell's two results.
func (t *Tally) Add(a, b result.Run) {
	key := [3]string{a.Protocol, a.Dataset, a.Method}
	l := t.lines[key]
	if l == nil {
		if t.lines == nil {
			t.lines = map[[3]string]*line{}
		}
		l = &line{Line: Line{Protocol: a.Protocol, Dataset: a.Dataset, Method: a.Method}, metric: metricOf(a.Task),
			a: new(big.Rat), b: new(big.Rat)}
		t.lines[key] = l
		t.order = append(t.order, key)
	}
	l.Cells++
	note(&l.Versions[0], a.MethodVersion)
	note(&l.Versions[1], b.MethodVersion)
	if a.Status != b.Status {
		l.Ends++
		if a.Status == result.OK {
			l.Lost++
		}
	}
	if a.Status != result.OK || b.Status != result.OK {
		return
	}
	if point(a) != point(b) {
		l.Choices++
	}
	x, y := l.metric.Of(a.Score), l.metric.Of(b.Score)
	if otherCounts(a.Score, b.Score) || a.ScoresHash != "" && b.ScoresHash != "" && a.ScoresHash != b.ScoresHash {
		l.Counts++
	}
	if x == nil || y == nil {
		return
	}
	l.a.Add(l.a, x)
	l.b.Add(l.b, y)
	l.differences = append(l.differences, new(big.Rat).Sub(y, x))
	d := frame.Dataset{TestRows: a.TestRows}
	if t.Rows != nil {
		d.Rows = t.Rows(a.Dataset)
	}
	learned, tested := d.Units(a.TrainRows, a.TestRows, &a.Score)
	l.train, l.test = l.train+learned, l.test+tested
}

// Lines returns the sums, by protocol, data set and method.
func (t *Tally) Lines() []Line {
	var out []Line
	var p []float64
	for _, key := range t.order {
		l := t.lines[key]
		l.finish()
		out = append(out, l.Line)
		if !math.IsNaN(l.P) {
			p = append(p, l.P)
		}
	}
	adjusted := stats.Holm(p)
	for i := range out {
		if !math.IsNaN(out[i].P) {
			out[i].P, adjusted = adjusted[0], adjusted[1:]
		}
	}
	slices.SortStableFunc(out, func(x, y Line) int {
		return cmp.Or(strings.Compare(x.Protocol, y.Protocol), strings.Compare(x.Dataset, y.Dataset),
			strings.Compare(x.Method, y.Method))
	})
	return out
}

func (l *line) finish() {
	l.Metric, l.Low, l.High, l.P, l.A, l.B = l.metric.Name, math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()
	n := len(l.differences)
	if n == 0 {
		return
	}
	l.Behind = l.metric.Compare(l.b, l.a) < 0
	scale := big.NewRat(1, int64(n))
	if l.metric.Percent {
		scale.Mul(scale, big.NewRat(100, 1))
	}
	l.A, _ = l.a.Mul(l.a, scale).Float64()
	l.B, _ = l.b.Mul(l.b, scale).Float64()
	if !slices.ContainsFunc(l.differences, func(d *big.Rat) bool { return d.Sign() != 0 }) {
		l.Low, l.High, l.P = 0, 0, 1
		return
	}
	if n < stats.FewestSplits || l.train < 1 {
		return
	}
	test := stats.CorrectedT(l.differences, l.train, l.test)
	unit := 1.0
	if l.metric.Percent {
		unit = 100
	}
	between := test.Interval(0.95)
	l.Low, l.High, l.P = unit*between.Low, unit*between.High, test.P
}

// metricOf is the metric by which results of a task are compared: the share of right rows, or the error of regression.
func metricOf(task string) metric.Metric {
	name := "accuracy"
	if task == "regression" {
		name = "rmse"
	}
	m, err := metric.Lookup(name)
	if err != nil {
		panic(err) // both are metrics of this program
	}
	return m
}

func note(versions *string, v string) {
	if !slices.Contains(strings.Split(*versions, ", "), v) {
		*versions = strings.TrimPrefix(*versions+", "+v, ", ")
	}
}

// point is the parameters of the chosen grid point, "" for none.
func point(r result.Run) string {
	if r.Selected == nil || *r.Selected >= len(r.Grid) {
		return ""
	}
	return string(r.Grid[*r.Selected])
}

// otherCounts reports whether a value of two scores differs. Values that only the tests of some methods have are not
// compared, nor those that one of the scores may lack and does: older programs did not have them.
func otherCounts(a, b result.Score) bool {
	return a.N != b.N || slices.ContainsFunc(result.Fields(), func(f result.Field) bool {
		was, is := f.Value(&a), f.Value(&b)
		return !f.TestOnly && was != is && (f.Needs != 0 || was != nil && is != nil)
	})
}
