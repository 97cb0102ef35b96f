package stats

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// MostNeeded bounds what SetsNeeded counts.
const MostNeeded = 100_000

// An Effect is a true difference over data sets that are normal with a standard deviation, and what it takes to be
// found: a p-value of at most Level, and an estimate beyond Region.
type Effect struct{ Size, Region, Deviation, Level float64 }

// rankedSets is how many times as many data sets tests by signed ranks take as those by means, if differences are
// normal: the reciprocal of their asymptotic relative efficiency.
const rankedSets = math.Pi / 3

// Power is the probability with which n data sets find the effect. Wilcoxon's test at the level has about the power
// of Student's on n / rankedSets sets, and the pseudo-median the standard error of their mean. Both large enough
// together are about as likely as the less likely one, since they are nearly the same number. The tests compare Power
// with simulations. It is NaN for fewer than two data sets, a level outside 0 to 1 and numbers that are negative.
func (e Effect) Power(n int) float64 {
	switch {
	case n < 2 || !within(e.Level) || !(e.Size >= 0) || !(e.Deviation >= 0) || !(e.Region >= 0):
		return math.NaN()
	case math.Ldexp(2, -n) > e.Level:
		return 0 // the least p-value of n sets
	case e.Deviation == 0 && e.Size > e.Region:
		return 1
	case e.Deviation == 0:
		return 0
	}
	root := math.Sqrt(float64(n) / rankedSets)
	beyond := distuv.UnitNormal.CDF((e.Size - e.Region) / e.Deviation * root)
	return min(tPower(e.Size/e.Deviation*root, n-1, e.Level), beyond)
}

// SetsNeeded is the least number of data sets for which Power reaches the given power; 0 if MostNeeded data sets do not
// reach it.
func (e Effect) SetsNeeded(power float64) int {
	must(within(power) && !math.IsNaN(e.Power(2)), "no power %v of %+v", power, e)
	enough := func(n int) bool { return e.Power(n) >= power }
	if !enough(MostNeeded) {
		return 0
	}
	// one data set has no deviation
	return 2 + sort.Search(MostNeeded-2, func(more int) bool { return enough(2 + more) })
}

// tPower is the probability that a noncentral t variable with df degrees of freedom lies above the two-sided point of
// the central one at alpha, by the normal approximation of Abramowitz and Stegun (1964, 26.7.10), which is within
// 0.02 here.
func tPower(centre float64, df int, alpha float64) float64 {
	nu := float64(df)
	point := -distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(alpha / 2)
	return distuv.UnitNormal.CDF((centre - point*(1-1/(4*nu))) / math.Sqrt(1+point*point/(2*nu)))
}
