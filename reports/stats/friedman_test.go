package stats_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/stats"
	"pgregory.net/rapid"
)

// Conover (1999): from ranks with ties, F = (N-1) T / (N (k-1) - T) of the corrected T is
// the variance ratio of the ranks, which is computed here from its sums of squares.
func TestFriedmanIsAVarianceRatio(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, k := rapid.IntRange(2, 8).Draw(t, "rows"), rapid.IntRange(2, 6).Draw(t, "methods")
		values := make([][]*big.Rat, rows)
		for i := range values {
			values[i] = thirds(rapid.SliceOfN(rapid.IntRange(0, 4), k, k).Draw(t, "row"))
		}
		f := stats.Friedman(values)
		total, between := 0.0, 0.0
		for _, row := range values {
			for _, r := range stats.MidRanks(row) {
				total += (asFloat(r) - float64(k+1)/2) * (asFloat(r) - float64(k+1)/2)
			}
		}
		for _, r := range f.AverageRanks {
			between += float64(rows) * (asFloat(r) - float64(k+1)/2) * (asFloat(r) - float64(k+1)/2)
		}
		if total == 0 {
			if f.ChiSquare.Statistic != 0 || f.ChiSquare.P != 1 || !math.IsNaN(f.Corrected.Statistic) ||
				!math.IsNaN(f.Corrected.P) || !math.IsNaN(f.ImanDavenportCorrected.P) {
				t.Fatalf("of ties alone: %+v", f)
			}
			return
		}
		chi := float64(rows*(k-1)) * between / total
		if math.Abs(f.Corrected.Statistic-chi) > 1e-10*(1+chi) {
			t.Fatalf("corrected %v, want %v", f.Corrected.Statistic, chi)
		}
		if f.Corrected.Statistic < f.ChiSquare.Statistic {
			t.Fatalf("the correction lowers %v to %v", f.ChiSquare.Statistic, f.Corrected.Statistic)
		}
		if within := total - between; within > 1e-9 {
			ratio := between / within * float64(rows-1)
			must.Near(t, f.ImanDavenportCorrected.Statistic, ratio, 1e-8*(1+ratio), "F")
		} else if !math.IsInf(f.ImanDavenportCorrected.Statistic, 1) || f.ImanDavenportCorrected.P != 0 {
			t.Fatalf("of equal rows: %+v", f.ImanDavenportCorrected)
		}
	})
}

func TestFriedmanOfLittle(t *testing.T) {
	f := stats.Friedman([][]*big.Rat{thirds([]int{1, 2, 3})})
	if f.ChiSquare.Statistic != 2 || !math.IsNaN(f.ImanDavenport.Statistic) || !math.IsNaN(f.ImanDavenport.P) {
		t.Errorf("of one data set: %+v", f)
	}
	f = stats.Friedman([][]*big.Rat{thirds([]int{1, 2, 3}), thirds([]int{0, 5, 9}), thirds([]int{-1, 0, 2})})
	if f.ChiSquare.Statistic != 6 || !math.IsInf(f.ImanDavenport.Statistic, 1) || f.ImanDavenport.P != 0 {
		t.Errorf("of data sets that agree: %+v", f)
	}
	for name, values := range map[string][][]*big.Rat{"none": nil, "one method": {thirds([]int{1}), thirds([]int{2})},
		"missing": {{nil, big.NewRat(1, 2)}}} {
		must.Be(t, stats.Panics(func() { stats.Friedman(values) }), true, name)
	}
}
