package stats

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"sort"
)

// MostExact bounds the differences other than zero of which Wilcoxon computes the exact distribution.
const MostExact = 500

// A WilcoxonTest holds the sums of ranks of a signed-rank test.
type WilcoxonTest struct {
	N           int      // differences
	Plus, Minus *big.Rat // sums of the ranks of |difference|, of positive and of negative differences
	P           float64  // exact, two-sided; NaN for more than MostExact differences other than zero
}

// Wilcoxon ranks the absolute differences, the smallest first with mid-ranks for ties, and sums the ranks of
// either sign (Wilcoxon 1945; Demsar 2006, 3.1.3). Differences of zero are ranked, and half of their ranks is
// given to each side. Under the hypothesis each difference other than zero has either sign with probability
// 1/2, given the absolute values. P is min(1, 2 P(sum <= the smaller sum)) in that distribution, ties
// included.
//
// An odd number of zeros is split as an even one is, where Demsar leaves one out. If all differences are
// zero, P is 1.
func Wilcoxon(differences []*big.Rat) WilcoxonTest {
	checkDifferences(differences)
	t := WilcoxonTest{N: len(differences), Plus: new(big.Rat), Minus: new(big.Rat)}
	plus, minus := 0, 0 // sums of doubled ranks, which are whole
	var sizes []int
	for _, r := range signedRanks(differences) {
		switch {
		case r > 0:
			plus, sizes = plus+r, append(sizes, r)
		case r < 0:
			minus, sizes = minus-r, append(sizes, -r)
		}
	}
	ofZeros := t.N*(t.N+1) - plus - minus
	t.Plus.SetFrac64(int64(2*plus+ofZeros), 4)
	t.Minus.SetFrac64(int64(2*minus+ofZeros), 4)
	t.P = math.NaN()
	if len(sizes) <= MostExact {
		tail := 0.0
		for _, p := range signSums(sizes, min(plus, minus)) {
			tail += p
		}
		t.P = min(1, 2*tail)
	}
	return t
}

// signedRanks are the doubled mid-ranks of the absolute differences, the smallest first, with the signs of the
// differences: zero for zeros, which have ranks as well.
func signedRanks(differences []*big.Rat) []int {
	sizes := make([]*big.Rat, len(differences))
	for i, d := range differences {
		sizes[i] = new(big.Rat).Abs(d)
	}
	ranks := doubledRanks(sizes) // the largest has the first rank
	for i, d := range differences {
		ranks[i] = d.Sign() * (2*(len(sizes)+1) - ranks[i])
	}
	return ranks
}

// signSums are the probabilities of the sums up to most of ranks that are added with probability 1/2 each. The
// distribution of the first ranks gives that of one more: p(s) becomes (p(s) + p(s - rank)) / 2. Probabilities are
// multiples of 2^-n: exact up to n = 53.
func signSums(ranks []int, most int) []float64 {
	p := make([]float64, most+1)
	p[0] = 1
	reached := 0 // the largest sum that has a probability yet
	for _, rank := range slices.Sorted(slices.Values(ranks)) {
		reached = min(reached+rank, most)
		for s := reached; s >= rank; s-- {
			p[s] = (p[s] + p[s-rank]) / 2
		}
		for s := range min(rank, reached+1) {
			p[s] /= 2
		}
	}
	return p
}

// PseudoMedian is the typical difference (Hodges and Lehmann 1963): the median of the means of each two differences,
// each with itself too. It is the value that Wilcoxon's test, taken of the differences less this value, finds least
// to object to.
func PseudoMedian(differences []*big.Rat) *big.Rat {
	return middleOf(walshSums(differences))
}

// middleOf is the median of the halves of sums.
func middleOf(sums []walshSum) *big.Rat {
	n := len(sums)
	middle := new(big.Rat).Add(sums[(n-1)/2].exact(), sums[n/2].exact())
	return middle.Quo(middle, whole(4))
}

// PseudoMedianInterval is the interval of the typical difference at a level such as 0.95: the values that Wilcoxon's
// test, taken of the differences less the value, does not reject. Its ends are means of two differences. Where
// differences are tied, the test can reject the end itself: an end at zero is then the next number, so that the
// interval holds zero just if P of Wilcoxon is at least 1 - level. Ends are infinite for so few differences that
// nothing is rejected, and NaN for a level outside 0 to 1.
func PseudoMedianInterval(differences []*big.Rat, level float64) Interval {
	if !within(level) {
		return Interval{math.NaN(), math.NaN()}
	}
	all := walshSums(differences)
	middle := middleOf(all)
	// Between two neighbours among the sums the test is the same everywhere. Cell i is below sum i, the last one above
	// all.
	sums := make([]walshSum, 0, len(all))
	below := make([]int, 0, len(all)+1) // how many of all sums are below a cell
	for i, s := range all {
		if i == 0 || s.compare(all[i-1]) != 0 {
			sums, below = append(sums, s), append(below, i)
		}
	}
	below = append(below, len(all))
	reached := reachedWithoutTies(differences)
	rejected := func(cell int) bool {
		if reached != nil { // the rank sum of either sign is the number of sums on its side (Tukey 1949)
			return 2*reached[min(below[cell], len(all)-below[cell])] < 1-level
		}
		at := new(big.Rat)
		switch {
		case cell == 0:
			at.Sub(sums[0].exact(), whole(1))
		case cell == len(sums):
			at.Add(sums[cell-1].exact(), whole(1))
		default:
			at.Add(sums[cell-1].exact(), sums[cell].exact())
			at.Quo(at, whole(2))
		}
		at.Quo(at, whole(2))
		moved := make([]*big.Rat, len(differences))
		for i, d := range differences {
			moved[i] = minus(d, at)
		}
		return Wilcoxon(moved).P < 1-level
	}
	if !rejected(0) {
		return Interval{math.Inf(-1), math.Inf(1)}
	}
	inside, _ := slices.BinarySearchFunc(sums, product(whole(2), middle), func(s walshSum, twice *big.Rat) int {
		return s.exact().Cmp(twice)
	})
	low := sort.Search(inside+1, func(cell int) bool { return !rejected(cell) })
	high := inside + sort.Search(len(sums)-inside, func(more int) bool { return rejected(inside + 1 + more) })
	end := func(i int) float64 { return float(sums[max(0, min(i, len(sums)-1))].exact()) / 2 }
	out := Interval{end(low - 1), end(high)}
	if out.Low < out.High && Wilcoxon(differences).P < 1-level {
		if out.Low == 0 {
			out.Low = math.SmallestNonzeroFloat64
		}
		if out.High == 0 {
			out.High = -math.SmallestNonzeroFloat64
		}
	}
	return out
}

// reachedWithoutTies are the probabilities of a sum of ranks of at most 0, 1 .. of differences of which none are equal;
// nil if any are.
func reachedWithoutTies(differences []*big.Rat) []float64 {
	compare := comparer(differences)
	order, sizes := ordered(len(differences), compare), make([]int, len(differences))
	for i := range order {
		if sizes[i] = i + 1; i > 0 && compare(order[i-1], order[i]) == 0 {
			return nil
		}
	}
	out := signSums(sizes, len(sizes)*(len(sizes)+1)/2)
	for i := range out[1:] {
		out[i+1] += out[i]
	}
	return out
}

// A walshSum is the sum of two differences.
type walshSum struct {
	a, b         *big.Rat
	rounded, off float64 // the sum in float64, and how far at most it is from the sum
}

func (s walshSum) exact() *big.Rat { return new(big.Rat).Add(s.a, s.b) }

// compare compares two sums exactly, with fractions only where the rounded sums do not tell.
func (s walshSum) compare(o walshSum) int {
	if d := s.rounded - o.rounded; math.Abs(d) > s.off+o.off {
		return cmp.Compare(d, 0)
	}
	return s.exact().Cmp(o.exact())
}

// walshSums are the sums of each two differences, the smallest first.
func walshSums(differences []*big.Rat) []walshSum {
	checkDifferences(differences)
	rounded := floats(differences)
	out := make([]walshSum, 0, len(differences)*(len(differences)+1)/2)
	for i, d := range differences {
		for j, other := range differences[i:] {
			a, b := rounded[i], rounded[i+j]
			out = append(out, walshSum{d, other, a + b, off(a, b)})
		}
	}
	slices.SortFunc(out, walshSum.compare)
	return out
}
