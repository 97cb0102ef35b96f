package stats_test

import (
	"math"
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
		if got := stats.TPower(c.centre, c.df, c.alpha); math.Abs(got-c.want) > c.tol {
			t.Errorf("power of %+v: %.15f", c, got)
		}
	}
}

// R's power.t.test(delta = 0.5, power = 0.8, type = "one.sample") prints n = 33.36713, and with delta = 1.5 n = 5.692912, at
// a deviation of 1 and level 0.05.
func TestSetsNeeded(t *testing.T) {
	for size, want := range map[float64]int{0.5: 34, 1.5: 6, 0: 0, 1e-9: 0} {
		if n := stats.SetsNeeded(size, 1, 0.05, 0.8); n != want {
			t.Errorf("a size of %v needs %d sets; want %d", size, n, want)
		}
	}
	if n := stats.SetsNeeded(1, 0, 0.05, 0.8); n != 2 {
		t.Errorf("without spread %d; want 2", n)
	}
	for _, bad := range [][4]float64{{1, 1, 0, 0.8}, {1, 1, 0.05, 1}, {-1, 1, 0.05, 0.8}, {1, -1, 0.05, 0.8}} {
		if !stats.Panics(func() { stats.SetsNeeded(bad[0], bad[1], bad[2], bad[3]) }) {
			t.Errorf("%v makes no panic", bad)
		}
	}
	if !math.IsNaN(stats.Power(1, 1, 1, 0.05)) || stats.Power(5, 0, 1, 0.05) != 0.05 || stats.Power(5, 1, 0, 0.05) != 1 {
		t.Error("power of one set, of no size or without spread")
	}
}

// The number is the least one that reaches the power.
func TestSetsNeededIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size, power := rapid.Float64Range(0.05, 3).Draw(t, "size"), rapid.Float64Range(0.1, 0.99).Draw(t, "power")
		n := stats.SetsNeeded(size, 1, 0.05, power)
		if stats.Power(n, size, 1, 0.05) < power || n > 2 && stats.Power(n-1, size, 1, 0.05) >= power {
			t.Fatalf("%d sets", n)
		}
	})
}
