package rfrboost

import (
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry/rng"
)

// A layer is random features tanh(A z + a), one for each of some pairs of rows (SWIM: Bolager et al., NeurIPS 2023).
// The feature of the pair z_1, z_2 is tanh(-c) at z_1 and tanh(c) at z_2:
//
//	A = 2 c (z_2 - z_1)' / |z_2 - z_1|^2,   a = -A z_1 - c.
//
// Pairs are drawn with replacement among 5 n pairs of different rows, with a probability proportional to |y_2 - y_1| /
// |z_2 - z_1|.
type layer struct {
	A []float64 // features x width
	B []float64
}

const (
	pairsPerRow = 5
	leastLength = 0.01 // of z_2 - z_1
)

// A pair is two rows.
type pair struct{ first, second int }

// A drawer makes the random numbers of the draw of m pairs of n rows. The pairs themselves depend on the rows z (n x d)
// and their targets y (n x k).
type drawer func(n, m int) func(z []float64, d int, y []float64, k int) []pair

// drawPairs draws with the generator r. If all probabilities are zero, all pairs are as probable.
func drawPairs(r *rng.RandomState) drawer {
	return func(n, m int) func(z []float64, d int, y []float64, k int) []pair {
		pairs, u := make([]pair, pairsPerRow*n), make([]float64, m)
		for i := range pairs {
			pairs[i] = pair{i % n, (i%n + 1 + r.Intn(n-1)) % n}
		}
		for j := range u {
			u[j] = r.Float64()
		}
		return func(z []float64, d int, y []float64, k int) []pair {
			sums, total := make([]float64, len(pairs)), 0.0
			for i, p := range pairs {
				total += distance(y[p.first*k:][:k], y[p.second*k:][:k]) /
					max(leastLength, distance(z[p.first*d:][:d], z[p.second*d:][:d]))
				sums[i] = total
			}
			out := make([]pair, m)
			for j, u := range u {
				at := int(u * float64(len(pairs)))
				if total > 0 {
					at, _ = slices.BinarySearch(sums, u*total)
				}
				out[j] = pairs[min(at, len(pairs)-1)]
			}
			return out
		}
	}
}

func distance(a, b []float64) float64 {
	sum := 0.0
	for j, v := range a {
		sum = math.FMA(v-b[j], v-b[j], sum)
	}
	return math.Sqrt(sum)
}

// newLayer makes the features of the pairs.
func newLayer(z []float64, d int, pairs []pair, c float64) layer {
	l := layer{A: make([]float64, len(pairs)*d), B: make([]float64, len(pairs))}
	for j, p := range pairs {
		first, second, row := z[p.first*d:(p.first+1)*d], z[p.second*d:(p.second+1)*d], l.A[j*d:(j+1)*d]
		length := max(leastLength, distance(first, second))
		for i := range row {
			row[i] = 2 * c * (second[i] - first[i]) / (length * length)
		}
		l.B[j] = -vmath.Dot(row, first) - c
	}
	return l
}

// features writes the features of the rows z (n x d) to dst (features x n).
func (l layer) features(dst, z []float64, d int) {
	n := len(z) / d
	vmath.MatMulT(dst, l.A, len(l.B), d, z, n)
	for j, b := range l.B {
		row := dst[j*n : (j+1)*n]
		vmath.Tanh(row, row, b)
	}
}
