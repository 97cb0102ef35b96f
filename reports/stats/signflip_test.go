package stats_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/stats"
	"pgregory.net/rapid"
)

// familyOf is the comparisons of each two of some methods by small whole values, a row a data set.
func familyOf(values [][]int, seed uint32) (*stats.Family, [][]*big.Rat, []stats.Versus) {
	var columns []stats.SignedRanks
	var differences [][]*big.Rat
	var pairs []stats.Versus
	for a := range values[0] {
		for b := a + 1; b < len(values[0]); b++ {
			var d []*big.Rat
			for _, row := range values {
				d = append(d, big.NewRat(int64(row[a]-row[b]), 1))
			}
			differences, columns = append(differences, d), append(columns, stats.NewSignedRanks(d))
			pairs = append(pairs, stats.Versus{A: a, B: b, At: len(pairs)})
		}
	}
	return stats.NewFamily(columns, seed), differences, pairs
}

// flipped is the p-value of some differences after a flip: Wilcoxon's, halved where the sum is above zero for above.
func flipped(d []*big.Rat, flip int, above bool) float64 {
	turned := make([]*big.Rat, len(d))
	for s := range d {
		if turned[s] = d[s]; flip>>s&1 == 1 {
			turned[s] = new(big.Rat).Neg(d[s])
		}
	}
	w := stats.Wilcoxon(turned)
	if !above {
		return w.P
	}
	reached, all := 0, 1<<len(d) // by counting signs
	for signs := range all {
		again := make([]*big.Rat, len(d))
		for s := range d {
			if again[s] = d[s]; signs>>s&1 == 1 {
				again[s] = new(big.Rat).Neg(d[s])
			}
		}
		if v := stats.Wilcoxon(again); new(big.Rat).Sub(v.Plus, v.Minus).Cmp(new(big.Rat).Sub(w.Plus, w.Minus)) >= 0 {
			reached++
		}
	}
	return float64(reached) / float64(all)
}

// The procedures are those of their definitions, on families so small that all flips can be tried by hand: adjusted
// values as Westfall and Young write them, and the critical value and the best by counting.
func TestFamilyByEnumeration(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		values := make([][]int, rapid.IntRange(1, 4).Draw(r, "sets"))
		for s := range values {
			values[s] = rapid.SliceOfN(rapid.IntRange(0, 4), 3, 3).Draw(r, "row")
		}
		f, differences, pairs := familyOf(values, 1)
		all := 1 << len(values)
		for _, above := range []bool{false, true} {
			got := f.Adjusted()
			if above {
				got = f.AdjustedAbove()
			}
			for i, d := range differences {
				want := 0.0
				for k, other := range differences { // the step of every value that is not larger
					if flipped(other, 0, above) > flipped(d, 0, above)+1e-12 {
						continue
					}
					count := 0
					for flip := range all {
						least := math.Inf(1)
						for _, later := range differences {
							if flipped(later, 0, above) >= flipped(differences[k], 0, above)-1e-12 {
								least = min(least, flipped(later, flip, above))
							}
						}
						if least <= flipped(other, 0, above)+1e-12 {
							count++
						}
					}
					want = max(want, float64(count)/float64(all))
				}
				must.Near(r, got[i], want, 1e-12, values, above, i)
			}
		}
		best := f.Best(3, pairs)
		against := func(m, flip int) float64 {
			least := 1.0
			for i, v := range pairs {
				if d := differences[i]; v.A == m {
					least = min(least, flipped(d, all-1-flip, true))
				} else if v.B == m {
					least = min(least, flipped(d, flip, true))
				}
			}
			return least
		}
		for m := range best {
			count := 0
			for flip := range all {
				if against(m, flip) <= against(m, 0)+1e-12 {
					count++
				}
			}
			must.Near(r, best[m], float64(count)/float64(all), 1e-12, values, m)
		}
	})
}

// A comparison by itself keeps the p-value of Wilcoxon's test; others never get a smaller one, nor beyond
// Bonferroni's where flips are counted. A set that a comparison lacks changes nothing. With more sets than are
// counted, drawn flips are near the counted ones.
func TestFamilyBesideWilcoxon(t *testing.T) {
	stream := rng.New(3)
	for _, sets := range []int{5, 12, 16, 17, 40} {
		values := make([][]int, sets)
		for s := range values {
			for range 4 {
				values[s] = append(values[s], stream.Intn(30))
			}
		}
		f, differences, _ := familyOf(values, 1)
		adjusted := f.Adjusted()
		for i, d := range differences {
			p := stats.Wilcoxon(d).P
			c := stats.NewSignedRanks(append(d[:len(d):len(d)], nil))
			must.Near(t, stats.NewFamily([]stats.SignedRanks{c}, 1).Adjusted()[0], p, 1e-12, sets)
			room := 1e-12
			if sets > stats.MostFlipped {
				room = 4 * math.Sqrt(min(1, 6*p)/stats.MostFlips)
			}
			if adjusted[i] < p-room || adjusted[i] > min(1, 6*p)+room {
				t.Errorf("%d sets: %v is adjusted to %v", sets, p, adjusted[i])
			}
		}
	}
}

// By hand: with n data sets a comparison has a p-value of at least 2/2^n. Six methods of which each wins on its own
// sets cannot reach that together as often as one.
func TestCritical(t *testing.T) {
	one := func(n int) *stats.Family {
		var d []*big.Rat
		for i := range n {
			d = append(d, big.NewRat(int64(i+1), 1))
		}
		return stats.NewFamily([]stats.SignedRanks{stats.NewSignedRanks(d)}, 1)
	}
	// Of 5 sets 2/32 is above 0.05. Of 6 sets the sum 21 has 2/64; with the sum 19, the next one, there are 4/64.
	must.Be(t, one(5).Critical(0.05), 0, "five sets")
	must.Be(t, one(6).Critical(0.05), 2./64, "six sets")
	// A comparison by itself needs no flips. Two equal ones have the same least p under each flip.
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(-4, 4), 1, 12).Draw(t, "differences")
		level := rapid.Float64Range(0.001, 0.999).Draw(t, "level")
		columns := []stats.SignedRanks{stats.NewSignedRanks(whole(sizes)), stats.NewSignedRanks(whole(sizes))}
		alone, both := stats.NewFamily(columns[:1], 1).Critical(level), stats.NewFamily(columns, 1).Critical(level)
		must.Near(t, alone, both, 1e-9)
	})
}

// By hand: of 1, 2, 4 the means of two are 1, 1.5, 2, 2.5, 3 and 4. Of six differences only all signs alike, 2/64,
// are rarer than 5 %, so that the interval goes from the least mean of two to the largest.
func TestPseudoMedian(t *testing.T) {
	if got := stats.PseudoMedian(whole([]int{4, 1, 2})); got.Cmp(big.NewRat(9, 4)) != 0 {
		t.Errorf("the typical difference is %v", got)
	}
	for _, c := range []struct {
		values []int
		want   stats.Interval
	}{
		{[]int{1, 2, 4}, stats.Interval{Low: math.Inf(-1), High: math.Inf(1)}},
		{[]int{1, 2, 4, 8, 16, 32}, stats.Interval{Low: 1, High: 32}},
		{[]int{0, 0, 0, 0, 0, 0}, stats.Interval{}},
	} {
		must.Be(t, stats.PseudoMedianInterval(whole(c.values), 0.95), c.want, c.values)
	}
}

// The interval has the values that the test does not reject, also zero where differences are tied, and the estimate
// lies in it.
func TestPseudoMedianInterval(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		most := rapid.SampledFrom([]int{4, 40}).Draw(r, "most")
		values := whole(rapid.SliceOfN(rapid.IntRange(-most, most), 6, 14).Draw(r, "values"))
		interval, estimate := stats.PseudoMedianInterval(values, 0.9), stats.PseudoMedian(values)
		if x, _ := estimate.Float64(); x < interval.Low || x > interval.High {
			r.Fatalf("%v outside of %v", x, interval)
		}
		at := big.NewRat(int64(rapid.IntRange(-300, 300).Draw(r, "value")), 13) // no mean of two but 0
		if at.Denom().Int64() == 1 || rapid.Bool().Draw(r, "zero") {
			at.SetInt64(0)
		}
		moved := make([]*big.Rat, len(values))
		for i, v := range values {
			moved[i] = new(big.Rat).Sub(v, at)
		}
		x, _ := at.Float64()
		must.Be(r, stats.Wilcoxon(moved).P < 0.1, x < interval.Low || x > interval.High, x, interval)
	})
}
