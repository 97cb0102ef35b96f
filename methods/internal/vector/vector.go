// Package vector holds sums and products of short vectors, such as the parameters of a search: in plain Go, with one
// rounding an operation and one order, so that their bits are the same on every machine and in every build.
//
// It is no second vmath: what runs over the examples belongs there, where long vectors take a third of the time. What
// has one rounding an element and no order (sums, differences, multiples) is in gonum's package floats.
package vector

import "math"

// Dot returns the inner product of x and y, of equal length: element i goes to lane i mod 4, but those after the last
// whole four to lane 0, and the lanes are added as (0+2)+(1+3).
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

// Norm returns the Euclidean norm of x, for elements of any size: the root of a sum of squares relative to the largest so far.
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

// MaxAbs returns the largest absolute value of x, 0 if there is none, NaN if one is.
func MaxAbs(x []float64) float64 {
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	return largest
}
