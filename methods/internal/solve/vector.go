package solve

import "math"

// Sums and products of short vectors, such as the parameters of a search, are in plain Go, with one rounding for each
// operation and a fixed order, so that their bits are the same on every machine and in every build. Loops over the
// examples belong in vmath, where long vectors take a third of the time. Operations with one rounding for each element
// and no order (sums, differences, multiples) are in gonum's package floats.

// Dot returns the inner product of x and y, of equal length. Element i goes to lane i mod 4, but the elements after the
// last whole group of four go to lane 0. The lanes are added as (0+2)+(1+3).
func Dot(x, y []float64) float64 {
	var a, b, c, d float64
	y = y[:len(x)]
	for len(x) >= 4 && len(y) >= 4 {
		a += float64(x[0] * y[0])
		b += float64(x[1] * y[1])
		c += float64(x[2] * y[2])
		d += float64(x[3] * y[3])
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		a += float64(v * y[i])
	}
	return (a + c) + (b + d)
}

// AddScaled adds a times x to dst, of equal length.
func AddScaled(dst []float64, a float64, x []float64) { AddScaledTo(dst, dst, a, x) }

// AddScaledTo sets dst to y + a x, all of equal length.
func AddScaledTo(dst, y []float64, a float64, x []float64) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = y[i] + float64(a*v)
	}
}

// Norm returns the Euclidean norm of x. It divides by the largest element so far before it squares, so that nothing
// overflows.
func Norm(x []float64) float64 {
	scale, squares := 0.0, 1.0
	for _, v := range x {
		switch v = math.Abs(v); {
		case v == 0:
		case v > scale:
			s := scale / v
			squares = 1 + float64(squares*s*s)
			scale = v
		default:
			s := v / scale
			squares += float64(s * s)
		}
	}
	if math.IsInf(scale, 1) {
		return scale
	}
	return scale * math.Sqrt(squares)
}

// MaxAbs returns the largest absolute value of x, 0 if x is empty, and NaN if an element is NaN.
func MaxAbs(x []float64) float64 {
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	return largest
}

// SumAbs returns the sum of the absolute values of x, added in their order.
func SumAbs(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Abs(v)
	}
	return sum
}
