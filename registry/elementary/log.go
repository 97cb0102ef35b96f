// Package elementary holds the one elementary function that results need outside of methods. It has the same bits on
// every machine and in every build; package math has not, since some processors fuse its products and sums. Other such
// functions belong in methods/internal/vmath, whose accuracy tests also cover this one.
package elementary

import "math"

// Log returns the natural logarithm of x: -Inf at zero, NaN below. The error is below 1
// unit in the last place. The formula and the seven coefficients are those of fdlibm (Sun
// Microsystems 1993), which most libraries have: with x = 2^k (1+f), 1+f in [sqrt(1/2), sqrt(2)),
// and s = f/(2+f),
//
//	log(1+f) = 2 atanh(s) = f - f^2/2 + s (f^2/2 + R),  R = l1 s^2 + l2 s^4 + .. + l7 s^14,
//
// where the multiples of k are added last, in two parts; the first part is exact. The bits are those of package math on
// amd64.
func Log(x float64) float64 {
	switch {
	case !(x >= 0):
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case x > math.MaxFloat64:
		return x
	}
	const (
		ln2Hi, ln2Lo = 6.93147180369123816490e-01, 1.90821492927058770002e-10

		l1, l2, l3, l4 = 6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
			2.222219843214978396e-01
		l5, l6, l7 = 1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01
	)
	m, k := Octave(x)
	f := m - 1
	s := f / (2 + f)
	z := float64(s * s)
	w := float64(z * z)
	odd := l1 + float64(w*(l3+float64(w*(l5+float64(w*l7)))))
	even := l2 + float64(w*(l4+float64(w*l6)))
	r := float64(z*odd) + float64(w*even)
	half := float64(0.5 * f * f)
	low := float64(s*(half+r)) + float64(k*ln2Lo)
	return float64(k*ln2Hi) - ((half - low) - f)
}

// Octave writes a positive x as m 2^k with m in [sqrt(1/2), sqrt(2)).
func Octave(x float64) (m, k float64) {
	if x < 0x1p-1022 {
		x *= 0x1p54
		k = -54
	}
	const root = 0x3fe6a09e667f3bcd // bits of sqrt(1/2)
	e := int64(math.Float64bits(x)-root) >> 52
	return math.Float64frombits(math.Float64bits(x) - uint64(e)<<52), k + float64(e)
}
