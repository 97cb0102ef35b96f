package mfga

import (
	"cmp"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
)

// align returns the weights q of LKRF (Sinha and Duchi 2016, eq. 4, with the chi-square divergence), which solve
//
//	max over q   sum_m q_m K_m   subject to   q >= 0,   sum_m q_m = 1,   sum_m (q_m - 1/M0)^2 <= rho
//
// for K of M0 elements. The solution is in closed form: it is positive on the k largest K only, and there
//
//	q_m = 1/k + a (K_m - mean K),   a = sqrt((rho - 1/k + 1/M0) / sum (K - mean K)^2),
//
// where mean and sum are over these k elements. k is the largest number for which all k weights are positive. If these
// k elements of K are equal, their weights are equal.
func align(scores []float64, rho float64) []float64 {
	m0 := len(scores)
	order := fitting.Upto(m0)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	// mean and sum of squared deviations of the first i + 1 scores
	means, squares := make([]float64, m0), make([]float64, m0)
	mean, square := 0.0, 0.0
	for i, m := range order {
		off := scores[m] - mean
		mean += off / float64(i+1)
		square += float64(off * (scores[m] - mean))
		means[i], squares[i] = mean, square
	}
	q := make([]float64, m0)
	for k := m0; k >= 1; k-- {
		room, a := rho-1/float64(k)+1/float64(m0), 0.0
		if squares[k-1] > 0 {
			if room < 0 {
				continue
			}
			a = math.Sqrt(room / squares[k-1])
		}
		if least := 1/float64(k) + float64(a*(scores[order[k-1]]-means[k-1])); !(least > 0) {
			continue
		}
		for _, m := range order[:k] {
			q[m] = 1/float64(k) + float64(a*(scores[m]-means[k-1]))
		}
		break
	}
	return q
}

// sample draws an index for each uniform number u, with replacement, by the weights q. The index is the number of m for
// which q_0 + .. + q_m is below u.
func sample(q, uniforms []float64) []int {
	sums, sum := make([]float64, len(q)), 0.0
	last := 0
	for m, v := range q {
		sum += v
		sums[m] = sum
		if v > 0 {
			last = m
		}
	}
	out := make([]int, len(uniforms))
	for j, u := range uniforms {
		at, _ := slices.BinarySearch(sums, u)
		out[j] = min(at, last) // the weights may sum to less than 1 by rounding
	}
	return out
}
