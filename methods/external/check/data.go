package check

import (
	"fmt"
	"math"

	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/mat"
)

// seed is of the generated data and of the fits.
const seed = 11

// sample returns n rows of d features whose target is in the first one: classes lie around different
// centres, a regression target is that feature. from makes other rows of the same kind.
func sample(task registry.Task, n, d int, from uint32) registry.Data {
	draws := rng.New(from)
	data := registry.Data{Task: task, X: mat.NewDense(n, d, nil), Y: make([]float64, n)}
	draws.Norms(data.X.RawMatrix().Data)
	for i := range n {
		x := data.X.RawRowView(i)
		switch task {
		case registry.Binary:
			data.Classes = 2
			data.Y[i] = float64(2*(i%2) - 1)
			x[0] = 0.4*x[0] + data.Y[i]
		case registry.Multiclass:
			data.Classes = 3
			data.Y[i] = float64(i % 3)
			x[0] = 0.25*x[0] + 1.2*(data.Y[i]-1)
		default:
			data.Y[i] = x[0]
		}
	}
	return data
}

// order is a permutation of n rows.
func order(n int) []int { return rng.New(seed).Permutation(n) }

// equal compares bits.
func equal(what string, got, want []float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%s has %d scores, not %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			return fmt.Errorf("%s differs: score %d is %v, not %v", what, i, got[i], want[i])
		}
	}
	return nil
}

// near compares up to the order of sums.
func near(what string, got, want []float64, tolerance float64) error {
	for i := range got {
		if math.Abs(got[i]-want[i]) > tolerance*max(1, math.Abs(want[i])) {
			return fmt.Errorf("%s: score %d is %v, not %v", what, i, got[i], want[i])
		}
	}
	return nil
}
