package gbdt

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// An entry is a row in the order of one feature: rank counts the distinct values below.
type entry struct{ row, rank int32 }

// A Sorted is a sample with each feature's order, in single precision as XGBoost
// keeps it, which any number of fits share. It is immutable.
type Sorted struct {
	rows, features int
	order          []entry     // [feature][position], ascending; equal values by row
	values         [][]float32 // [feature][rank]
	ranked         *ranked     // the same as ranks; nil if a feature has too many
}

// NewSorted sorts the features of n rows of d values, row-major in x. Values must be
// finite in single precision: there is no default direction for missing ones.
func NewSorted(ctx context.Context, x []float64, n, d int) (*Sorted, error) {
	if n < 1 || d < 1 || len(x) != n*d || n > math.MaxInt32 {
		return nil, fmt.Errorf("gbdt: %d values are not a sample of %d rows and %d features", len(x), n, d)
	}
	for i, v := range x {
		if !(math.Abs(v) <= math.MaxFloat32) {
			return nil, fmt.Errorf("gbdt: feature %d of row %d is %v; values must be finite in single precision", i%d, i/d, v)
		}
	}
	s := &Sorted{rows: n, features: d, order: make([]entry, n*d), values: make([][]float32, d)}
	type keyed struct {
		value float32
		row   int32
	}
	column := make([]keyed, n)
	for j := range d {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range n {
			column[i] = keyed{float32(x[i*d+j]), int32(i)}
		}
		slices.SortFunc(column, func(a, b keyed) int {
			return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.row, b.row))
		})
		order := s.order[j*n : (j+1)*n]
		for i, c := range column {
			if i == 0 || c.value != column[i-1].value {
				s.values[j] = append(s.values[j], c.value)
			}
			order[i] = entry{c.row, int32(len(s.values[j]) - 1)}
		}
	}
	s.ranked = newRanked(s)
	return s, nil
}
