package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Expected values are of scipy.stats.ttest_ind_from_stats(equal_var=False), SciPy 1.15, and t.ppf for the intervals.
func TestWelch(t *testing.T) {
	for _, c := range []struct {
		x, y                        Sample
		statistic, p, df, low, high float64
	}{
		{Sample{20, 84.3, 4.1}, Sample{20, 82.4, 3.3}, 1.614465296915925, 0.11507733136630806, 36.34014361058527, -0.4860077051395675, 4.28600770513955},
		{Sample{5, 10, 2}, Sample{12, 7, 6}, 1.5389675281277313, 0.1449694171717585, 14.762081784386615, -1.1608001252020506, 7.160800125202051},
		{Sample{20, 99.3, 0.1}, Sample{20, 98.9, 0.7}, 2.5298221281346494, 0.020027047894640583, 19.7751873438801, 0.06993968223399721, 0.7300603177659857},
	} {
		got := Welch(c.x, c.y, 0)
		i := got.Interval(0.95)
		for what, pair := range map[string][2]float64{"statistic": {got.Statistic, c.statistic}, "p": {got.P, c.p}, "df": {got.DF[0], c.df}, "low": {i.Low, c.low}, "high": {i.High, c.high}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Errorf("%v and %v: %s is %v, want %v", c.x, c.y, what, pair[0], pair[1])
			}
		}
	}
}

// The interval holds zero just where p is at least 1 - level, rounding only widens it, and the sides may be changed.
func TestWelchProperties(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		sample := func(name string) Sample {
			return Sample{rapid.IntRange(2, 40).Draw(r, name), float64(rapid.IntRange(0, 100).Draw(r, name)) / 10, float64(rapid.IntRange(0, 50).Draw(r, name)) / 10}
		}
		x, y, rounding := sample("x"), sample("y"), float64(rapid.IntRange(0, 10).Draw(r, "rounding"))/20
		got := Welch(x, y, rounding)
		i := got.Interval(0.9)
		if holds := i.Low <= 0 && i.High >= 0; holds != (got.P >= 0.1) && math.Abs(got.P-0.1) > 1e-9 {
			r.Fatalf("%+v holds zero: %v, p %v", i, holds, got.P)
		}
		exact := Welch(x, y, 0)
		if exact.P > got.P || i.Low > exact.Interval(0.9).Low || i.High < exact.Interval(0.9).High {
			r.Fatalf("with rounding %v p %v %+v, without p %v %+v", rounding, got.P, i, exact.P, exact.Interval(0.9))
		}
		back := Welch(y, x, rounding)
		if back.P != got.P || back.Statistic != -got.Statistic {
			r.Fatalf("turned around %+v, was %+v", back, got)
		}
	})
}

func TestWelchRefuses(t *testing.T) {
	good := Sample{20, 80, 1}
	for _, bad := range []Sample{{1, 80, 1}, {20, math.NaN(), 1}, {20, math.Inf(1), 1}, {20, 80, -1}, {20, 80, math.NaN()}, {20, 80, math.Inf(1)}} {
		if !Panics(func() { Welch(good, bad, 0) }) {
			t.Errorf("%+v is taken", bad)
		}
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		if !Panics(func() { Welch(good, good, bad) }) {
			t.Errorf("a rounding of %v is taken", bad)
		}
	}
	if w := Welch(good, good, 0); !math.IsNaN(w.Interval(1).Low) {
		t.Errorf("an interval of level 1 is %+v", w.Interval(1))
	}
}
