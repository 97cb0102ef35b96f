package stats

import (
	"fmt"
	"math"
	"math/big"

	"gonum.org/v1/gonum/stat/distuv"
)

// A CorrectedTTest compares two methods on overlapping splits of one data set.
type CorrectedTTest struct {
	N     int
	Mean  *big.Rat // of the differences
	Std   float64  // their standard deviation, divisor n-1; NaN for one split
	Ratio *big.Rat // test rows to training rows
	Error float64  // standard error of the mean, corrected for the overlap
	Test           // Student's t with n-1 degrees of freedom
}

// FewestSplits is the least number of splits from which a test on a single data set says anything. Results are counts of
// rows, so that a few splits often have equal differences by chance, and the estimate of their spread is then near zero: of
// simulated pages of two equal methods on 15 sets, 80 % held a false finding with 2 splits, 24 % with 3, 8 % with 4, and 4
// to 5 % with 5 or more (BenchmarkEqualCounts).
const FewestSplits = 5

// CorrectedT tests whether the mean of n differences, one a split of the same rows into train and
// test, is zero. Splits share rows, so that differences are correlated and their mean varies more
// than independent ones would; Nadeau and Bengio (2003, section 3.3) estimate its variance by
//
//	Error^2 = (1/n + test/train) s^2,     t = mean / Error
//
// The heuristic takes the correlation of two splits to be test / (train + test), the share of the rows that a split tests. If a
// split learns from only some of its training rows, train is therefore the number of all of its training rows.
// With k folds test/train is 1/(k-1). With test = 0 the test is the ordinary paired t-test.
//
// For one split, Error, statistic and P are NaN. If all differences are equal, Error is 0: the
// statistic is infinite and P is 0, or both are NaN where the differences are zero. It is an error if
// there is no difference, train < 1 or test < 0.
func CorrectedT(differences []*big.Rat, train, test int) (CorrectedTTest, error) {
	if err := checkDifferences(differences); err != nil {
		return CorrectedTTest{}, err
	}
	if train < 1 || test < 0 {
		return CorrectedTTest{}, fmt.Errorf("stats: %d training and %d test rows are no split; give at least one row to train and no negative number", train, test)
	}
	s := moments(differences)
	t := CorrectedTTest{N: s.N, Mean: s.Mean, Std: s.StdSample, Ratio: big.NewRat(int64(test), int64(train))}
	t.Error = t.errorOver(t.N)
	statistic := float(t.Mean) / t.Error // with zero over zero NaN
	t.Test = tTest(statistic, t.N-1)
	return t, nil
}

// errorOver is the standard error of a mean over n splits of the same spread.
func (t CorrectedTTest) errorOver(n int) float64 {
	return t.Std * math.Sqrt(1/float64(n)+float(t.Ratio))
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

// Equivalence is the p-value of two one-sided tests (Schuirmann 1987) of the hypothesis that the mean difference lies
// outside of [-rope, rope]: the larger of P(T >= (rope + mean) / Error) and P(T >= (rope - mean) / Error). A p-value below a
// level shows that the difference is smaller than rope, in the unit of the differences. Without any spread the p-value is 0
// or 1. It is NaN for one split.
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
