package gbrff

import (
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/mat"
)

// rows is an n x d matrix by rows, without gaps.
type rows struct {
	n, d int
	data []float64
}

// rowsOf shares x's memory unless x is a view into a wider matrix.
func rowsOf(x *mat.Dense) rows {
	n, d := x.Dims()
	return rows{n: n, d: d, data: fitting.Rows(x)}
}

func (x rows) pack() *vmath.Packed        { return vmath.Pack(x.data, x.n, x.d) }
func (x rows) slice(lo, hi int) []float64 { return x.data[lo*x.d : hi*x.d] }

// bothClasses returns an error if all labels are the same. The initial vote of the exponential loss would be infinite.
func bothClasses(y []float64) error {
	for _, v := range y {
		if v != y[0] {
			return nil
		}
	}
	return fmt.Errorf("all %d training labels are %+g: the initial vote 1/2 ln((1+m)/(1-m)) needs both classes", len(y),
		y[0])
}
