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
	columns        []sortedColumn
	order          []entry // [column][position], ascending by rank
	ranked         *ranked // the sample as ranks; nil if a column has too many distinct values
}

// A sortedColumn is a feature whose cuts are searched from the last rank down, with missing values at rank 0.
//
// A feature with missing values has rank 0 for these, and two columns: XGBoost searches such a feature from both ends,
// first with the missing values on the right side and then with them on the left side. For the first search the column
// is mirrored, with the largest value first, so that one search serves both. With one known value XGBoost searches from
// one end only.
type sortedColumn struct {
	feature  int
	values   []float32 // by rank; NaN first where values are missing
	mirrored bool      // the rows from a rank on go left
}

// A keyed is a value with its row.
type keyed struct {
	value float32
	row   int32
}

// NewSorted sorts the features of n rows of d values, row-major in x. Values must be
// finite in single precision, or NaN, which is a missing value.
func NewSorted(ctx context.Context, x []float64, n, d int) (*Sorted, error) {
	if n > math.MaxInt32 {
		return nil, fmt.Errorf("gbdt: %d rows; at most %d fit", n, math.MaxInt32)
	}
	for i, v := range x {
		if !(math.Abs(v) <= math.MaxFloat32) && v == v {
			return nil, fmt.Errorf("gbdt: feature %d of row %d is %v; values must be finite in single precision or "+
				"missing", i%d, i/d, v)
		}
	}
	s := &Sorted{rows: n, features: d, order: make([]entry, 0, n*d)}
	var missing []int32
	known := make([]keyed, 0, n)
	for j := range d {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		missing, known = missing[:0], known[:0]
		for i := range n {
			if v := float32(x[i*d+j]); v == v {
				known = append(known, keyed{v, int32(i)})
			} else {
				missing = append(missing, int32(i))
			}
		}
		slices.SortFunc(known, func(a, b keyed) int {
			return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.row, b.row))
		})
		if len(missing) > 0 && len(known) > 0 && known[0].value != known[len(known)-1].value {
			slices.Reverse(known)
			s.add(sortedColumn{feature: j, mirrored: true}, missing, known)
			slices.Reverse(known)
		}
		s.add(sortedColumn{feature: j}, missing, known)
	}
	s.ranked = newRanked(s)
	return s, nil
}

// add adds a column of missing values and of known ones in their order.
func (s *Sorted) add(c sortedColumn, missing []int32, known []keyed) {
	distinct := 1
	for i, k := range known {
		if i == 0 || k.value != known[i-1].value {
			distinct++
		}
	}
	c.values = make([]float32, 0, distinct) // growing to so many values would leave twice their memory
	if len(missing) > 0 {
		c.values = append(c.values, float32(math.NaN()))
	}
	for _, row := range missing {
		s.order = append(s.order, entry{row, 0})
	}
	for i, k := range known {
		if i == 0 || k.value != known[i-1].value {
			c.values = append(c.values, k.value)
		}
		s.order = append(s.order, entry{k.row, int32(len(c.values) - 1)})
	}
	s.columns = append(s.columns, c)
}

// list returns the entries of a column from position `from` on, for the given number of rows. `of` has the layout of
// order.
func (s *Sorted) list(of []entry, column, from, rows int) []entry {
	return of[column*s.rows+from:][:rows]
}

// threshold is XGBoost's threshold of a cut: rows below the threshold go left. It is between the two values beside the
// cut. If all known values are on one side, the threshold is beyond them.
func (c *sortedColumn) threshold(at *cut) float32 {
	last, next := c.values[at.rank], c.values[at.before]
	if next != next {
		beyond := float32(math.Abs(float64(last))) + leastGain
		if c.mirrored {
			return last + beyond
		}
		return last - beyond
	}
	if middle := (next + last) * 0.5; middle != next {
		return middle
	}
	return last
}
