package stats

import "cmp"

// Holm adjusts p-values of several hypotheses by stepping down (Holm 1979): the i-th smallest of m p-values is
// multiplied by m-i+1, the number of hypotheses that may still be true. It rejects at level alpha the hypotheses
// whose adjusted value is at most alpha, and the probability of one false rejection among all is then at most alpha.
// No value is smaller than that of a smaller p, or larger than 1. Equal p-values share their largest value, so that the
// order of the methods decides nothing. The order of p is kept. A NaN counts as a hypothesis that is not rejected, and
// stays NaN.
func Holm(p []float64) []float64 {
	// Compare has NaN before all numbers, so that it comes last in the order of the negatives.
	order := ordered(len(p), func(a, b int) int { return cmp.Compare(-p[b], -p[a]) })
	out, reached := make([]float64, len(p)), 0.0
	for first := 0; first < len(order); {
		end := first
		for ; end < len(order) && cmp.Compare(p[order[end]], p[order[first]]) == 0; end++ {
			reached = max(reached, float64(len(p)-end)*p[order[end]]) // NaN where p is
		}
		reached = min(1, reached)
		for ; first < end; first++ {
			out[order[first]] = reached
		}
	}
	return out
}
