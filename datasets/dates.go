package datasets

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Origins are the days from which columns of days count. In the matrix of a set they count from 1970, and methods see
// days since the earliest training row. The zero value changes nothing.
type Origins struct {
	Columns []int     `json:"columns"` // of the matrix
	Days    []float64 `json:"days"`    // of each, the earliest known one in the chosen rows; 0 without one
}

// FitOrigins finds the earliest days of columns of x in the given rows; nil means all rows.
func FitOrigins(x *mat.Dense, rows, columns []int) Origins {
	n, row := selected(x, rows)
	o := Origins{columns, make([]float64, len(columns))}
	for k, j := range columns {
		earliest := math.Inf(1)
		for i := range n {
			if day := row(i)[j]; day < earliest { // a gap is not
				earliest = day
			}
		}
		if !math.IsInf(earliest, 1) {
			o.Days[k] = earliest
		}
	}
	return o
}

// Apply returns the given rows of x with days that count from the origins; nil means all rows. Gaps stay gaps.
func (o Origins) Apply(x *mat.Dense, rows []int) *mat.Dense {
	out := Rows(x, rows)
	n, _ := out.Dims()
	for i := range n {
		for k, j := range o.Columns {
			out.RawRowView(i)[j] -= o.Days[k]
		}
	}
	return out
}
