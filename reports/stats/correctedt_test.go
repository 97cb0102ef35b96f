package stats_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/stats"
	"pgregory.net/rapid"
)

func near(x, want, tolerance float64) bool { return math.Abs(x-want) <= tolerance*(1+math.Abs(want)) }

var eight = []float64{1, 2, -3, 5, 4, 2.5, -1, 0.5}

// SciPy 1.17.1: ttest_1samp(eight, 0) where no row is tested, which is the ordinary paired t-test; and t.sf and
// t.ppf in the formula for 70 rows to train and 30 to test.
func TestCorrectedT(t *testing.T) {
	differences := decimals(t, [][]float64{eight})[0]
	for _, c := range []struct {
		train, test             int
		statistic, p, low, high float64
	}{
		{1, 0, 1.4949342781681796, 0.1785819242379253, -0.7999172478164964, 3.5499172478164964},
		{70, 30, 0.7103792597301064, 0.5004443027164402, -3.2019330979276655, 5.9519330979276655},
	} {
		got := stats.CorrectedT(differences, c.train, c.test)
		interval := got.Interval(0.95)
		if !near(got.Statistic, c.statistic, 1e-12) || !near(got.P, c.p, 1e-12) || !near(interval.Low, c.low, 1e-10) ||
			!near(interval.High, c.high, 1e-10) {
			t.Errorf("%d to train, %d to test: %+v, %+v; want %+v", c.train, c.test, got, interval, c)
		}
	}
}

// The interval at 1-P ends at zero; with more rows to test P rises.
func TestCorrectedTProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(-40, 40), 2, 30).Draw(t, "differences")
		train, test := rapid.IntRange(1, 500).Draw(t, "train"), rapid.IntRange(0, 500).Draw(t, "test")
		c := stats.CorrectedT(thirds(values), train, test)
		if c.Error == 0 || c.Mean.Sign() == 0 {
			return
		}
		if more := stats.CorrectedT(thirds(values), train, test+1); more.P < c.P ||
			math.Abs(more.Statistic) > math.Abs(c.Statistic) {
			t.Fatalf("one more row to test: %+v becomes %+v", c, more)
		}
		if c.P > 1e-6 && c.P < 1-1e-6 {
			i := c.Interval(1 - c.P)
			if end := min(math.Abs(i.Low), math.Abs(i.High)); end > 1e-6*(i.High-i.Low) {
				t.Fatalf("the interval at %v is %+v, which should end at 0", 1-c.P, i)
			}
		}
	})
}

func TestCorrectedTOfLittle(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	for name, c := range map[string]struct {
		values       []int
		statistic, p float64
		interval     stats.Interval
	}{
		"one split":    {[]int{3}, nan, nan, stats.Interval{Low: nan, High: nan}},
		"all zero":     {[]int{0, 0, 0}, nan, nan, stats.Interval{}},
		"all better":   {[]int{6, 6}, inf, 0, stats.Interval{Low: 2, High: 2}},
		"all worse":    {[]int{-6, -6}, -inf, 0, stats.Interval{Low: -2, High: -2}},
		"all a little": {[]int{-3, -3}, -inf, 0, stats.Interval{Low: -1, High: -1}},
	} {
		got := stats.CorrectedT(thirds(c.values), 7, 3)
		i := got.Interval(0.9)
		if !same(got.Statistic, c.statistic) || !same(got.P, c.p) || !same(i.Low, c.interval.Low) ||
			!same(i.High, c.interval.High) {
			t.Errorf("%s: %+v, %+v", name, got, i)
		}
	}
	for name, call := range map[string]func(){
		"no difference":    func() { stats.CorrectedT(nil, 7, 3) },
		"nil":              func() { stats.CorrectedT([]*big.Rat{nil}, 7, 3) },
		"nothing to train": func() { stats.CorrectedT(thirds([]int{1, 2}), 0, 3) },
	} {
		must.Be(t, stats.Panics(call), true, name)
	}
	if i := stats.CorrectedT(thirds([]int{1, 2}), 7, 3).Interval(1); !math.IsNaN(i.Low) {
		t.Errorf("the interval at level 1 is %+v", i)
	}
}

// By hand: differences 1, 2, 3 with 200 training and 100 test rows have mean 2 and error 0.912871; with a region
// of 3 the nearer edge is 1 away, t = 1.095445 with 2 degrees of freedom, and P = 1/2 - t / (2 sqrt(2 + t^2)) =
// 0.193814.
func TestEquivalence(t *testing.T) {
	c := stats.CorrectedT(whole([]int{1, 2, 3}), 200, 100)
	must.Near(t, c.Equivalence(big.NewRat(3, 1)), 0.193814, 1e-6, "P is")
	must.Be(t, c.Equivalence(big.NewRat(2, 1)), 0.5, "on the edge P is")
	equal := stats.CorrectedT(whole([]int{1, 1}), 2, 1)
	one := stats.CorrectedT(whole([]int{1}), 2, 1)
	must.Be(t, equal.Equivalence(big.NewRat(2, 1)), 0, "P without spread, or of one split")
	must.Be(t, equal.Equivalence(big.NewRat(1, 1)), 1, "P without spread, or of one split")
	must.Be(t, math.IsNaN(one.Equivalence(big.NewRat(2, 1))), true, "P without spread, or of one split")
}
