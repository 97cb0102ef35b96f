package mfga

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// tie is the relative difference up to which two values count as equal.
const tie = 1e-9

// largest returns the m indices with the largest absolute values, without the indices in taken, and the largest value
// first. Among values that are equal up to rounding, the lowest index comes first. Such values occur: a coded input
// with two levels gives two columns, each the negative of the other.
func largest(values []float64, taken []int, m int) []int {
	left := make([]float64, len(values))
	for j, v := range values {
		left[j] = math.Abs(v)
	}
	equal := float64(tie * floats.Max(left))
	for _, j := range taken {
		left[j] = -1
	}
	chosen := make([]int, m)
	for k := range chosen {
		least := max(0, floats.Max(left)-equal)
		chosen[k] = slices.IndexFunc(left, func(v float64) bool { return v >= least })
		left[chosen[k]] = -1
	}
	return chosen
}
