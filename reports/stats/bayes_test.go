package stats_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/stats"
	"pgregory.net/rapid"
)

func signedRank(differences []*big.Rat, rope *big.Rat, draws int, seed uint32) stats.Probabilities {
	return stats.BayesSignedRanks([][]*big.Rat{differences}, rope, draws, seed)[0]
}

// With one difference d > 0 and weight v for it, all sums but that of the prior with itself are above a region of
// 0. With a region in (d/2, d) those of the prior with d are within, so that above wins where v^2 > 1/2. v has a
// Beta(1, 1/2) distribution, with P(v > x) = sqrt(1 - x). With a region of exactly d/2 the sums of the prior with d
// are on the edge and count half above: above wins where v^2 + v (1 - v) = v > 1/2. With a region of d the sum of d
// with itself is on the edge: above has v^2 / 2, never more than within.
func TestBayesSignedRankOfOne(t *testing.T) {
	const draws = 40000
	one := []*big.Rat{big.NewRat(1, 1)}
	must.Be(t, signedRank(one, new(big.Rat), draws, 3), (stats.Probabilities{Above: 1}), "without a region")
	for region, bound := range map[*big.Rat]float64{big.NewRat(2, 3): math.Sqrt(0.5), big.NewRat(1, 2): 0.5} {
		got, want := signedRank(one, region, draws, 3), math.Sqrt(1-bound)
		if sd := math.Sqrt(want * (1 - want) / draws); math.Abs(got.Above-want) > 4*sd || got.Below != 0 ||
			got.Above+got.Within != 1 {
			t.Errorf("with a region of %v: %+v, want %v above", region, got, want)
		}
	}
	// Half a region more, and every sum is within.
	must.Be(t, signedRank(one, big.NewRat(1, 1), draws, 3), (stats.Probabilities{Within: 1}),
		"with a region of the difference")
}

// Equal seeds give equal bits, the probabilities add up to 1, and a larger difference on one side never
// helps the other, with the same draws.
func TestBayesSignedRankProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(-9, 9), 1, 12).Draw(t, "differences")
		rope := big.NewRat(rapid.Int64Range(0, 9).Draw(t, "rope"), 6)
		a, b := signedRank(thirds(values), rope, 64, 5), signedRank(thirds(values), rope, 64, 5)
		if a != b || a.Below+a.Within+a.Above != 1 {
			t.Fatalf("%+v and %+v", a, b)
		}
		shifted := make([]*big.Rat, len(values))
		for i, v := range thirds(values) {
			shifted[i] = v.Add(v, big.NewRat(100, 1))
		}
		if got := signedRank(shifted, rope, 64, 5); got.Below != 0 {
			t.Fatalf("shifted up: %+v", got)
		}
	})
}

func TestBayesSignedRankOfLittle(t *testing.T) {
	zeros := thirds([]int{0, 0})
	must.Be(t, signedRank(zeros, new(big.Rat), 10, 1), (stats.Probabilities{Below: 0.5, Above: 0.5}), "of zeros")
	must.Be(t, signedRank(zeros, big.NewRat(1, 9), 10, 1), (stats.Probabilities{Within: 1}), "of zeros, with a region")
	for name, c := range map[string]struct {
		differences []*big.Rat
		rope        *big.Rat
		draws       int
	}{
		"no difference":     {nil, new(big.Rat), 10},
		"no region":         {zeros, nil, 10},
		"a negative region": {zeros, big.NewRat(-1, 2), 10},
		"no draw":           {zeros, new(big.Rat), 0},
	} {
		must.Be(t, stats.Panics(func() { signedRank(c.differences, c.rope, c.draws, 1) }), true, name)
	}
}

// Several lists at once, of equal and of other lengths, have the probabilities that each has by itself.
func TestBayesSignedRanks(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var lists [][]*big.Rat
		for range rapid.IntRange(1, 6).Draw(r, "lists") {
			var list []*big.Rat
			for _, x := range rapid.SliceOfN(rapid.Int64Range(-6, 6), 1, 5).Draw(r, "differences") {
				list = append(list, big.NewRat(x, 2))
			}
			lists = append(lists, list)
		}
		rope := big.NewRat(rapid.Int64Range(0, 2).Draw(r, "rope"), 1)
		all := stats.BayesSignedRanks(lists, rope, 50, 7)
		for i, list := range lists {
			must.Be(r, signedRank(list, rope, 50, 7), all[i], list)
		}
	})
	if !stats.Panics(func() {
		stats.BayesSignedRanks([][]*big.Rat{{big.NewRat(1, 1)}, nil}, big.NewRat(1, 1), 50, 7)
	}) {
		t.Error("an empty list is taken")
	}
}
