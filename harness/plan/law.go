package plan

import (
	"maps"
	"math"
	"slices"
)

// A law says how the time of a method that declares no cost grows with the data set. It is a line: the logarithm
// of the method's factor (see Forecast) is linear in log n and log d. So the time is k n^(1+byRows)
// d^(1+byFeatures) for a grid and folds of the same size. Each data set is one point of the fit, however many
// cells of the set were measured.
//
// The two slopes are the most probable ones under two assumptions. A slope is normal around 0 with standard
// deviation 1/2, so that the cost stays n d if few sets are known or all sets have the same size. The logarithm of
// a time has standard deviation 0.3 around the line. Then the exponents are limited: that of n to [0, 3] and that
// of d to [0, 2].
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
	return l.at + l.byRows*(math.Log(float64(max(1, n)))-l.rows) + l.byFeatures*(math.Log(float64(max(1, d)))-l.features)
}
