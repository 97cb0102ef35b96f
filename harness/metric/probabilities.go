package metric

import (
	"math"

	"github.com/kernelboosting/bench/registry/elementary"
)

// With labels t_i = 1 for class +1 and 0 for the other, and estimated probabilities p_i of class +1:
//
//	logloss  - sum t_i ln p_i + (1 - t_i) ln(1 - p_i), over n, in nats; probabilities are first cut to
//	         [2^-52, 1 - 2^-52], as scikit-learn does, so that one sure and wrong row is not infinite
//	brier    sum (p_i - t_i)^2, over n (Brier, Monthly Weather Review 78, 1950, in its form for one class)
//	ece      sum over ten bins of |sum p_i - t_i| over the rows of the bin, over n: the expected calibration error of
//	         Naeini, Cooper and Hauskrecht (AAAI 2015) with bins of equal width, [0, 0.1), [0.1, 0.2), .., [0.9, 1]
//
// Scores hold them as float64. They exist only for methods that declare what their scores stand for (see
// registry.Probabilities), and only for the test part.

const calibrationBins = 10

// OfProbabilities computes the three metrics. Labels above 0 are of class +1; probabilities are those of class +1.
// There is at least one row.
func OfProbabilities(y, probabilities []float64) (logLoss, brier, ece float64) {
	const least = 0x1p-52
	var bins [calibrationBins]float64
	n := float64(len(y))
	for i, p := range probabilities {
		t, right := 0.0, 1-p
		if y[i] > 0 {
			t, right = 1, p
		}
		logLoss -= elementary.Log(min(max(right, least), 1-least))
		brier += float64((p - t) * (p - t))
		bins[min(int(p*calibrationBins), calibrationBins-1)] += p - t
	}
	for _, b := range bins {
		ece += math.Abs(b)
	}
	return logLoss / n, brier / n, ece / n
}
