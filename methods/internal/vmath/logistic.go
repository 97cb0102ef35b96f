package vmath

import "math"

// logisticBlock is the number of rows after which Logistic takes the logarithm of its products. Each of 8 lanes then
// has 64 factors of at most 2.
const logisticBlock = 512

// Logistic is a pass of Newton's method for the logistic loss with labels y = -1 or +1. It adds moved to the scores f
// and returns the sum of log(1 + exp(-y_i f_i)), the largest |moved_i| and the largest |f_i|. With q_i = 1/(1 + exp(y_i
// f_i)) it sets
//
//	residual_i = -y_i q_i,   root_i = sqrt(q_i (1 - q_i)),   slope_i = residual_i / root_i,
//
// where a score of size above 160 counts as 160. With u = exp(-|f|/2), the loss is log(1 + u^2) + max(0, -y f), and
// root is u / (1 + u^2). The sum of logarithms is computed as logarithms of products, in 8 lanes. If a score is NaN,
// the loss is NaN.
func Logistic(f, moved, y, residual, root, slope []float64) (loss, change, largest float64) {
	equalLengths("Logistic", len(f), moved, y, residual, root, slope)
	for lo := 0; lo < len(f); lo += logisticBlock {
		hi := min(lo+logisticBlock, len(f))
		var sums [32]float64
		logistic(f[lo:hi], moved[lo:hi], y[lo:hi], residual[lo:hi], root[lo:hi], slope[lo:hi], &sums)
		loss += logisticLoss(&sums)
		for l := range 8 {
			change, largest = larger(sums[16+l], change), larger(sums[24+l], largest)
		}
	}
	return loss, change, largest
}

// logisticLoss adds the lanes up.
func logisticLoss(sums *[32]float64) float64 {
	p := sums[:8]
	return LogScalar(((p[0]*p[1])*(p[2]*p[3]))*((p[4]*p[5])*(p[6]*p[7]))) + tree8(sums[8:16])
}

// larger returns a if a > b, and otherwise b, also if a or b is NaN.
func larger(a, b float64) float64 {
	if a > b {
		return a
	}
	return b
}

func logisticRef(f, moved, y, residual, root, slope []float64, sums *[32]float64) {
	for l := range 8 {
		sums[l] = 1
	}
	for i := range f {
		l := i % 8
		f[i] += moved[i]
		size, m := math.Abs(f[i]), y[i]*f[i]
		sums[16+l], sums[24+l] = larger(math.Abs(moved[i]), sums[16+l]), larger(size, sums[24+l])
		if 160 < size {
			size = 160
		}
		u := expRef(-0.5 * size)
		t := u * u
		s := 1 + float64(t)
		w := 1 / (u * s)
		inverse := u * w
		root[i] = u * inverse
		if m < 0 {
			residual[i], slope[i] = -(y[i] * inverse), -(y[i] * (s * w))
		} else {
			residual[i], slope[i] = -(y[i] * (t * inverse)), -(y[i] * u)
		}
		sums[8+l] += larger(-m, 0)
		sums[l] *= s
	}
}
