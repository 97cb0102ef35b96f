package vmath

import (
	"fmt"
	"math"
	"slices"
)

// Cos sets dst[i] to the cosine of x[i]. dst may be x; otherwise they must not
// overlap. The error is below 1.5 units in the last place for every finite argument.
func Cos(dst, x []float64) {
	sameLength("Cos", "dst", len(dst), "x", len(x))
	cos(dst, x)
}

// SinCos sets s[i] and c[i] to the sine and cosine of x[i], the cosine with the bits of Cos. Both have the error bound
// of Cos. Either of s and c may be x; otherwise they must not overlap.
func SinCos(s, c, x []float64) {
	sameLength("SinCos", "s", len(s), "x", len(x))
	sameLength("SinCos", "c", len(c), "x", len(x))
	sinCos(s, c, x)
}

// Exp sets dst[i] to e to the power x[i]. dst may be x. The error is below 1 unit
// in the last place; overflow gives +Inf, and results below the normal range are
// rounded once.
func Exp(dst, x []float64) {
	sameLength("Exp", "dst", len(dst), "x", len(x))
	exp(dst, x)
}

// Tanh sets dst[i] to the hyperbolic tangent of x[i] + b, as 1 - 2 / (1 + exp(2 (x[i] + b))): the absolute error is a
// few units in the last place of 1. dst may be x.
func Tanh(dst, x []float64, b float64) {
	sameLength("Tanh", "dst", len(dst), "x", len(x))
	tanh(dst, x, b)
}

func tanhRef(dst, x []float64, b float64) {
	for i, v := range x {
		dst[i] = 1 - 2/(1+expRef(2*(v+b)))
	}
}

// Sigmoid returns 1 / (1 + exp(-x)): the probability that belongs to log-odds x.
func Sigmoid(x float64) float64 { return 1 / (1 + ExpScalar(-x)) }

// Softmax sets dst[i] to exp(x[i]) / sum_j exp(x[j]). dst may be x. It works on differences to the largest element, so
// that nothing overflows. If the largest element is infinite or NaN, all of dst is NaN.
func Softmax(dst, x []float64) {
	sameLength("Softmax", "dst", len(dst), "x", len(x))
	if len(x) == 0 {
		return
	}
	top := slices.Max(x)
	for i, v := range x {
		dst[i] = v - top
	}
	exp(dst, dst)
	total := sum(dst)
	for i := range dst {
		dst[i] /= total
	}
}

// maxNear is the largest argument for which the three-part reduction is exact enough. The C kernels leave larger
// arguments, infinities and NaN unchanged in dst.
const maxNear = 1 << 30

// magic added to a small number leaves its nearest integer in the low bits.
const magic = 0x1.8p52

// The parts of pi/2 and ln 2. Each part is the double nearest to the number minus the parts before.
const (
	halfPi1, halfPi2, halfPi3 = 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110
	ln21, ln22                = 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56
)

// Minimax polynomials, lowest degree last: sin r = r + r z S(z) and
// cos r = 1 + z C(z) with z = r^2 on |r| <= pi/4; e^r = 1 + r + r^2 E(r) on
// |r| <= ln(2)/2.
var (
	sinPoly = [...]float64{0x1.5d8fd191f8e19p-33, -0x1.ae5e5a912f93bp-26, 0x1.71de3567d2dadp-19,
		-0x1.a01a019bfdee6p-13, 0x1.111111110f7d0p-7, -0x1.5555555555548p-3}
	cosPoly = [...]float64{-0x1.8fa4998e4dd99p-37, 0x1.1ee9d7b401c96p-29, -0x1.27e4f7eac3801p-22,
		0x1.a01a019c844dcp-16, -0x1.6c16c16c14f91p-10, 0x1.555555555554bp-5, -0.5}
	expPoly = [...]float64{0x1.ad202ae768665p-26, 0x1.289f81c5802c5p-22, 0x1.71df55233e072p-19,
		0x1.a019ab3599f63p-16, 0x1.a01a011c3784ep-13, 0x1.6c16c17cc0c50p-10, 0x1.111111112882dp-7,
		0x1.555555555320ep-5, 0x1.5555555555501p-3, 0.5}
)

// sinCosRef returns the sine and cosine of x: Cody and Waite's reduction by pi/2 in
// three fused steps, of which the first is exact, then two polynomials.
func sinCosRef(x float64) (s, c float64) {
	ax := math.Abs(x)
	var r float64
	var quadrant uint64
	if ax <= maxNear {
		t := math.FMA(ax, 2/math.Pi, magic)
		q := t - magic
		quadrant = math.Float64bits(t)
		r = math.FMA(-q, halfPi1, ax)
		r = math.FMA(-q, halfPi2, r)
		r = math.FMA(-q, halfPi3, r)
	} else if ax <= math.MaxFloat64 {
		r, quadrant = reduceFar(ax)
	} else {
		return math.NaN(), math.NaN()
	}
	z := r * r
	p := math.FMA(sinPoly[0], z, sinPoly[1])
	p = math.FMA(p, z, sinPoly[2])
	p = math.FMA(p, z, sinPoly[3])
	p = math.FMA(p, z, sinPoly[4])
	p = math.FMA(p, z, sinPoly[5])
	s = math.FMA(float64(r*z), p, r)
	p = math.FMA(cosPoly[0], z, cosPoly[1])
	p = math.FMA(p, z, cosPoly[2])
	p = math.FMA(p, z, cosPoly[3])
	p = math.FMA(p, z, cosPoly[4])
	p = math.FMA(p, z, cosPoly[5])
	p = math.FMA(p, z, cosPoly[6])
	c = math.FMA(p, z, 1)

	// Without branches, which random quadrants would mispredict: swap s and c in odd quadrants,
	// then set their signs.
	const sign = 1 << 63
	sb, cb := math.Float64bits(s), math.Float64bits(c)
	swap := (sb ^ cb) & -(quadrant & 1)
	s = math.Float64frombits(sb ^ swap ^ (quadrant<<62^math.Float64bits(x))&sign)
	c = math.Float64frombits(cb ^ swap ^ (quadrant+1)<<62&sign)
	return s, c
}

// expRef returns e to the power x.
func expRef(x float64) float64 {
	if x > 710 {
		x = 710
	} else if x < -746 {
		x = -746
	}
	t := math.FMA(x, math.Log2E, magic)
	q := t - magic
	r := math.FMA(-q, ln21, x)
	r = math.FMA(-q, ln22, r)
	p := math.FMA(expPoly[0], r, expPoly[1])
	p = math.FMA(p, r, expPoly[2])
	p = math.FMA(p, r, expPoly[3])
	p = math.FMA(p, r, expPoly[4])
	p = math.FMA(p, r, expPoly[5])
	p = math.FMA(p, r, expPoly[6])
	p = math.FMA(p, r, expPoly[7])
	p = math.FMA(p, r, expPoly[8])
	p = math.FMA(p, r, expPoly[9])
	y := 1 + math.FMA(p, float64(r*r), r)
	// Two normal factors of 2^q: the first product is exact, only the second rounds.
	k := int64(math.Float64bits(t) - math.Float64bits(magic))
	k1 := k >> 1
	return float64(float64(y*power(k1)) * power(k-k1))
}

// power returns two to the power k, |k| < 1023.
func power(k int64) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

func cosArrayRef(c, x []float64) {
	for i, v := range x {
		_, c[i] = sinCosRef(v)
	}
}

func sinCosArrayRef(s, c, x []float64) {
	for i, v := range x {
		s[i], c[i] = sinCosRef(v)
	}
}

func expArrayRef(dst, x []float64) {
	for i, v := range x {
		dst[i] = expRef(v)
	}
}

// sameLength panics, naming both arguments of function f, unless n == m.
func sameLength(f, a string, n int, b string, m int) {
	if n != m {
		panic(fmt.Sprintf("vmath.%s: %s has length %d but %s needs %d", f, a, n, b, m))
	}
}

// equalLengths panics, naming function f, unless all vectors have n elements.
func equalLengths(f string, n int, vectors ...[]float64) {
	for k, v := range vectors {
		if len(v) != n {
			panic(fmt.Sprintf("vmath.%s: vector %d has length %d, not %d", f, k, len(v), n))
		}
	}
}
