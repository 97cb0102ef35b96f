package stats

import "math/big"

// These are open to tests against published points and an independent program.
var (
	FTest     = fTest
	RangeTail = rangeTail
)

// Panics reports whether a call panics.
func Panics(call func()) (panics bool) {
	defer func() { panics = recover() != nil }()
	call()
	return false
}

// Deviations are the standard deviations of whole parts by integers, and by fractions.
func Deviations(parts []int64, of int64) (integers, fractions [2]float64) {
	a, squares := momentsOf(parts, of), new(big.Rat)
	for _, v := range parts {
		squares.Add(squares, big.NewRat(v*v, of*of))
	}
	b := deviations(len(parts), meanOf(parts, of), squares)
	return [2]float64{a.StdPop, a.StdSample}, [2]float64{b.StdPop, b.StdSample}
}
