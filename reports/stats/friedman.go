package stats

import (
	"math/big"
)

// A FriedmanTest asks whether k methods rank alike over N data sets.
type FriedmanTest struct {
	Datasets, Methods int
	AverageRanks      []*big.Rat // mid-ranks, 1 the best

	ChiSquare Test // Friedman's statistic, chi-square with k-1 degrees of freedom
	Corrected Test // the same, corrected for ties

	ImanDavenport          Test // from ChiSquare, F with k-1 and (k-1)(N-1) degrees of freedom
	ImanDavenportCorrected Test // from Corrected; it equals Conover's F for ranks with ties
}

// Friedman tests values (data sets x methods) for a difference between methods. With the average
// ranks R_j,
//
//	chi2 = 12 N / (k (k+1)) (sum_j R_j^2 - k (k+1)^2 / 4)           Friedman (1937); Demsar (2006), 3.2.2
//	F    = (N-1) chi2 / (N (k-1) - chi2)                            Iman and Davenport (1980)
//
// and the correction divides chi2 by 1 - sum (t^3 - t) / (N (k^3 - k)), over groups of t tied values
// in a row. Statistics are computed exactly and rounded once.
//
// Where every row is one tie, the corrected statistics are NaN. Where every row ranks the methods
// alike, F is infinite and its P is 0. For one data set F is NaN or has no P.
func Friedman(values [][]*big.Rat) FriedmanTest {
	checkMethods(values)
	average := AverageRanks(values)
	rows, k := len(values), len(average)
	chi := new(big.Rat)
	for _, r := range average {
		chi.Add(chi, product(r, r))
	}
	chi.Sub(chi, big.NewRat(int64(k*(k+1)*(k+1)), 4))
	chi.Mul(chi, big.NewRat(int64(12*rows), int64(k*(k+1))))
	ties := 0
	for _, row := range values {
		ties += tieTerm(row)
	}
	correction := minus(whole(1), big.NewRat(int64(ties), int64(rows*(k*k*k-k))))
	t := FriedmanTest{Datasets: rows, Methods: k, AverageRanks: average}
	// F's numerator and denominator are multiplied by the correction, so that neither needs the
	// corrected statistic, which may not exist.
	imanDavenport := func(correction *big.Rat) Test {
		most := product(whole(rows*(k-1)), correction)
		return fTest(quotient(product(whole(rows-1), chi), most.Sub(most, chi)), k-1, (k-1)*(rows-1))
	}
	t.ChiSquare, t.ImanDavenport = chiSquareTest(float(chi), k-1), imanDavenport(whole(1))
	t.Corrected, t.ImanDavenportCorrected = chiSquareTest(quotient(chi, correction), k-1), imanDavenport(correction)
	return t
}

// checkMethods panics unless a matrix has a value everywhere, and two methods.
func checkMethods(values [][]*big.Rat) {
	checkMatrix(values)
	must(len(values[0]) > 1, "one method has nothing to be compared with")
}

// tieTerm adds up t^3 - t over groups of t equal values.
func tieTerm(values []*big.Rat) int {
	term, equal := 0, map[int]int{}
	for _, rank := range doubledRanks(values) {
		equal[rank]++
	}
	for _, t := range equal {
		term += t*t*t - t
	}
	return term
}
