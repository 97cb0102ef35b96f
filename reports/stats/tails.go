package stats

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Test is a statistic and the probability P of a statistic at least as extreme, under the hypothesis
// that there is no difference. DF are the degrees of freedom: one number for chi-square and t, two for F,
// none for the normal distribution. P is NaN if the statistic is NaN.
type Test struct {
	Statistic float64
	DF        []float64
	P         float64
}

// The functions below compute every tail directly, and not as one minus the rest, so that small values keep
// their digits.

func chiSquareTest(x float64, df int) Test {
	return newTest(x, func(x float64) float64 { return distuv.ChiSquared{K: float64(df)}.Survival(x) }, float64(df))
}

// fTest has no P without degrees of freedom, as for a single data set.
func fTest(x float64, df1, df2 int) Test {
	a, b := float64(df1), float64(df2)
	if df2 < 1 {
		return Test{Statistic: x, DF: []float64{a, b}, P: math.NaN()}
	}
	return newTest(x, func(x float64) float64 { return mathext.RegIncBeta(b/2, a/2, b/(float64(a*x)+b)) }, a, b)
}

func tTest(x float64, df int) Test {
	return newTest(x, func(x float64) float64 {
		return 2 * distuv.StudentsT{Sigma: 1, Nu: float64(df)}.CDF(-math.Abs(x))
	}, float64(df))
}

// newTest is the test of a statistic with the tail of its distribution, which is 0 at infinity.
func newTest(x float64, tail func(float64) float64, df ...float64) Test {
	t := Test{Statistic: x, DF: df, P: math.NaN()}
	switch {
	case math.IsInf(x, 0):
		t.P = 0
	case !math.IsNaN(x):
		t.P = tail(x)
	}
	return t
}

func float(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

// quotient returns x/y as a float. It is NaN for 0/0, and infinite where only y is 0.
func quotient(x, y *big.Rat) float64 {
	if y.Sign() == 0 {
		if x.Sign() == 0 {
			return math.NaN()
		}
		return math.Inf(x.Sign())
	}
	return float(new(big.Rat).Quo(x, y))
}

func whole(n int) *big.Rat { return big.NewRat(int64(n), 1) }

func product(first *big.Rat, more ...*big.Rat) *big.Rat {
	out := new(big.Rat).Set(first)
	for _, x := range more {
		out.Mul(out, x)
	}
	return out
}

func minus(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) }

// within reports whether x lies strictly between 0 and 1, as a level or a power must.
func within(x float64) bool { return x > 0 && x < 1 }

// must panics with a message where a caller broke the contract of a function.
func must(kept bool, format string, args ...any) {
	if !kept {
		panic("stats: " + fmt.Sprintf(format, args...))
	}
}

func checkDifferences(differences []*big.Rat) {
	must(len(differences) > 0 && !slices.Contains(differences, nil), "no differences to test, or one without a "+
		"value: %v", differences)
}
