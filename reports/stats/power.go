package stats

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// MostNeeded bounds what SetsNeeded counts.
const MostNeeded = 100_000

// Power is the probability with which a two-sided t-test at level alpha over n data sets finds a mean difference of the
// given size, if differences have the given standard deviation over data sets. Without any spread it is 1 for a size above
// zero. It is NaN for fewer than two data sets, a level outside 0 to 1 and numbers that are negative.
//
// Wilcoxon's signed-rank test needs about 5 % more data sets than the t-test if differences are normal, and fewer if some
// differences are outliers.
func Power(n int, size, deviation, alpha float64) float64 {
	switch {
	case n < 2 || !within(alpha) || !(size >= 0) || !(deviation >= 0):
		return math.NaN()
	case size == 0:
		return alpha
	case deviation == 0:
		return 1
	}
	return tPower(size/deviation*math.Sqrt(float64(n)), n-1, alpha)
}

// SetsNeeded is the least number of data sets for which Power reaches the given power; 0 if MostNeeded data sets do not
// reach it.
func SetsNeeded(size, deviation, alpha, power float64) int {
	must(within(alpha) && within(power) && size >= 0 && deviation >= 0, "no power %v at level %v, size %v and deviation %v", power, alpha, size, deviation)
	enough := func(n int) bool { return Power(n, size, deviation, alpha) >= power }
	if !enough(MostNeeded) {
		return 0
	}
	return 2 + sort.Search(MostNeeded-2, func(more int) bool { return enough(2 + more) }) // one data set has no deviation
}

// tPower is the probability that a noncentral t variable with df degrees of freedom lies beyond the
// two-sided point of the central one at alpha. Where the centre is far from zero, the normal part of the
// variable is next to nothing beside it, and its root of a chi-square alone decides.
func tPower(centre float64, df int, alpha float64) float64 {
	const steep = 300
	nu := float64(df)
	point := -distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(alpha / 2)
	if centre > steep {
		ratio := centre / point
		return distuv.ChiSquared{K: nu}.CDF(nu * ratio * ratio)
	}
	return overChi(nu, centre, func(s float64) float64 {
		return distuv.UnitNormal.CDF(centre-float64(point*s)) + distuv.UnitNormal.CDF(-centre-float64(point*s))
	})
}
