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
// and their targets y (n x k). A draw is valid until the second one after it.
type drawer func(n, m int) func(z []float64, d int, y []float64, k int) []pair

// drawPairs draws with the generator r. If all probabilities are zero, all pairs are as probable.
func drawPairs(r *rng.RandomState) drawer {
	var sums []float64 // of all draws in turn
	var room, other []int32
	return func(n, m int) func(z []float64, d int, y []float64, k int) []pair {
		other, room = room, slices.Grow(other[:0], pairsPerRow*n)
		seconds, u := room[:pairsPerRow*n], make([]float64, m) // row i % n is the first one of pair i
		for i := range seconds {
			seconds[i] = int32((i%n + 1 + r.Intn(n-1)) % n)
		}
		for j := range u {
			u[j] = r.Float64()
		}
		return func(z []float64, d int, y []float64, k int) []pair {
			sums = slices.Grow(sums[:0], len(seconds))[:len(seconds)]
			total := 0.0
			for i := range sums {
				first, second := i%n, int(seconds[i])
				total += distance(y[first*k:][:k], y[second*k:][:k]) /
					max(leastLength, distance(z[first*d:][:d], z[second*d:][:d]))
				sums[i] = total
			}
			out := make([]pair, m)
			for j, u := range u {
				at := int(u * float64(len(sums)))
				if total > 0 {
					at, _ = slices.BinarySearch(sums, u*total)
				}
				at = min(at, len(sums)-1)
				out[j] = pair{at % n, int(seconds[at])}
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

// of returns those features of l whose numbers are from .. to-1.
func (l layer) of(from, to, d int) layer {
	from, to = min(max(0, from), len(l.B)), min(max(0, to), len(l.B))
	return layer{l.A[from*d : to*d], l.B[from:to]}
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
