package stats_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/reports/stats"
	"pgregory.net/rapid"
)

// Gautheron et al. (ECML PKDD 2020), Table 2: the average ranks with ties shared are 2.93 4.97 3.70 3.77
// 3.47 2.17 (the paper prints those of its own convention: TestPrintedRanksOf2020). By hand, they are
// 44, 74.5, 55.5, 56.5, 52 and 32.5 over N = 15, and k = 6. Nemenyi's critical difference at 0.05 is
// 2.849705 sqrt(42/90) = 1.9467: GFC is worse than BMKR and GBRFF2, and no other two differ.
func TestFriedmanOfTable2(t *testing.T) {
	f := stats.Friedman(decimals(t, published2020))
	if got, want := fixed(f.AverageRanks, 2), "2.93 4.97 3.70 3.77 3.47 2.17"; got != want {
		t.Errorf("average ranks %s, want %s", got, want)
	}
	squares := (44*44 + 74.5*74.5 + 55.5*55.5 + 56.5*56.5 + 52*52 + 32.5*32.5) / 225
	chi := 12 * 15.0 / 42 * (squares - 6*49/4.0)
	if got := f.ChiSquare.Statistic; math.Abs(got-chi) > 1e-12*chi {
		t.Errorf("chi2 = %v, want %v", got, chi)
	}
	cd := stats.NemenyiCD(0.05, f.Methods, f.Datasets)
	if math.Abs(cd-2.849705*math.Sqrt(42.0/90)) > 1e-6 {
		t.Errorf("critical difference %v", cd)
	}
	beyond := 0
	for a, rank := range f.AverageRanks {
		for b, other := range f.AverageRanks[:a] {
			if math.Abs(asFloat(rank)-asFloat(other)) > cd {
				if beyond++; a+b != 1 && a*b != 5 { // BMKR is 0, GFC 1 and GBRFF2 5
					t.Errorf("methods %d and %d differ", a, b)
				}
			}
		}
	}
	if beyond != 2 {
		t.Errorf("%d pairs differ, want 2", beyond)
	}
}

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
			if math.Abs(f.ImanDavenportCorrected.Statistic-ratio) > 1e-8*(1+ratio) {
				t.Fatalf("F %v, want %v", f.ImanDavenportCorrected.Statistic, ratio)
			}
		} else if !math.IsInf(f.ImanDavenportCorrected.Statistic, 1) || f.ImanDavenportCorrected.P != 0 {
			t.Fatalf("of equal rows: %+v", f.ImanDavenportCorrected)
		}
	})
}

// For two methods Friedman's test without ties is the sign test's z squared.
func TestTwoMethods(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		differences := rapid.SliceOfNDistinct(rapid.IntRange(1, 60), 2, 12, rapid.ID[int]).Draw(t, "sizes")
		var values [][]*big.Rat
		for i := range differences {
			if rapid.Bool().Draw(t, "negative") {
				differences[i] = -differences[i]
			}
			values = append(values, thirds([]int{differences[i], 0}))
		}
		f := stats.Friedman(values)
		plus, zero, minus := stats.Signs(thirds(differences))
		n := float64(len(differences))
		if want := float64((plus-minus)*(plus-minus)) / n; zero != 0 ||
			math.Abs(f.ChiSquare.Statistic-want) > 1e-12*(1+want) {
			t.Fatalf("chi2 %v of %d and %d, want %v", f.ChiSquare.Statistic, plus, minus, want)
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
		if !stats.Panics(func() { stats.Friedman(values) }) {
			t.Errorf("%s: Friedman made no panic", name)
		}
	}
}
