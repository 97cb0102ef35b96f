package costs

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kernelboosting/bench/reports/frame"
)

// A Growth is the time of a method on sets of different sizes.
type Growth struct {
	CPU  string
	Sets []TimedSet // by rows, the fewest first
	// Power is the slope of log seconds over log rows by least squares, with its interval by Student's t.
	Power, Low, High float64
	Fits             bool // Power says something: see GrowthOf
}

// A TimedSet is a set with the mean processor seconds of a cell.
type TimedSet struct {
	Name    string
	Rows    int // training rows
	Seconds float64
}

// A power is given where its 95 % interval is at most widest wide, and where it rests on fewestSizes sets or more, of
// which the largest has at least spread times the rows of the smallest.
const (
	widest      = 1.0
	fewestSizes = 5
	spread      = 4
)

// GrowthOf returns the times of a method, on the processor of most cells of the table.
func GrowthOf(t *frame.Table, method string) Growth {
	p := measured(t)
	g := Growth{CPU: p.cpu}
	at := slices.Index(t.Methods, method)
	if at < 0 {
		return g
	}
	for _, s := range t.Sets {
		if v := p.seconds[s.Name][at]; v != nil && s.TrainRows > 0 && *v > 0 {
			g.Sets = append(g.Sets, TimedSet{s.Name, s.TrainRows, *v})
		}
	}
	slices.SortStableFunc(g.Sets, func(a, b TimedSet) int { return a.Rows - b.Rows })
	n := len(g.Sets)
	if n < fewestSizes || g.Sets[n-1].Rows < spread*g.Sets[0].Rows {
		return g
	}
	var xs, ys []float64
	for _, s := range g.Sets {
		xs, ys = append(xs, math.Log(float64(s.Rows))), append(ys, math.Log(s.Seconds))
	}
	var from float64
	from, g.Power = stat.LinearRegression(xs, ys, nil, false)
	var squares, apart float64
	middle := stat.Mean(xs, nil)
	for i, x := range xs {
		off := ys[i] - from - g.Power*x
		squares, apart = squares+off*off, apart+(x-middle)*(x-middle)
	}
	half := -distuv.StudentsT{Sigma: 1, Nu: float64(n - 2)}.Quantile(0.025) * math.Sqrt(squares/float64(n-2)/apart)
	g.Low, g.High, g.Fits = g.Power-half, g.Power+half, 2*half <= widest
	return g
}
