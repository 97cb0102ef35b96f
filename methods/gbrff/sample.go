package gbrff

import (
	"fmt"
	"math"

	"github.com/kernelboosting/bench/methods/internal/frame"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
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
	return rows{n: n, d: d, data: frame.Rows(x)}
}

func (x rows) row(i int) []float64        { return x.data[i*x.d : (i+1)*x.d] }
func (x rows) pack() *vmath.Packed        { return vmath.Pack(x.data, x.n, x.d) }
func (x rows) slice(lo, hi int) []float64 { return x.data[lo*x.d : hi*x.d] }

// check reports whether data is a training set: labels -1 and +1, finite features.
func check(data registry.Data) error {
	if err := frame.CheckBinary(data); err != nil {
		return err
	}
	for i, y := range data.Y {
		if y != 1 && y != -1 {
			return fmt.Errorf("label of row %d is %v: labels must be -1 or +1", i, y)
		}
	}
	return nil
}

// checkBoth is check where both labels must occur: the initial vote of the exponential
// loss is infinite otherwise.
func checkBoth(data registry.Data) error {
	if err := check(data); err != nil {
		return err
	}
	for _, y := range data.Y {
		if y != data.Y[0] {
			return nil
		}
	}
	return fmt.Errorf("all %d training labels are %+g: the initial vote 1/2 ln((1+m)/(1-m)) needs both classes", len(data.Y), data.Y[0])
}

type named struct {
	name  string
	value float64
}

// nonNegative reports the first parameter that is not a finite number >= 0.
func nonNegative(parameters ...named) error {
	for _, p := range parameters {
		if !(p.value >= 0) || math.IsInf(p.value, 1) {
			return fmt.Errorf("%s is %v: it must be a finite number >= 0", p.name, p.value)
		}
	}
	return nil
}
