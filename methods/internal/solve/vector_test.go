package solve_test

import (
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/methods/internal/solve"

	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/floats"
)

// TestBits: the orders that the comments state, written as they say, and of elements of any size.
func TestBits(t *testing.T) {
	r := rng.New(1)
	for n := range 70 {
		x, y := make([]float64, n), make([]float64, n)
		r.Norms(x)
		r.Norms(y)
		var lanes [4]float64
		for i := range x {
			lane := i % 4
			if i >= n-n%4 {
				lane = 0
			}
			product := x[i] * y[i]
			lanes[lane] += float64(product)
		}
		must.Be(t, solve.Dot(x, y), (lanes[0]+lanes[2])+(lanes[1]+lanes[3]), n)
		sum := slices.Clone(y)
		solve.AddScaled(sum, 0.3, x)
		for i, v := range sum {
			must.Be(t, v, y[i]+float64(0.3*x[i]), i, n)
		}
		must.Be(t, solve.MaxAbs(x), floats.Norm(x, math.Inf(1)), n)
		for _, size := range []float64{1, 0x1p-1000, 0x1p1000} {
			floats.ScaleTo(y, size, x)
			if got, want := solve.Norm(y), size*math.Sqrt(solve.Dot(x, x)); math.Abs(got-want) > 1e-14*want {
				t.Errorf("%d elements times %g: Norm is %g, want %g", n, size, got, want)
			}
		}
	}
}

func TestNotFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		x := []float64{1, v, 2}
		for name, got := range map[string]float64{"Dot": solve.Dot(x, []float64{1, 1, 1}), "Norm": solve.Norm(x),
			"MaxAbs": solve.MaxAbs(x)} {
			if !math.IsNaN(got) && (got != v || math.IsNaN(v)) {
				t.Errorf("%s of %v is %v", name, x, got)
			}
		}
	}
}
