package check

import (
	"fmt"
	"math"

	"github.com/kernelboosting/bench/registry/rng"
)

// seed is the seed of the generated data and of the fits.
const seed = 11

// order is a permutation of n rows.
func order(n int) []int { return rng.New(seed).Permutation(n) }

// equal compares the bits of scores.
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

// near compares scores and allows for another order of sums.
func near(what string, got, want []float64, tolerance float64) error {
	for i := range got {
		if math.Abs(got[i]-want[i]) > tolerance*max(1, math.Abs(want[i])) {
			return fmt.Errorf("%s: score %d is %v, not %v", what, i, got[i], want[i])
		}
	}
	return nil
}
