package plan

import (
	"maps"
	"math"
	"slices"
)

// A law is how the time of a method that declares no cost grows with the set: the logarithm of its factor (see
// Forecast) is a line in log n and log d, so that its time is k n^(1+byRows) d^(1+byFeatures) for a grid and folds
// of the same size. One number stands for each set, however many cells of the set were measured.
//
// The two slopes are the most probable ones under these assumptions: a slope is normal around 0 with a standard
// deviation of 1/2, which leaves the cost n d where few sets are known or all have the same size, and the logarithm
// of a time strays from the law by 0.3. Then the exponents are cut: that of n to [0, 3] and that of d to [0, 2].
type law struct{ at, rows, features, byRows, byFeatures float64 } // the line goes through (rows, features, at)

// lawOf fits the law to the measured sets of a method. It is false where the size of none is known.
func lawOf(sets map[string]timing) (law, bool) {
	const pull = 0.3 * 0.3 / (0.5 * 0.5) // what the assumptions add to a sum of squares
	var l law
	var known []timing
	for _, name := range slices.Sorted(maps.Keys(sets)) { // in one order, so that sums have the same bits
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

// factor is the logarithm of seconds over units, times 1e9, of a set with n training rows and d features.
func (l law) factor(n, d int) float64 {
	return l.at + l.byRows*(math.Log(float64(max(1, n)))-l.rows) + l.byFeatures*(math.Log(float64(max(1, d)))-l.features)
}
