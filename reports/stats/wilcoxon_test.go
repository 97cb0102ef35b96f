package stats_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/reports/stats"
	"pgregory.net/rapid"
)

var allZeros = []stats.Zeros{stats.ZerosLeftOut, stats.ZerosRanked, stats.ZerosSplit}

func wilcoxon(t interface{ Fatal(...any) }, differences []*big.Rat, zeros stats.Zeros) stats.WilcoxonTest {
	w, err := stats.Wilcoxon(differences, zeros)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// whole are values as exact numbers.
func whole(values []int) []*big.Rat {
	out := make([]*big.Rat, len(values))
	for i, v := range values {
		out[i] = big.NewRat(int64(v), 1)
	}
	return out
}

func thirds(values []int) []*big.Rat {
	var out []*big.Rat
	for _, v := range values {
		out = append(out, big.NewRat(int64(v), 3))
	}
	return out
}

// plain computes a test from its definition: ranks by counting, the distribution of the sum by trying
// all signs of the differences other than zero. It returns the doubled sums, P and the variance of a
// sum over the signs, times four.
func plain(values []int, zeros stats.Zeros) (plus4, minus4 int, p float64, variance16 int) {
	var signed []int
	ofZeros := 0
	for i, v := range values {
		if v == 0 && zeros == stats.ZerosLeftOut {
			continue
		}
		rank2 := 1 // less than once each, equal once for both, itself once
		for j, w := range values {
			if w == 0 && zeros == stats.ZerosLeftOut {
				continue
			}
			switch {
			case abs(w) < abs(v):
				rank2 += 2
			case abs(w) == abs(v) && i != j:
				rank2++
			}
		}
		rank2++
		switch {
		case v > 0:
			plus4 += 2 * rank2
		case v < 0:
			minus4 += 2 * rank2
		case zeros == stats.ZerosSplit:
			ofZeros += rank2
			variance16 += rank2 * rank2
		}
		if v != 0 {
			signed = append(signed, 2*rank2)
			variance16 += rank2 * rank2
		}
	}
	extreme, fewer := 0, min(plus4, minus4)
	for signs := range 1 << len(signed) {
		sum := 0
		for i, rank := range signed {
			if signs>>i&1 == 1 {
				sum += rank
			}
		}
		if sum <= fewer {
			extreme++
		}
	}
	p = min(1, 2*float64(extreme)/float64(int(1)<<len(signed)))
	return plus4 + ofZeros, minus4 + ofZeros, p, variance16
}

func abs(x int) int { return max(x, -x) }

// Small values have many ties and zeros; P is equal bit for bit, since both are multiples of 2^-n.
func TestWilcoxonByEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(-6, 6), 1, 10).Draw(t, "differences")
		for _, zeros := range allZeros {
			w := wilcoxon(t, thirds(values), zeros)
			plus, minus, p, variance := plain(values, zeros)
			if w.Plus.Cmp(big.NewRat(int64(plus), 4)) != 0 || w.Minus.Cmp(big.NewRat(int64(minus), 4)) != 0 || w.P != p {
				t.Fatalf("%v, %s: %v %v P %v, want %d/4 %d/4 P %v", values, zeros, w.Plus, w.Minus, w.P, plus, minus, p)
			}
			z := w.Normal(true, false).Statistic
			want := float64(plus-minus) / 8 / math.Sqrt(float64(variance)/16)
			if variance == 0 || w.N == w.Zeros {
				if !math.IsNaN(z) {
					t.Fatalf("%v, %s: z %v without a difference", values, zeros, z)
				}
			} else if math.Abs(z-want) > 1e-12*(1+math.Abs(want)) {
				t.Fatalf("%v, %s: z %v, want %v", values, zeros, z, want)
			}
		}
	})
}

func TestWilcoxonOfTwelve(t *testing.T) {
	for _, values := range [][]int{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -12}, {0, 0, 0, 1, 1, -1, 2, 2, -2, 5, 5, 7}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1}} {
		for _, zeros := range allZeros {
			if _, _, p, _ := plain(values, zeros); wilcoxon(t, thirds(values), zeros).P != p {
				t.Errorf("%v, %s: P %v, want %v", values, zeros, wilcoxon(t, thirds(values), zeros).P, p)
			}
		}
	}
}

// A change of every sign swaps the sums and the sign of z, and a larger scale changes nothing. The
// correction for ties never widens z's error, that for continuity never enlarges z.
func TestWilcoxonProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(-9, 9), 1, 40).Draw(t, "differences")
		zeros := rapid.SampledFrom(allZeros).Draw(t, "zeros")
		other := make([]int, len(values))
		for i, v := range values {
			other[i] = -5 * v
		}
		a, b := wilcoxon(t, thirds(values), zeros), wilcoxon(t, thirds(other), zeros)
		if a.Plus.Cmp(b.Minus) != 0 || a.Minus.Cmp(b.Plus) != 0 || a.P != b.P {
			t.Fatalf("with all signs changed, %+v becomes %+v", a, b)
		}
		if a.N == a.Zeros {
			return
		}
		without, ties, both := a.Normal(false, false), a.Normal(true, false), a.Normal(true, true)
		if math.Abs(without.Statistic) > math.Abs(ties.Statistic) || math.Abs(both.Statistic) > math.Abs(ties.Statistic) {
			t.Fatalf("z without corrections %v, with ties %v, with both %v", without, ties, both)
		}
		if ties.P != b.Normal(true, false).P {
			t.Fatalf("P %v depends on the sign", ties.P)
		}
	})
}

// SciPy 1.17.1: wilcoxon([1, 1, -2, 3, 3, 0, 0, -4, 5, 6, 6, 7], zero_method=..., correction=..., method="approx"),
// P to ten digits.
func TestWilcoxonNormal(t *testing.T) {
	values := []int{1, 1, -2, 3, 3, 0, 0, -4, 5, 6, 6, 7}
	for zeros, want := range map[stats.Zeros][2]float64{
		stats.ZerosLeftOut: {0.05884108838448915, 0.0660160732835097},
		stats.ZerosRanked:  {0.053406364489858624, 0.058464382710925585},
		stats.ZerosSplit:   {0.0542416455385818, 0.05934643879191985},
	} {
		w := wilcoxon(t, thirds(values), zeros)
		for i, continuity := range []bool{false, true} {
			if got := w.Normal(true, continuity).P; math.Abs(got-want[i]) > 1e-10 {
				t.Errorf("%s, continuity %v: P %v, want %v", zeros, continuity, got, want[i])
			}
		}
	}
}

func TestWilcoxonOfLittle(t *testing.T) {
	for _, zeros := range allZeros {
		w := wilcoxon(t, thirds([]int{0, 0, 0}), zeros)
		if z := w.Normal(true, true); w.P != 1 || w.Zeros != 3 || !math.IsNaN(z.Statistic) || !math.IsNaN(z.P) {
			t.Errorf("%s of zeros: %+v, z %v", zeros, w, z)
		}
		if w = wilcoxon(t, thirds([]int{2}), zeros); w.P != 1 || w.Normal(true, false).Statistic != 1 || w.Normal(true, true).Statistic != 0 {
			t.Errorf("%s of one: %+v, z %v", zeros, w, w.Normal(true, true))
		}
		many := make([]int, stats.MostExact+1)
		for i := range many {
			many[i] = 1
		}
		w = wilcoxon(t, thirds(many), zeros)
		if z := w.Normal(true, true); !math.IsNaN(w.P) || z.P > 1e-100 {
			t.Errorf("%s of too many for the exact test: P %v, z %v", zeros, w.P, z)
		}
		if w = wilcoxon(t, thirds(many[1:]), zeros); w.P != math.Ldexp(1, 1-stats.MostExact) {
			t.Errorf("%s of as many as the exact test takes: P %v, want 2^-499", zeros, w.P)
		}
	}
	if _, err := stats.Wilcoxon(nil, stats.ZerosSplit); err == nil {
		t.Error("no difference is no error")
	}
	if _, err := stats.Wilcoxon([]*big.Rat{nil}, stats.ZerosSplit); err == nil {
		t.Error("a missing difference is no error")
	}
	if _, err := stats.Wilcoxon(thirds([]int{1}), "drop"); err == nil {
		t.Error("an unknown treatment of zeros is no error")
	}
}
