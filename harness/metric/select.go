package metric

import (
	"math"
	"math/big"

	"github.com/kernelboosting/bench/harness/result"
)

// Select returns the grid point with the best mean of m over the folds. Of several equal points it returns
// the first in grid order. folds[g] holds the scores of grid point g. Every point has the same folds, at
// least one.
//
// Means are compared exactly, as rationals, so that rounding decides no tie. The one exception is mse, whose
// mean is computed in float64: regressions have always been selected in this way, and stored results depend
// on it.
//
// A fold on whose rows m is not defined is left out for every point. A point may lack a value that another
// point has, since its error was not finite. Such a point loses to any point that has all values. If no point
// has a value, Select returns the first.
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
		// This point has more values than the points before. Those points lack a value that this one has, so
		// they have lost.
		if values > most || values == most && values > 0 && m.Compare(sum, best) > 0 {
			best.Set(sum)
			at, most = g, values
		}
	}
	return at
}

// mostCorrect is Select for accuracy and for error, in integers. A fold has the same size for each grid
// point, so that all means have one denominator, the product of the sizes. mostCorrect compares the
// numerators.
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

// leastSquares is Select for mse with sums in float64; a sum that is not finite loses.
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
