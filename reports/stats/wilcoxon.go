package stats

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// Zeros says what Wilcoxon does with differences that are zero.
type Zeros string

// The treatments of zeros, under SciPy's names.
const (
	ZerosLeftOut Zeros = "wilcox" // left out before ranking (Wilcoxon 1945)
	ZerosRanked  Zeros = "pratt"  // ranked, and their ranks left out (Pratt 1959)
	ZerosSplit   Zeros = "zsplit" // ranked, and half their ranks given to each side (Demsar 2006)
)

// MostExact bounds the differences other than zero of which Wilcoxon computes the exact distribution.
const MostExact = 500

// A WilcoxonTest holds the sums of ranks of a signed-rank test.
type WilcoxonTest struct {
	N, Zeros    int      // differences, and those of them that are zero
	Plus, Minus *big.Rat // sums of the ranks of |difference|, of positive and of negative differences
	P           float64  // exact, two-sided; NaN for more than MostExact differences other than zero

	treatment Zeros
	squares   *big.Rat // sum of the squares of the ranks that the variance counts
}

// Wilcoxon ranks the absolute differences, the smallest first with mid-ranks for ties, and sums the
// ranks of either sign (Wilcoxon 1945; Demsar 2006, 3.1.3). Under the hypothesis each difference
// other than zero has either sign with probability 1/2, given the absolute values; P is
// min(1, 2 P(sum <= the smaller one)) in that distribution, ties included.
//
// An odd number of zeros is split as an even one is, where Demsar leaves one out. If all differences
// are zero, P is 1. It is an error if there is no difference or the treatment of zeros is none of the
// three.
func Wilcoxon(differences []*big.Rat, zeros Zeros) (WilcoxonTest, error) {
	if err := checkDifferences(differences); err != nil {
		return WilcoxonTest{}, err
	}
	if zeros != ZerosLeftOut && zeros != ZerosRanked && zeros != ZerosSplit {
		return WilcoxonTest{}, fmt.Errorf("stats: zeros cannot be treated as %q; give %q, %q or %q", zeros, ZerosLeftOut, ZerosRanked, ZerosSplit)
	}
	sizes := make([]*big.Rat, len(differences))
	for i, d := range differences {
		sizes[i] = new(big.Rat).Abs(d)
	}
	order := Order(sizes)
	zero := 0
	for zero < len(order) && sizes[order[zero]].Sign() == 0 {
		zero++
	}
	ranked := order
	if zeros == ZerosLeftOut {
		ranked = order[zero:]
	}
	var plus, minus, ofZeros, squares int // of doubled ranks, which are whole
	var signed []int                      // doubled ranks of differences other than zero
	for i, rank := range doubledMidRanks(sizes, ranked) {
		sign := differences[ranked[i]].Sign()
		switch {
		case sign > 0:
			plus += rank
		case sign < 0:
			minus += rank
		default:
			ofZeros += rank
		}
		if sign != 0 {
			signed = append(signed, rank)
		}
		if sign != 0 || zeros == ZerosSplit {
			squares += rank * rank
		}
	}
	t := WilcoxonTest{N: len(order), Zeros: zero, P: signTail(signed, min(plus, minus)), treatment: zeros, squares: big.NewRat(int64(squares), 4)}
	t.Plus, t.Minus = big.NewRat(int64(plus), 2), big.NewRat(int64(minus), 2)
	if zeros == ZerosSplit {
		half := big.NewRat(int64(ofZeros), 4)
		t.Plus.Add(t.Plus, half)
		t.Minus.Add(t.Minus, half)
	}
	return t, nil
}

// doubledMidRanks returns twice the rank of each place of order, which sorts values: ties share the
// mean of the ranks that they span.
func doubledMidRanks(values []*big.Rat, order []int) []int {
	ranks := make([]int, len(order))
	for first := 0; first < len(order); {
		end := first + 1
		for end < len(order) && values[order[end]].Cmp(values[order[first]]) == 0 {
			end++
		}
		for i := first; i < end; i++ {
			ranks[i] = first + 1 + end
		}
		first = end
	}
	return ranks
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

// Normal approximates the distribution of Plus by a normal one of the same mean and variance; the
// statistic is positive where Plus exceeds Minus. With n ranks, z of them of zeros, the variance is
//
//	(n (n+1) (2n+1) - z (z+1) (2z+1)) / 24
//
// without z for ZerosLeftOut, where zeros are no ranks, and for ZerosSplit, where Demsar (2006) and
// SciPy count them as if their signs were drawn, too. The correction for ties subtracts
// sum (t^3 - t) / 48 over groups of t tied ranks; the variance is then a quarter of the sum of their
// squares. That for continuity moves Plus by 1/2 towards its mean, not beyond. Without both it is
// Demsar's formula; SciPy's default is that with ties alone.
//
// The statistic is NaN where the variance is zero: no difference, or zeros alone.
func (t WilcoxonTest) Normal(ties, continuity bool) Test {
	n, z := t.N, t.Zeros
	switch t.treatment {
	case ZerosLeftOut:
		n, z = n-z, 0
	case ZerosSplit:
		z = 0
	}
	variance := big.NewRat(int64(n*(n+1)*(2*n+1)-z*(z+1)*(2*z+1)), 24)
	if ties {
		variance = product(t.squares, big.NewRat(1, 4))
	}
	if t.N == t.Zeros {
		return normalTest(math.NaN())
	}
	above := float(minus(t.Plus, t.Minus)) / 2 // the mean is half of both sums
	if continuity {
		above = math.Copysign(max(0, math.Abs(above)-0.5), above)
	}
	return normalTest(above / math.Sqrt(float(variance)))
}
