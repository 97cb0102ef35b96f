package stats_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/stats"
	"pgregory.net/rapid"
)

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

// plain computes a test from its definition: ranks by counting, the distribution of the sum by trying all
// signs of the differences other than zero. It returns four times the sums, and P.
func plain(values []int) (plus4, minus4 int, p float64) {
	var signed []int
	ofZeros := 0
	for i, v := range values {
		rank2 := 2 // less than once each, equal once for both, itself once
		for j, w := range values {
			switch {
			case abs(w) < abs(v):
				rank2 += 2
			case abs(w) == abs(v) && i != j:
				rank2++
			}
		}
		switch {
		case v > 0:
			plus4 += 2 * rank2
		case v < 0:
			minus4 += 2 * rank2
		default:
			ofZeros += rank2
		}
		if v != 0 {
			signed = append(signed, 2*rank2)
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
	return plus4 + ofZeros, minus4 + ofZeros, p
}

func abs(x int) int { return max(x, -x) }

// Small values have many ties and zeros; P is equal bit for bit, since both are multiples of 2^-n.
func TestWilcoxonByEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(-6, 6), 1, 12).Draw(t, "differences")
		w := stats.Wilcoxon(thirds(values))
		plus, minus, p := plain(values)
		if w.Plus.Cmp(big.NewRat(int64(plus), 4)) != 0 || w.Minus.Cmp(big.NewRat(int64(minus), 4)) != 0 || w.P != p {
			t.Fatalf("%v: %v %v P %v, want %d/4 %d/4 P %v", values, w.Plus, w.Minus, w.P, plus, minus, p)
		}
	})
}

// A change of every sign swaps the sums, and a larger scale changes nothing.
func TestWilcoxonProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(-9, 9), 1, 40).Draw(t, "differences")
		other := make([]int, len(values))
		for i, v := range values {
			other[i] = -5 * v
		}
		a, b := stats.Wilcoxon(thirds(values)), stats.Wilcoxon(thirds(other))
		if a.Plus.Cmp(b.Minus) != 0 || a.Minus.Cmp(b.Plus) != 0 || a.P != b.P {
			t.Fatalf("with all signs changed, %+v becomes %+v", a, b)
		}
	})
}

func TestWilcoxonOfLittle(t *testing.T) {
	if w := stats.Wilcoxon(thirds([]int{0, 0, 0})); w.P != 1 {
		t.Errorf("of zeros: %+v", w)
	}
	if w := stats.Wilcoxon(thirds([]int{2})); w.P != 1 {
		t.Errorf("of one: %+v", w)
	}
	many := make([]int, stats.MostExact+1)
	for i := range many {
		many[i] = 1
	}
	if w := stats.Wilcoxon(thirds(many)); !math.IsNaN(w.P) {
		t.Errorf("of too many for the exact test: P %v", w.P)
	}
	if w := stats.Wilcoxon(thirds(many[1:])); w.P != math.Ldexp(1, 1-stats.MostExact) {
		t.Errorf("of as many as the exact test takes: P %v, want 2^-499", w.P)
	}
	must.Be(t, stats.Panics(func() { stats.Wilcoxon(nil) }), true, "no difference makes no panic")
	must.Be(t, stats.Panics(func() { stats.Wilcoxon([]*big.Rat{nil}) }), true, "a missing difference makes no panic")
}
