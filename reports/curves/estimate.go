package curves

import (
	"math"
	"slices"

	"github.com/kernelboosting/bench/reports/stats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// An Estimate is a mean over data sets with what its interval needs.
type Estimate struct {
	Mean, Error, DF float64 // standard error and degrees of freedom; NaN for one split
	Sets, Splits    int     // number of sets, and the fewest splits of a set
}

// Interval is the confidence interval of the mean. Without a standard error it is the whole line.
func (e Estimate) Interval(level float64) (low, high float64) {
	switch {
	case math.IsNaN(e.Error):
		return math.Inf(-1), math.Inf(1)
	case e.Error == 0:
		return e.Mean, e.Mean
	}
	half := -distuv.StudentsT{Sigma: 1, Nu: e.DF}.Quantile((1-level)/2) * e.Error
	return e.Mean - half, e.Mean + half
}

// A Sample is what a data set contributes to an estimate: its weight times the mean of its values, one value a split.
type Sample struct {
	Weight float64
	Values []float64
	Ratio  float64 // test rows for a training row, 0 for values that are independent
}

// Combine adds samples up. The variance of the mean of a sample is Nadeau and Bengio's. The variance of the sum has
// Satterthwaite's degrees of freedom. There is no standard error for fewer sets than stats.FewestSplits if one of
// the sets has fewer splits than that: the spread of so few counts is often zero by chance.
func Combine(samples []Sample) Estimate {
	e := Estimate{Sets: len(samples)}
	sum, down := 0.0, 0.0
	for _, s := range samples {
		n := float64(len(s.Values))
		mean, variance := stat.MeanVariance(s.Values, nil)
		variance *= s.Weight * s.Weight * (1/n + s.Ratio)
		e.Mean += s.Weight * mean
		sum += variance
		down += variance * variance / (n - 1)
		if e.Splits == 0 || len(s.Values) < e.Splits {
			e.Splits = len(s.Values)
		}
	}
	e.Error, e.DF = math.Sqrt(sum), sum*sum/down
	if len(samples) < stats.FewestSplits && slices.ContainsFunc(samples, func(s Sample) bool {
		return s.Ratio > 0 && len(s.Values) < stats.FewestSplits
	}) {
		e.Error = math.NaN()
	}
	return e
}
