package testsplit

import (
	"math"
	"math/rand/v2"

	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// Waves returns n rows of d normal features whose labels depend on the first one and on
// noise; both labels occur.
func Waves(seed uint64, n, d int) registry.Data {
	data := drawn(rand.New(rand.NewPCG(seed, 1)), n, d, func(x []float64, noise float64) float64 {
		return math.Sin(2*x[0]) + 0.5*noise
	})
	data.Y[0], data.Y[1] = -1, 1
	return data
}

// Rough returns n rows of d features whose labels no smooth function gives, so that
// kernel machines take long on them.
func Rough(n, d int) registry.Data {
	return drawn(rand.New(rand.NewPCG(uint64(n), uint64(d))), n, d, func(x []float64, noise float64) float64 {
		return x[0]*x[d-1] + 0.5*x[0] + noise
	})
}

// drawn returns rows of normal features, labelled by the sign of f(row, noise).
func drawn(rng *rand.Rand, n, d int, f func(x []float64, noise float64) float64) registry.Data {
	data := registry.Data{Task: registry.Binary, Classes: 2, X: mat.NewDense(n, d, nil), Y: make([]float64, n)}
	for i := range n {
		x := data.X.RawRowView(i)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		data.Y[i] = math.Copysign(1, f(x, rng.NormFloat64()))
	}
	return data
}

// Jitter returns data with every feature multiplied by 1 plus size times a normal.
func Jitter(data registry.Data, size float64, seed uint64) registry.Data {
	rng := rand.New(rand.NewPCG(seed, 15))
	data.X = mat.DenseCopyOf(data.X)
	raw := data.X.RawMatrix().Data
	for i := range raw {
		raw[i] *= 1 + float64(size*rng.NormFloat64())
	}
	return data
}
