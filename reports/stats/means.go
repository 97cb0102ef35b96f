package stats

import (
	"math"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A CorrectedTTest compares two methods on overlapping splits of one data set.
type CorrectedTTest struct {
	N     int
	Mean  *big.Rat // of the differences
	Std   float64  // their standard deviation, divisor n-1; NaN for one split
	Ratio float64  // test rows to training rows
	Error float64  // standard error of the mean, corrected for the overlap
	Test           // Student's t with n-1 degrees of freedom
}

// FewestSplits is the least number of splits from which a test on a single data set says anything. Results are
// counts of rows, so that a few splits often have equal differences by chance, and the estimate of their spread is
// then near zero: of simulated pages of two equal methods on 15 sets, 80 % held a false finding with 2 splits, 24 %
// with 3, 8 % with 4, and 4 to 5 % with 5 or more (BenchmarkEqualCounts).
const FewestSplits = 5

// CorrectedT tests whether the mean of n differences, one a split of the same rows into train and
// test, is zero. Splits share rows, so that differences are correlated and their mean varies more
// than independent ones would; Nadeau and Bengio (2003, section 3.3) estimate its variance by
//
//	Error^2 = (1/n + test/train) s^2,     t = mean / Error
//
// The heuristic takes the correlation of two splits to be test / (train + test), the share of the rows that a split
// tests. If a split learns from only some of its training rows, train is therefore the number of all of its
// training rows. With k folds test/train is 1/(k-1). With test = 0 the test is the ordinary paired t-test.
//
// For one split, Error, statistic and P are NaN. If all differences are equal, Error is 0: the
// statistic is infinite and P is 0, or both are NaN where the differences are zero. There is
// a difference, train >= 1 and test >= 0.
func CorrectedT(differences []*big.Rat, train, test int) CorrectedTTest {
	checkDifferences(differences)
	return correctedT(moments(differences), train, test)
}

// CorrectedTOfPairs is CorrectedT of the differences of ours less theirs, a pair a split.
func CorrectedTOfPairs(ours, theirs []*big.Rat, train, test int) CorrectedTTest {
	checkDifferences(ours)
	n := len(ours)
	if parts, of, few := inParts(slices.Concat(ours, theirs)); few {
		for i := range n {
			parts[i] -= parts[n+i]
		}
		return correctedT(momentsOf(parts[:n], of), train, test)
	}
	differences := make([]*big.Rat, n)
	for i, v := range ours {
		differences[i] = minus(v, theirs[i])
	}
	return CorrectedT(differences, train, test)
}

func correctedT(s Spread, train, test int) CorrectedTTest {
	must(train > 0 && test >= 0, "%d training and %d test rows are no split", train, test)
	t := CorrectedTTest{N: s.N, Mean: s.Mean, Std: s.StdSample, Ratio: float64(test) / float64(train)}
	t.Error = t.Std * math.Sqrt(1/float64(t.N)+t.Ratio)
	t.Test = tTest(float(t.Mean)/t.Error, t.N-1) // with zero over zero NaN
	return t
}

// Interval returns the confidence interval of the mean difference at a level such as 0.95, which
// holds zero just if P is at least 1 - level. It is NaN for one split and a level outside 0 to 1, and
// the mean alone where all differences are equal.
func (t CorrectedTTest) Interval(level float64) Interval {
	mean := float(t.Mean)
	if !within(level) || t.N < 2 {
		return Interval{math.NaN(), math.NaN()}
	}
	half := -distuv.StudentsT{Sigma: 1, Nu: float64(t.N - 1)}.Quantile((1-level)/2) * t.Error
	return Interval{mean - half, mean + half}
}

// Equivalence is the p-value of two one-sided tests (Schuirmann 1987) of the hypothesis that the mean difference
// lies outside of [-rope, rope]: the larger of P(T >= (rope + mean) / Error) and P(T >= (rope - mean) / Error). A
// p-value below a level shows that the difference is smaller than rope, in the unit of the differences. Without any
// spread the p-value is 0 or 1. It is NaN for one split.
func (t CorrectedTTest) Equivalence(rope *big.Rat) float64 {
	room := float(minus(rope, new(big.Rat).Abs(t.Mean))) // the distance of the mean to the nearer edge
	switch {
	case t.N < 2:
		return math.NaN()
	case t.Error == 0 && room > 0:
		return 0
	case t.Error == 0:
		return 1
	}
	return distuv.StudentsT{Sigma: 1, Nu: float64(t.N - 1)}.Survival(room / t.Error)
}

// An Interval is a range of values, both ends included.
type Interval struct{ Low, High float64 }

// Wilson is the interval of a share of n trials at a level such as 0.95 (Wilson 1927). Its width is never zero. For
// the mean of values between 0 and 1, which vary less than trials do, it is wide enough as well.
func Wilson(share float64, n int, level float64) Interval {
	z := -distuv.UnitNormal.Quantile((1 - level) / 2)
	part := z * z / float64(n)
	middle := share + part/2
	half := math.Sqrt(part * (float64(share*(1-share)) + part/4))
	return Interval{max(0, (middle-half)/(1+part)), min(1, (middle+half)/(1+part))}
}

// A Sample is what is known about a mean: the mean, the number of its values, and their standard deviation with
// divisor n-1.
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
// rounding is how far the difference may be from the true difference because the means were rounded, such as 0.05
// if one mean was printed with one decimal. The difference is taken to be nearer to zero by rounding, and the
// interval is wider by rounding at both ends.
//
// Without any spread the difference is certain: the statistic is zero or infinite. A sample has two
// values or more, and no number is negative or not finite.
func Welch(x, y Sample, rounding float64) WelchTest {
	for _, s := range []Sample{x, y} {
		must(s.N > 1 && s.Std >= 0 && !math.IsInf(s.Std, 0) && !math.IsNaN(s.Mean) && !math.IsInf(s.Mean, 0),
			"%v is no sample to test", s)
	}
	must(rounding >= 0 && !math.IsInf(rounding, 0), "a rounding of %v is no size", rounding)
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
	return t
}

// Interval returns the confidence interval of the difference at a level such as 0.95. It is NaN for a level outside
// 0 to 1.
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

// PairedHalfWidths returns half the width of an interval for the mean of each column over the rows at a level such
// as 0.95, without what all columns of a row share. With x_ij in n rows and k columns, and the rows' means taken
// away,
//
//	y_ij = x_ij - mean_j x_ij
//	half_j = t(1-(1-level)/2, n-1) sd_i(y_ij) sqrt(k/(k-1)) / sqrt(n)
//
// (Cousineau 2005; the factor sqrt(k/(k-1)) is Morey's, 2008, since each column is a part of the mean of its row).
// If rows are data sets and columns are methods, the difficulty of a set moves all methods. The difficulty says
// nothing about which method is better, but it makes the interval of a plain mean wide. All values are NaN for
// fewer than two rows or columns and for a level outside 0 to 1.
func PairedHalfWidths(values [][]float64, level float64) []float64 {
	n := len(values)
	if n == 0 {
		return nil
	}
	k := len(values[0])
	half := make([]float64, k)
	for j := range half {
		half[j] = math.NaN()
	}
	if n < 2 || k < 2 || !within(level) {
		return half
	}
	t := -distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile((1 - level) / 2)
	shared := make([]float64, n) // the rows' means
	for i, row := range values {
		shared[i] = stat.Mean(row, nil)
	}
	own := make([]float64, n)
	for j := range half {
		for i, row := range values {
			own[i] = row[j] - shared[i]
		}
		half[j] = t * math.Sqrt(stat.Variance(own, nil)*float64(k)/float64(k-1)/float64(n))
	}
	return half
}
