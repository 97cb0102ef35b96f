package stats

import (
	"math"
	"math/big"
	"slices"
)

// Spread sums up values of one kind, such as a method's accuracies over splits. Mean and the order
// statistics are exact; they are nil without a value.
type Spread struct {
	N                              int
	Mean                           *big.Rat
	Min, Lower, Median, Upper, Max *big.Rat // Lower and Upper are the quartiles
	StdPop                         float64  // standard deviation, divisor n; NaN without a value
	StdSample                      float64  // the same with divisor n-1; NaN for fewer than two values
}

// NewSpread sums up values, none of them nil. Quartiles and the median are interpolated linearly
// between the order statistics, as NumPy does by default.
func NewSpread(values []*big.Rat) Spread {
	s := moments(values)
	if s.N == 0 {
		return s
	}
	sorted := slices.SortedFunc(slices.Values(values), (*big.Rat).Cmp)
	s.Min, s.Lower, s.Median, s.Upper, s.Max = quantile(sorted, 0), quantile(sorted, 1), quantile(sorted, 2),
		quantile(sorted, 3), quantile(sorted, 4)
	return s
}

// Mean is the exact mean of values; nil without a value.
func Mean(values []*big.Rat) *big.Rat {
	if len(values) == 0 {
		return nil
	}
	if parts, of, few := inParts(values); few {
		return meanOf(parts, of)
	}
	total := sum(values)
	return total.Quo(total, whole(len(values)))
}

// sum is exact. A common divisor of numerator and denominator is looked for once, at the end.
func sum(values []*big.Rat) *big.Rat {
	numerator, denominator := new(big.Int), big.NewInt(1)
	for _, v := range values {
		part := new(big.Int).Mul(v.Num(), denominator)
		numerator.Mul(numerator, v.Denom()).Add(numerator, part)
		denominator.Mul(denominator, v.Denom())
	}
	return new(big.Rat).SetFrac(numerator, denominator)
}

func meanOf(parts []int64, of int64) *big.Rat {
	total := int64(0)
	for _, v := range parts {
		total += v
	}
	return new(big.Rat).SetFrac64(total, of*int64(len(parts)))
}

// inParts writes values as whole numbers of parts, of which one is 1/of: quotients of counts on one data set, whose
// sums are then sums of integers. few is false where the numbers are so large that a sum of their squares might not be
// exact.
func inParts(values []*big.Rat) (parts []int64, of int64, few bool) {
	const most = 1 << 21
	of = 1
	for _, v := range values {
		d := v.Denom()
		if !d.IsInt64() || d.Int64() > most || !v.Num().IsInt64() {
			return nil, 0, false
		}
		a, b := of, d.Int64()
		for b != 0 { // their greatest common divisor
			a, b = b, a%b
		}
		if of *= d.Int64() / a; of > most {
			return nil, 0, false
		}
	}
	parts = make([]int64, len(values))
	for i, v := range values {
		n, times := v.Num().Int64(), of/v.Denom().Int64()
		if n > most/times || n < -most/times {
			return nil, 0, false
		}
		parts[i] = n * times
	}
	return parts, of, len(values) < most/2
}

// moments is NewSpread without the order statistics, which take longest.
func moments(values []*big.Rat) Spread {
	if parts, of, few := inParts(values); few && len(values) > 0 {
		return momentsOf(parts, of)
	}
	squares := make([]*big.Rat, len(values))
	for i, v := range values {
		squares[i] = new(big.Rat).Mul(v, v)
	}
	return deviations(len(values), Mean(values), sum(squares))
}

// momentsOf are the moments of values in parts.
func momentsOf(parts []int64, of int64) Spread {
	squares, total, n := int64(0), int64(0), int64(len(parts))
	for _, v := range parts {
		squares, total = squares+v*v, total+v
	}
	mean := meanOf(parts, of)
	const exact = 1 << 53 // quotients of smaller whole numbers are rounded once
	if n < 2 || n > 1<<8 || squares >= exact/n || of*of >= exact/(n*n) {
		return deviations(len(parts), mean, new(big.Rat).SetFrac64(squares, of*of))
	}
	deviation := func(divisor int64) float64 {
		return math.Sqrt(float64(n*squares-total*total) / float64(n*divisor*of*of))
	}
	return Spread{N: len(parts), Mean: mean, StdPop: deviation(n), StdSample: deviation(n - 1)}
}

// deviations are the moments of n values with a mean and a sum of squares. The sum of squared deviations is exact, so
// that equal values have a deviation of exactly zero, and no digits are lost to cancellation.
func deviations(n int, mean, squares *big.Rat) Spread {
	s := Spread{N: n, Mean: mean, StdPop: math.NaN(), StdSample: math.NaN()}
	if n == 0 {
		return s
	}
	squares.Sub(squares, product(whole(n), mean, mean))
	s.StdPop = root(squares, n)
	if n > 1 {
		s.StdSample = root(squares, n-1)
	}
	return s
}

// Spreads sums up each of the given number of columns of a matrix, which may have no row.
func Spreads(rows [][]*big.Rat, columns int) []Spread {
	out := make([]Spread, columns)
	for j := range out {
		out[j] = NewSpread(column(rows, j))
	}
	return out
}

// root returns the square root of x/n.
func root(x *big.Rat, n int) float64 {
	return math.Sqrt(quotient(x, whole(n)))
}

// quantile returns the given number of quarters of sorted values.
func quantile(sorted []*big.Rat, quarters int) *big.Rat {
	at := quarters * (len(sorted) - 1)
	low, rest := sorted[at/4], int64(at%4)
	if rest == 0 {
		return new(big.Rat).Set(low)
	}
	step := new(big.Rat).Sub(sorted[at/4+1], low)
	return step.Add(low, step.Mul(step, big.NewRat(rest, 4)))
}

// Signs counts the differences of each sign. No difference may be nil.
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
