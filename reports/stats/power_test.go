package stats_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/reports/stats"
	"pgregory.net/rapid"
)

// SciPy 1.17.1: nct.sf(p, df, centre) + nct.cdf(-p, df, centre) at p = t.isf(alpha/2, df), and the
// integral of the normal tail over chi by integrate.quad where nct has no value.
func TestPower(t *testing.T) {
	for _, c := range []struct {
		centre    float64
		df        int
		alpha     float64
		want, tol float64
	}{
		{2, 1, 0.05, 0.12575631775705273, 1e-10},
		{3, 9, 0.05, 0.7611566204263244, 1e-10},
		{1, 19, 0.01, 0.04872572955229298, 1e-10},
		{0.5, 99, 0.1, 0.14154866184414597, 1e-10},
		{40, 4, 0.001, 1, 1e-10},
		{3.5, 999, 0.05, 0.9378128779677705, 1e-10},
		{0, 9, 0.05, 0.05, 1e-10},
		{400, 1, 0.001, 0.4702045360488454, 1e-5}, // the normal part is left out
		{math.Inf(1), 1, 0.001, 1, 0},
	} {
		if got := stats.Power(c.centre, c.df, c.alpha); math.Abs(got-c.want) > c.tol {
			t.Errorf("power of %+v: %.15f", c, got)
		}
	}
}

// With a mean of half the deviation and no overlap it is a paired t-test: R's power.t.test(delta = 0.5,
// power = 0.8, type = "one.sample") prints n = 33.36713.
func TestSplitsNeededWithoutOverlap(t *testing.T) {
	// Three values with mean 1 and deviation 2.
	c := correctedT(t, []*big.Rat{big.NewRat(-1, 1), big.NewRat(1, 1), big.NewRat(3, 1)}, 1, 0)
	n, err := stats.SplitsNeeded(c, 0.05, 0.8)
	if err != nil || n != (stats.Needed{Reachable: true, Count: 34, More: 31, Limit: 1}) {
		t.Errorf("%+v, %v", n, err)
	}
}

// The count has the power and one less has not; ever more splits stay below the limit.
func TestSplitsNeededIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(-10, 25), 2, 20).Draw(t, "differences")
		test := rapid.IntRange(0, 60).Draw(t, "test")
		alpha, power := rapid.Float64Range(0.001, 0.2).Draw(t, "alpha"), rapid.Float64Range(0.3, 0.95).Draw(t, "power")
		c := correctedT(t, thirds(values), 100, test)
		needed, err := stats.SplitsNeeded(c, alpha, power)
		if err != nil {
			t.Fatal(err)
		}
		if c.Mean.Sign() == 0 {
			if needed.Reachable || needed.Limit != alpha {
				t.Fatalf("a mean of zero: %+v", needed)
			}
			return
		}
		if c.Std == 0 {
			if needed.Count != 2 {
				t.Fatalf("equal differences: %+v", needed)
			}
			return
		}
		with := func(n int) float64 {
			se := c.Std * math.Sqrt(1/float64(n)+float64(test)/100)
			return stats.Power(math.Abs(asFloat(c.Mean))/se, n-1, alpha)
		}
		if !needed.Reachable {
			if needed.Count != 0 || with(stats.MostNeeded) >= power {
				t.Fatalf("%+v is not reached, and the power of many splits is %v", needed, with(stats.MostNeeded))
			}
			return
		}
		if with(needed.Count) < power || needed.Count > 2 && with(needed.Count-1) >= power || with(needed.Count) > needed.Limit+1e-9 || needed.More != max(0, needed.Count-len(values)) {
			t.Fatalf("%+v for power %v", needed, power)
		}
	})
}

// Noether (1987), by hand: z_0.025 + z_0.2 = 1.959964 + 0.841621 = 2.801585, squared 7.848879. Of
// differences 3, 2, -1 the sums of pairs are 5, 2 and 1, all above zero, so that p = 1 and N = 7.848879 / (3/4) = 10.5; for the sign test p = 2/3 and
// N = 7.848879 / (4/36) = 70.6.
func TestNoether(t *testing.T) {
	differences := thirds([]int{3, 2, -1})
	if n, err := stats.WilcoxonNeeded(differences, 0.05, 0.8); err != nil || n != (stats.Needed{Reachable: true, Count: 11, More: 8, Limit: 1}) {
		t.Errorf("signed-rank test: %+v, %v", n, err)
	}
	if n, err := stats.SignNeeded(differences, 0.05, 0.8); err != nil || n != (stats.Needed{Reachable: true, Count: 71, More: 68, Limit: 1}) {
		t.Errorf("sign test: %+v, %v", n, err)
	}
	// A sum of zero counts half: of 3, -3, 1 the sums 0, 4, -2 leave p = 1/2.
	if n, err := stats.WilcoxonNeeded(thirds([]int{3, -3, 1}), 0.05, 0.8); err != nil || n != (stats.Needed{Limit: 0.05}) {
		t.Errorf("without an effect: %+v, %v", n, err)
	}
}

func TestNeededOfLittle(t *testing.T) {
	one := thirds([]int{5})
	if n, err := stats.WilcoxonNeeded(one, 0.05, 0.8); err != nil || n.Reachable {
		t.Errorf("signed-rank test of one: %+v, %v", n, err)
	}
	if n, err := stats.SplitsNeeded(correctedT(t, one, 7, 3), 0.05, 0.8); err != nil || n.Reachable || !math.IsNaN(n.Limit) {
		t.Errorf("one split: %+v, %v", n, err)
	}
	for _, level := range [][2]float64{{0, 0.8}, {0.05, 1}, {math.NaN(), 0.8}} {
		if _, err := stats.SplitsNeeded(correctedT(t, thirds([]int{1, 2}), 7, 3), level[0], level[1]); err == nil {
			t.Errorf("%v is no error of splits", level)
		}
		if _, err := stats.SignNeeded(one, level[0], level[1]); err == nil {
			t.Errorf("%v is no error of data sets", level)
		}
	}
	if _, err := stats.WilcoxonNeeded(nil, 0.05, 0.8); err == nil {
		t.Error("no difference is no error")
	}
}
