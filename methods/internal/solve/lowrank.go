package solve

import (
	"context"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// LowRank returns V', rank x n and row-major, with |K - V V'| <= tol max K_ii elementwise. K is n x n and positive
// semidefinite; diag is its diagonal, and row writes its row i to dst. The algorithm is the pivoted factorisation of
// Fine and Scheinberg (JMLR 2001): each step takes the example with the largest remaining diagonal; of equal examples,
// the first.
//
// Stopping rule: no remaining diagonal is above tol max K_ii, or the rank would be more than most. In the second case
// LowRank returns nil.
func LowRank(ctx context.Context, diag []float64, row func(dst []float64, i int), tol float64,
	most int) ([]float64, error) {
	n := len(diag)
	left := append([]float64(nil), diag...)
	largest := 0.0
	for _, v := range diag {
		largest = max(largest, v)
	}
	var rows [][]float64
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := 0
		for i, d := range left {
			if d > left[at] {
				at = i
			}
		}
		if !(left[at] > tol*largest) || len(rows) == n {
			return slices.Concat(rows...), nil
		}
		if len(rows) == most {
			return nil, nil
		}
		next, root := make([]float64, n), math.Sqrt(left[at])
		row(next, at)
		for _, before := range rows {
			vmath.Axpy(-before[at], before, next)
		}
		for i := range next {
			next[i] /= root
			left[i] = max(0, left[i]-float64(next[i]*next[i]))
		}
		next[at], left[at] = root, 0
		rows = append(rows, next)
	}
}
