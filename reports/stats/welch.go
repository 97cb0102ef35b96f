package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Sample is what is known about a mean: the mean, the number of its values, and their standard deviation with divisor n-1.
type Sample struct {
	N         int
	Mean, Std float64
}

// A WelchTest compares two means of independent samples with variances of their own.
type WelchTest struct {
	Difference float64 // of the means
	Error      float64 // its standard error
	rounding   float64
	Test       // Student's t with the degrees of freedom of Satterthwaite, not a whole number
}

// Welch tests whether two means differ (Welch 1947), with the degrees of freedom of Satterthwaite:
//
//	Error^2 = a + b,   a = s_1^2/n_1,   b = s_2^2/n_2,   DF = (a + b)^2 / (a^2/(n_1-1) + b^2/(n_2-1))
//
// rounding is how far the difference may be from the true difference because the means were rounded, such as 0.05 if one
// mean was printed with one decimal. The difference is taken to be nearer to zero by rounding, and the interval is wider by
// rounding at both ends.
//
// Without any spread the difference is certain: the statistic is zero or infinite. It is an error if a sample has fewer than two
// values, or a number is negative or not finite.
func Welch(x, y Sample, rounding float64) (WelchTest, error) {
	for _, s := range []Sample{x, y} {
		if s.N < 2 || !(s.Std >= 0) || math.IsInf(s.Std, 0) || math.IsNaN(s.Mean) || math.IsInf(s.Mean, 0) {
			return WelchTest{}, fmt.Errorf("stats: %d values with mean %v and standard deviation %v are no sample to test; give at least two values", s.N, s.Mean, s.Std)
		}
	}
	if !(rounding >= 0) || math.IsInf(rounding, 0) {
		return WelchTest{}, fmt.Errorf("stats: a rounding of %v is no size; give 0 or more", rounding)
	}
	a, b := x.Std*x.Std/float64(x.N), y.Std*y.Std/float64(y.N)
	t := WelchTest{Difference: x.Mean - y.Mean, Error: math.Sqrt(a + b), rounding: rounding}
	df := (a + b) * (a + b) / (a*a/float64(x.N-1) + b*b/float64(y.N-1))
	beyond := max(0, math.Abs(t.Difference)-rounding)
	t.DF = []float64{df}
	switch {
	case beyond == 0:
		t.P = 1
	case t.Error == 0:
		t.Statistic = math.Copysign(math.Inf(1), t.Difference)
	default:
		t.Statistic = math.Copysign(beyond/t.Error, t.Difference)
		t.P = 2 * distuv.StudentsT{Sigma: 1, Nu: df}.Survival(beyond/t.Error)
	}
	return t, nil
}

// Interval returns the confidence interval of the difference at a level such as 0.95. It is NaN for a level outside 0 to 1.
func (t WelchTest) Interval(level float64) Interval {
	if !within(level) {
		return Interval{math.NaN(), math.NaN()}
	}
	half := t.rounding
	if t.Error > 0 {
		half -= distuv.StudentsT{Sigma: 1, Nu: t.DF[0]}.Quantile((1-level)/2) * t.Error
	}
	return Interval{t.Difference - half, t.Difference + half}
}
