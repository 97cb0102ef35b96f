package stats

import (
	"math"
	"math/big"
	"slices"
)

// MostExact bounds the differences other than zero of which Wilcoxon computes the exact distribution.
const MostExact = 500

// A WilcoxonTest holds the sums of ranks of a signed-rank test.
type WilcoxonTest struct {
	N, Zeros    int      // differences, and those of them that are zero
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
	sizes := make([]*big.Rat, len(differences))
	for i, d := range differences {
		sizes[i] = new(big.Rat).Abs(d)
	}
	var zeros, plus, minus, ofZeros int // sums of doubled ranks, which are whole
	var signed []int                    // doubled ranks of differences other than zero
	for i, fromLargest := range doubledRanks(sizes) {
		rank := 2*(len(sizes)+1) - fromLargest
		switch differences[i].Sign() {
		case 0:
			zeros++
			ofZeros += rank
			continue
		case 1:
			plus += rank
		default:
			minus += rank
		}
		signed = append(signed, rank)
	}
	t := WilcoxonTest{N: len(sizes), Zeros: zeros, P: signTail(signed, min(plus, minus))}
	t.Plus, t.Minus = big.NewRat(int64(2*plus+ofZeros), 4), big.NewRat(int64(2*minus+ofZeros), 4)
	return t
}

// signTail returns min(1, 2 P(S <= most)), where S adds up each rank with probability 1/2. The
// distribution of the first ranks gives that of one more: p(s) becomes (p(s) + p(s - rank)) / 2. Only
// sums up to most are needed. Probabilities are multiples of 2^-n: exact up to n = 53.
func signTail(ranks []int, most int) float64 {
	if len(ranks) > MostExact {
		return math.NaN()
	}
	p := make([]float64, most+1)
	p[0] = 1
	ranks = slices.Sorted(slices.Values(ranks))
	reached := 0 // the largest sum that has a probability yet
	for _, rank := range ranks {
		reached = min(reached+rank, most)
		for s := reached; s >= rank; s-- {
			p[s] = (p[s] + p[s-rank]) / 2
		}
		for s := range min(rank, reached+1) {
			p[s] /= 2
		}
	}
	tail := 0.0
	for _, x := range p {
		tail += x
	}
	return min(1, 2*tail)
}
