package vmath

import (
	"math"

	"github.com/kernelboosting/bench/registry/elementary"
)

// The functions of one number below are for values that a fit computes once a round. Their bits are the same on every
// machine. The bits of package math depend on the processor, since its exponential uses fused operations where there
// are any, and on the compiler, which may fuse a product and a sum without a conversion between them.

// ExpScalar returns e to the power x, with the bits of Exp.
func ExpScalar(x float64) float64 { return expRef(x) }

// LogScalar returns the natural logarithm of x. Packages outside of methods use registry/elementary directly.
func LogScalar(x float64) float64 { return elementary.Log(x) }

// Log1pScalar returns log(1+x) for x >= 0, within 2 units in the last place, also for small x. It adds to the logarithm
// of the rounded 1+x a first order correction for the rounding.
func Log1pScalar(x float64) float64 {
	u := 1 + x
	if u > math.MaxFloat64 {
		return LogScalar(u)
	}
	return LogScalar(u) + (x-(u-1))/u
}

// Log2Scalar returns the binary logarithm of x, exact for powers of two.
func Log2Scalar(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return LogScalar(x)
	}
	m, k := elementary.Octave(x)
	return k + float64(LogScalar(m)*math.Log2E)
}
