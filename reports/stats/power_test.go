package stats_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/stats"
	"pgregory.net/rapid"
)

// SciPy 1.17.1: nct.sf(p, df, centre) at p = t.isf(alpha/2, df).
func TestPower(t *testing.T) {
	for _, c := range []struct {
		centre float64
		df     int
		alpha  float64
		want   float64
	}{{3, 9, 0.05, 0.7611566}, {1, 19, 0.01, 0.0487257}, {0.5, 99, 0.1, 0.1414487}, {40, 4, 0.001, 1},
		{3.5, 999, 0.05, 0.9378129}} {
		if got := stats.TPower(c.centre, c.df, c.alpha); math.Abs(got-c.want) > 0.02 {
			t.Errorf("power of %+v: %.4f", c, got)
		}
	}
}

// Of normal differences the power is the share of simulated sets of results that Wilcoxon's test finds at the level
// and whose pseudo-median is beyond the region. A size at the edge of the region is found half of the time at most.
func TestPowerOfTheVerdict(t *testing.T) {
	draws := 400
	if testenv.Thorough(t) {
		draws = 4000
	}
	stream := rng.New(5)
	for _, c := range []struct {
		n int
		stats.Effect
	}{
		{8, stats.Effect{Size: 2, Region: 1, Deviation: 1, Level: 0.05}},
		{15, stats.Effect{Size: 1, Region: 1, Deviation: 1, Level: 0.05}},
		{15, stats.Effect{Size: 2, Region: 1, Deviation: 2, Level: 0.05}},
		{15, stats.Effect{Size: 2, Region: 0, Deviation: 2, Level: 0.005}},
		{40, stats.Effect{Size: 1, Region: 0.5, Deviation: 3, Level: 0.05}},
	} {
		found := 0
		for range draws {
			var gains, beyond []*big.Rat
			for range c.n {
				x := int64(1e6 * (c.Size + c.Deviation*stream.Norm()))
				gains, beyond = append(gains, big.NewRat(x, 1e6)), append(beyond,
					big.NewRat(x-int64(1e6*c.Region), 1e6))
			}
			if w := stats.Wilcoxon(beyond); stats.Wilcoxon(gains).P < c.Level && w.Plus.Cmp(w.Minus) > 0 {
				found++
			}
		}
		got, want := c.Power(c.n), float64(found)/float64(draws)
		if math.Abs(got-want) > 0.04+3*math.Sqrt(0.25/float64(draws)) {
			t.Errorf("%d sets, %+v: %.3f, simulated %.3f", c.n, c.Effect, got, want)
		}
	}
	if got := (stats.Effect{Size: 5, Deviation: 0.1, Level: 0.05}).Power(5); got != 0 {
		t.Errorf("five sets have the power %v, and 2/32 is above the level", got)
	}
}

// R's power.t.test(delta = 0.5, power = 0.8, type = "one.sample") prints n = 33.36713 at a deviation of 1 and level
// 0.05; signed ranks take about pi/3 times as many.
func TestSetsNeeded(t *testing.T) {
	unit := func(size, region float64) stats.Effect {
		return stats.Effect{Size: size, Region: region, Deviation: 1, Level: 0.05}
	}
	for _, c := range []struct {
		stats.Effect
		want int
	}{{unit(0.5, 0), 35}, {unit(0, 0), 0}, {unit(1, 1), 0}, {stats.Effect{Size: 1, Level: 0.05}, 6}} {
		if n := c.SetsNeeded(0.8); n != c.want {
			t.Errorf("%+v needs %d sets; want %d", c.Effect, n, c.want)
		}
	}
	for _, bad := range []stats.Effect{{1, 0, 1, 0}, {-1, 0, 1, 0.05}, {1, 0, -1, 0.05}} {
		if !stats.Panics(func() { bad.SetsNeeded(0.8) }) {
			t.Errorf("%+v makes no panic", bad)
		}
	}
}

// The number is the least one that reaches the power.
func TestSetsNeededIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := stats.Effect{Size: rapid.Float64Range(0.1, 3).Draw(t, "size"), Region: 0.05, Deviation: 1, Level: 0.05}
		power := rapid.Float64Range(0.1, 0.99).Draw(t, "power")
		if n := e.SetsNeeded(power); e.Power(n) < power || n > 2 && e.Power(n-1) >= power {
			t.Fatalf("%d sets", n)
		}
	})
}

// By hand: of 10 trials none gives from 0 to z^2/(10 + z^2) with z^2 = 3.8415, and all give the mirror of it. The
// interval holds a true share of 95 % in at least 90 % of the draws.
func TestWilson(t *testing.T) {
	none, all := stats.Wilson(0, 10, 0.95), stats.Wilson(1, 10, 0.95)
	if math.Abs(none.Low) > 1e-12 || math.Abs(none.High-0.27754) > 1e-4 || math.Abs(all.Low-0.72246) > 1e-4 ||
		math.Abs(all.High-1) > 1e-12 {
		t.Errorf("%v and %v", none, all)
	}
	stream := rng.New(1)
	for _, n := range []int{6, 15, 50} {
		holds := 0
		for range 1000 {
			won := 0
			for range n {
				if stream.Float64() < 0.95 {
					won++
				}
			}
			if i := stats.Wilson(float64(won)/float64(n), n, 0.95); i.Low <= 0.95 && 0.95 <= i.High {
				holds++
			}
		}
		if holds < 900 {
			t.Errorf("of %d trials %d of 1000 intervals hold the share", n, holds)
		}
	}
}
