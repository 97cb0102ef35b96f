package stats

import (
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/stat/distuv"
)

// A BootstrapResult holds a statistic and intervals for it.
type BootstrapResult struct {
	Estimate   float64
	Error      float64 // standard deviation over the resamples, divisor draws-1
	Percentile Interval
	BCa        Interval // bias-corrected and accelerated

	Bias, Acceleration float64 // z0 and a of BCa
}

// Bootstrap draws n of the rows 0..n-1 with replacement, the given number of times, and computes the
// statistic of each resample; the rows may be data sets, splits or pairs of anything. The statistic
// gets a slice that it must not keep. With theta the estimate, theta* those of resamples and theta_(i)
// that without row i,
//
//	Percentile: the (1-level)/2 and (1+level)/2 quantiles of theta*
//	BCa:        those at Phi(z0 + (z0 + z) / (1 - a (z0 + z))) for z of either probability,
//	            z0 = Phi^-1(share of theta* < theta, half of those equal to it),
//	            a = sum_i d_i^3 / (6 (sum_i d_i^2)^(3/2)), d_i = mean of theta_(.) - theta_(i)
//
// (Efron 1987; Efron and Tibshirani 1993, 14.3). Quantiles are interpolated linearly. Equal seeds give
// equal results. Rows of one data set's splits overlap, so that an interval over them is too short:
// there, CorrectedT's is right.
//
// If all resamples give the same value, both intervals are that value. BCa is NaN for one row (it
// leaves rows out), and where all resamples lie on one side of the estimate. A statistic that is NaN
// for a resample makes the intervals NaN; one row is resampled as itself. It is an error if n < 1,
// draws < 2 or the level is outside 0 to 1.
func Bootstrap(n int, statistic func(rows []int) float64, level float64, draws int, seed uint32) (BootstrapResult, error) {
	if n < 1 || draws < 2 || !within(level) {
		return BootstrapResult{}, fmt.Errorf("stats: no bootstrap of %d rows with %d draws at level %v; give at least one row, two draws and a level between 0 and 1", n, draws, level)
	}
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	result := BootstrapResult{Estimate: statistic(rows), Acceleration: acceleration(n, statistic)}
	stream := rng.New(seed)
	values := make([]float64, draws)
	for d := range values {
		for i := range rows {
			rows[i] = stream.Intn(n)
		}
		values[d] = statistic(rows)
	}
	undefined := Interval{math.NaN(), math.NaN()}
	if slices.ContainsFunc(values, math.IsNaN) {
		result.Error, result.Bias, result.Percentile, result.BCa = math.NaN(), math.NaN(), undefined, undefined
		return result, nil
	}
	slices.Sort(values)
	result.Error = deviation(values)
	result.Bias = distuv.UnitNormal.Quantile(shareBelow(values, result.Estimate))
	tail := (1 - level) / 2
	result.Percentile = Interval{sortedQuantile(values, tail), sortedQuantile(values, 1-tail)}
	switch {
	case values[0] == values[draws-1]:
		result.BCa = result.Percentile
	case math.IsInf(result.Bias, 0) || math.IsNaN(result.Acceleration):
		result.BCa = undefined
	default:
		z := upperNormal(tail)
		result.BCa = Interval{sortedQuantile(values, result.adjusted(-z)), sortedQuantile(values, result.adjusted(z))}
	}
	return result, nil
}

// adjusted is the probability whose quantile is an end of BCa.
func (r BootstrapResult) adjusted(z float64) float64 {
	shifted := r.Bias + z
	return distuv.UnitNormal.CDF(r.Bias + shifted/(1-float64(r.Acceleration*shifted)))
}

// acceleration is NaN for one row, and 0 where leaving out any row gives the same value.
func acceleration(n int, statistic func(rows []int) float64) float64 {
	if n < 2 {
		return math.NaN()
	}
	without, mean := make([]float64, n), 0.0
	rows := make([]int, n-1)
	for i := range without {
		for j := range rows {
			rows[j] = j
			if j >= i {
				rows[j]++
			}
		}
		without[i] = statistic(rows)
		mean += without[i] / float64(n)
	}
	squares, cubes := 0.0, 0.0
	for _, v := range without {
		d := mean - v
		squares += float64(d * d)
		cubes += float64(d * d * d)
	}
	if squares == 0 {
		return 0
	}
	return cubes / (6 * squares * math.Sqrt(squares))
}

func shareBelow(values []float64, x float64) float64 {
	twice := 0
	for _, v := range values {
		switch {
		case v < x:
			twice += 2
		case v == x:
			twice++
		}
	}
	return float64(twice) / float64(2*len(values))
}

// deviation is the standard deviation of values, divisor n-1. It is exactly 0 for equal values.
func deviation(values []float64) float64 {
	n, above, squares := float64(len(values)), 0.0, 0.0
	for _, v := range values {
		above += v - values[0]
	}
	mean := values[0] + above/n
	for _, v := range values {
		squares += float64((v - mean) * (v - mean))
	}
	return math.Sqrt(squares / (n - 1))
}

// sortedQuantile interpolates linearly between order statistics, as NumPy does by default.
func sortedQuantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low := min(int(at), len(sorted)-2)
	part := at - float64(low)
	return sorted[low] + float64(part*(sorted[low+1]-sorted[low]))
}
