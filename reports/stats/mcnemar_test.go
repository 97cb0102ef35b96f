package stats_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/reports/stats"
	"pgregory.net/rapid"
)

func mcnemar(t interface{ Fatal(...any) }, b, c int) stats.McNemarTest {
	m, err := stats.McNemar(b, c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Fagerland, Lydersen and Laake (2013), airway hyper-responsiveness before and after stem cell
// transplantation: 1 and 7 discordant pairs, P 0.070 exact, 0.039 mid-p, 0.034 asymptotic, 0.077 with
// the continuity correction.
func TestMcNemarPublished(t *testing.T) {
	m := mcnemar(t, 1, 7)
	if !near(m.Exact, 18.0/256, 1e-14) || !near(m.MidP, 10.0/256, 1e-14) || m.ChiSquare.Statistic != 4.5 || m.Continuity.Statistic != 3.125 {
		t.Errorf("%+v", m)
	}
	for name, c := range map[string][2]float64{"exact": {m.Exact, 0.070}, "mid-p": {m.MidP, 0.039}, "asymptotic": {m.ChiSquare.P, 0.034}, "corrected": {m.Continuity.P, 0.077}} {
		if math.Abs(c[0]-c[1]) > 5e-4 {
			t.Errorf("%s: %v, want %v", name, c[0], c[1])
		}
	}
	// SciPy 1.17.1: binomtest(12, 42).pvalue and binomtest(200, 460).pvalue.
	for counts, want := range map[[2]int]float64{{12, 30}: 0.007915897334896727, {200, 260}: 0.0058839224731039984} {
		if got := mcnemar(t, counts[0], counts[1]).Exact; !near(got, want, 1e-11) {
			t.Errorf("exact P of %v: %v, want %v", counts, got, want)
		}
	}
}

// Beside whole binomial coefficients.
func TestMcNemarByCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, c := rapid.IntRange(0, 40).Draw(t, "b"), rapid.IntRange(0, 40).Draw(t, "c")
		m := mcnemar(t, b, c)
		if other := mcnemar(t, c, b); other.Exact != m.Exact || other.MidP != m.MidP || other.ChiSquare.P != m.ChiSquare.P && b+c > 0 {
			t.Fatalf("%+v and, turned round, %+v", m, other)
		}
		if b+c == 0 {
			return
		}
		upTo, last := new(big.Int), new(big.Int)
		for i := range min(b, c) + 1 {
			upTo.Add(upTo, last.Binomial(int64(b+c), int64(i)))
		}
		all := new(big.Int).Lsh(big.NewInt(1), uint(b+c))
		twice := new(big.Int).Lsh(upTo, 1)
		exact := asFloat(new(big.Rat).SetFrac(twice, all))
		mid := asFloat(new(big.Rat).SetFrac(twice.Sub(twice, last), all))
		if !near(m.Exact, min(1, exact), 1e-12) || !near(m.MidP, mid, 1e-12) || m.MidP > m.Exact || m.Continuity.P < m.ChiSquare.P {
			t.Fatalf("%d and %d: %+v, want %v and %v", b, c, m, exact, mid)
		}
	})
}

func TestMcNemarOfLittle(t *testing.T) {
	m := mcnemar(t, 0, 0)
	if m.Exact != 1 || m.MidP != 1 || !math.IsNaN(m.ChiSquare.Statistic) || !math.IsNaN(m.Continuity.P) {
		t.Errorf("without a row that differs: %+v", m)
	}
	if m = mcnemar(t, 4, 4); m.Exact != 1 || m.MidP != 1 || m.ChiSquare.P != 1 || m.Continuity.Statistic != 0 {
		t.Errorf("of equal counts: %+v", m)
	}
	if _, err := stats.McNemar(-1, 4); err == nil {
		t.Error("a negative count is no error")
	}
}
