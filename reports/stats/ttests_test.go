package stats

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/registry/rng"
	"pgregory.net/rapid"
)

// A split that learns from 10 of the 100 rows that it does not test: with the training part of 100 rows the
// interval at 95 % covers the expected difference of two classifiers at least as often as it says, on 400 drawn
// data sets, and it is a third as long as with the 10 rows that are learned from. One classifier cuts halfway
// between the means of the classes in the rows that it learns from, the other at 1; the classes are N(0, 1) and
// N(1, 1).
func TestFewOfManyTrainingRows(t *testing.T) {
	const sets, splits, rows, learned, tested = 400, 10, 200, 10, 100
	stream := rng.New(1)
	var all [sets][]*big.Rat
	total := 0.0
	for s := range all {
		x, y := make([]float64, rows), make([]int, rows)
		stream.Norms(x)
		for i := range x {
			if i%2 == 1 {
				x[i], y[i] = x[i]+1, 1
			}
		}
		for range splits {
			order := stream.Permutation(rows)
			train, test := order[tested:tested+learned], order[:tested]
			sum, count := [2]float64{}, [2]float64{}
			for _, i := range train {
				sum[y[i]] += x[i]
				count[y[i]]++
			}
			cut := (sum[0]/max(1, count[0]) + sum[1]/max(1, count[1])) / 2
			gain := 0
			for _, i := range test {
				gain += right(x[i] > cut, y[i]) - right(x[i] > 1, y[i])
			}
			all[s] = append(all[s], big.NewRat(int64(gain), tested))
			total += float64(gain) / tested
		}
	}
	expected := total / (sets * splits) // with a standard error of about 0.002, a tenth of an interval's half-length
	covered, longer := 0, 0
	for _, differences := range all {
		part := CorrectedT(differences, rows-tested, tested)
		few := CorrectedT(differences, learned, tested)
		between, wide := part.Interval(0.95), few.Interval(0.95)
		if between.Low <= expected && expected <= between.High {
			covered++
		}
		if wide.High-wide.Low > 3*(between.High-between.Low) {
			longer++
		}
	}
	t.Logf("expected %.4f, covered %d of %d", expected, covered, sets)
	if covered < 371 || longer < sets*9/10 { // 380 less two standard errors of 4.4
		t.Errorf("%d of %d intervals cover the expected difference; %d are a third of the length", covered, sets,
			longer)
	}
}

func right(positive bool, label int) int {
	if positive == (label == 1) {
		return 1
	}
	return 0
}

// go test -run '^$' -bench EqualCounts -benchtime 1x ./reports/stats
//
// Shares of pages of two methods that are equally good on 15 sets on which Holm's procedure finds a difference, by
// the number of splits. A result is a count of rows, so that a few splits often have equal differences.
func BenchmarkEqualCounts(b *testing.B) {
	const pages, sets = 1500, 15
	for _, splits := range []int{2, 3, 4, 5, 6, 8, 20} {
		b.Run(fmt.Sprint(splits), func(b *testing.B) {
			stream := rng.New(1)
			found := 0
			for range pages {
				p := make([]float64, sets)
				for s := range p {
					rows := 150 + int(650*stream.Float64())
					test, share := rows*3/10, 0.005+0.055*stream.Float64()
					gains := make([]int64, rows)
					for i := range gains {
						if u := stream.Float64(); u < share {
							gains[i] = 1
						} else if u < 2*share {
							gains[i] = -1
						}
					}
					var differences []*big.Rat
					for range splits {
						gain := int64(0)
						for _, i := range stream.Permutation(rows)[:test] {
							gain += gains[i]
						}
						differences = append(differences, big.NewRat(gain, int64(test)))
					}
					t := CorrectedT(differences, rows-test, test)
					if p[s] = t.P; math.IsNaN(p[s]) {
						p[s] = 1
					}
				}
				if slices.Min(Holm(p)) < 0.05 {
					found++
				}
			}
			b.ReportMetric(100*float64(found)/pages, "%/false")
		})
	}
}

// Expected values are of scipy.stats.ttest_ind_from_stats(equal_var=False), SciPy 1.15, and t.ppf for the intervals.
func TestWelch(t *testing.T) {
	for _, c := range []struct {
		x, y                        Sample
		statistic, p, df, low, high float64
	}{
		{Sample{20, 84.3, 4.1}, Sample{20, 82.4, 3.3}, 1.614465296915925, 0.11507733136630806, 36.34014361058527,
			-0.4860077051395675, 4.28600770513955},
		{Sample{5, 10, 2}, Sample{12, 7, 6}, 1.5389675281277313, 0.1449694171717585, 14.762081784386615,
			-1.1608001252020506, 7.160800125202051},
		{Sample{20, 99.3, 0.1}, Sample{20, 98.9, 0.7}, 2.5298221281346494, 0.020027047894640583, 19.7751873438801,
			0.06993968223399721, 0.7300603177659857},
	} {
		got := Welch(c.x, c.y, 0)
		i := got.Interval(0.95)
		for what, pair := range map[string][2]float64{"statistic": {got.Statistic, c.statistic}, "p": {got.P, c.p},
			"df": {got.DF[0], c.df}, "low": {i.Low, c.low}, "high": {i.High, c.high}} {
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
			return Sample{rapid.IntRange(2, 40).Draw(r, name), float64(rapid.IntRange(0, 100).Draw(r, name)) / 10,
				float64(rapid.IntRange(0, 50).Draw(r, name)) / 10}
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
	for _, bad := range []Sample{{1, 80, 1}, {20, math.NaN(), 1}, {20, math.Inf(1), 1}, {20, 80, -1},
		{20, 80, math.NaN()}, {20, 80, math.Inf(1)}} {
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

// By hand: without their rows' means the columns are (-1, 1) and (-2, 2), of which each has the mean -1.5 or 1.5
// and the sample standard deviation sqrt(0.5); sqrt(2/1) sqrt(0.5) / sqrt(2) is 0.7071, and t(0.975, 1) is 12.7062.
func TestPairedHalfWidthsByHand(t *testing.T) {
	for j, half := range PairedHalfWidths([][]float64{{10, 12}, {50, 54}}, 0.95) {
		if want := 12.706204736 * math.Sqrt(0.5); math.Abs(half-want) > 1e-6 {
			t.Errorf("column %d: %v, want %v", j, half, want)
		}
	}
	for _, values := range [][][]float64{{{1, 2}}, {{1}, {2}}} {
		if half := PairedHalfWidths(values, 0.95); !math.IsNaN(half[0]) {
			t.Errorf("%v has %v", values, half)
		}
	}
}

// With two columns the interval is that of the paired t-test divided by the root of two: intervals that touch are
// as far apart as the root of two times that test's. What is added to all columns of a row changes nothing.
func TestPairedHalfWidths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(2, 12).Draw(t, "rows"), rapid.IntRange(2, 6).Draw(t, "columns")
		values, moved := make([][]float64, n), make([][]float64, n)
		for i := range values {
			values[i] = rapid.SliceOfN(rapid.Float64Range(-5, 5), k, k).Draw(t, "row")
			by := rapid.Float64Range(-80, 80).Draw(t, "by")
			for _, x := range values[i] {
				moved[i] = append(moved[i], x+by)
			}
		}
		a, b := PairedHalfWidths(values, 0.9), PairedHalfWidths(moved, 0.9)
		for j := range a {
			if math.Abs(a[j]-b[j]) > 1e-9 {
				t.Fatalf("%v after moving rows, %v before", b, a)
			}
		}
	})
}
