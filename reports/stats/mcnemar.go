package stats

import (
	"fmt"
	"math"
	"math/big"

	"gonum.org/v1/gonum/stat/distuv"
)

// A McNemarTest compares two methods on the same cases.
type McNemarTest struct {
	Exact      float64 // P of the binomial distribution
	MidP       float64 // P with half the probability of what was seen; less conservative
	ChiSquare  Test    // (b-c)^2 / (b+c), one degree of freedom
	Continuity Test    // max(0, |b-c| - 1)^2 / (b+c) (Edwards 1948)
}

// McNemar tests (McNemar 1947) whether two methods err alike on the rows of one test set, from the
// rows b that only the first and c that only the second gets right; rows on which they agree say
// nothing. Under the hypothesis b is binomial with b+c trials of probability 1/2:
//
//	Exact = min(1, 2 P(X <= min(b, c))),     MidP = 2 P(X <= min(b, c)) - P(X = min(b, c))
//
// (Fagerland, Lydersen and Laake 2013). With the data sets won and lost it is the sign test. Without a
// row that differs Exact and MidP are 1, and the chi-squares NaN. Negative counts are an error.
func McNemar(onlyFirst, onlySecond int) (McNemarTest, error) {
	b, c := onlyFirst, onlySecond
	if b < 0 || c < 0 {
		return McNemarTest{}, fmt.Errorf("stats: %d and %d are no counts of rows; give numbers that are not negative", b, c)
	}
	if b+c == 0 {
		none := chiSquareTest(math.NaN(), 1)
		return McNemarTest{Exact: 1, MidP: 1, ChiSquare: none, Continuity: none}, nil
	}
	n, fewer, apart := float64(b+c), float64(min(b, c)), math.Abs(float64(b-c))
	binomial := distuv.Binomial{N: n, P: 0.5}
	twice, before := 2*binomial.CDF(fewer), 2*binomial.CDF(fewer-1)
	t := McNemarTest{Exact: min(1, twice), MidP: min(1, (twice+before)/2)}
	t.ChiSquare = chiSquareTest(apart*apart/n, 1)
	corrected := max(0, apart-1)
	t.Continuity = chiSquareTest(corrected*corrected/n, 1)
	return t, nil
}

// Signs counts the differences of each sign. Demsar (2006, 3.1.4) splits the zeros; the sign test
// given the wins and losses alone is McNemar(plus, minus). No difference may be nil.
func Signs(differences []*big.Rat) (plus, zero, minus int) {
	for _, d := range differences {
		switch d.Sign() {
		case 1:
			plus++
		case 0:
			zero++
		default:
			minus++
		}
	}
	return plus, zero, minus
}
