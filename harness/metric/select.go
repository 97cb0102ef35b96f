package metric

import (
	"math"
	"math/big"

	"github.com/kernelboosting/bench/harness/result"
)

// Select returns the grid point with the best mean of m over the folds; among equals the first in
// grid order. folds[g] holds grid point g's scores, of the same folds for every point, at least one.
//
// Means are compared exactly, as rationals, so that rounding decides no tie. The one exception is
// mse, whose mean is that of float64 arithmetic: regressions have always been selected so, and
// stored results rest on it.
//
// A fold for whose rows m is not defined counts for no point. A point whose value is missing where
// another has one, since an error was not finite, loses to any that has them all. The first point is
// the answer if none has.
func Select(m Metric, folds [][]result.Score) int {
	if m.pick != nil {
		return m.pick(folds)
	}
	best, at, most := new(big.Rat), 0, 0
	sum := new(big.Rat)
	for g, scores := range folds {
		sum.SetInt64(0)
		values := 0
		for _, s := range scores {
			if v := m.Of(s); v != nil {
				sum.Add(sum, v)
				values++
			}
		}
		// More values than before: those points lack one that this has, so they have lost.
		if values > most || values == most && values > 0 && m.Compare(sum, best) > 0 {
			best.Set(sum)
			at, most = g, values
		}
	}
	return at
}

// mostCorrect is Select of accuracy and of error in integers. Every fold has the same size for each
// grid point: over the product of the sizes the means have one denominator, and their numerators
// are compared.
func mostCorrect(folds [][]result.Score) int {
	sizes := folds[0]
	product := big.NewInt(1)
	for _, s := range sizes {
		product.Mul(product, big.NewInt(int64(s.N)))
	}
	weight := make([]*big.Int, len(sizes))
	for f, s := range sizes {
		weight[f] = new(big.Int).Quo(product, big.NewInt(int64(s.N)))
	}
	best, at := big.NewInt(-1), 0
	sum, term := new(big.Int), new(big.Int)
	for g, scores := range folds {
		sum.SetInt64(0)
		for f, s := range scores {
			sum.Add(sum, term.Mul(weight[f], big.NewInt(int64(*s.Correct))))
		}
		if sum.Cmp(best) > 0 {
			best.Set(sum)
			at = g
		}
	}
	return at
}

// leastSquares is Select of mse with sums in float64; a sum that is not finite loses.
func leastSquares(folds [][]result.Score) int {
	best, at := math.Inf(1), 0
	for g, scores := range folds {
		sum := 0.0
		for _, s := range scores {
			sum += float64(*s.RMSE * *s.RMSE)
		}
		if sum < best {
			best, at = sum, g
		}
	}
	return at
}
