package datasets

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Standardiser centres and scales columns: (x - Mean) / Scale.
type Standardiser struct {
	Mean  []float64
	Scale []float64
}

// FitStandardiser takes the mean and the population standard deviation of every
// column of x over the given rows; nil means all rows. It panics if there are no rows. Missing values, which are
// NaN, are not counted and stay missing.
//
// The arithmetic is that of scikit-learn's StandardScaler on a row-major matrix, in
// the same order, so that the same rows in the same order give the same bits:
// sums run down the rows one after another; the variance is the corrected two-pass
// one of Chan, Golub and LeVeque (1983), eq. 1.7,
//
//	n var = sum (x - mean)^2 - (sum (x - mean))^2 / n,
//
// and a column is taken as constant, with scale 1, if its variance is no larger
// than the rounding error of that algorithm, n eps var + (n mean eps)^2 with eps =
// 2^-52. (For a single column scikit-learn sums in pairs instead, which can change
// the last bit.)
func FitStandardiser(x *mat.Dense, rows []int) Standardiser {
	n, row := selected(x, rows)
	if n == 0 {
		panic("datasets: FitStandardiser needs at least one row")
	}
	_, d := x.Dims()
	mean, scale := make([]float64, d), make([]float64, d)
	for i := range n {
		for j, v := range row(i) {
			mean[j] += v
		}
	}
	count := float64(n)
	for j := range mean {
		mean[j] /= count
	}
	correction := make([]float64, d)
	for i := range n {
		for j, v := range row(i) {
			diff := v - mean[j]
			correction[j] += diff
			scale[j] += float64(diff * diff)
		}
	}
	for j := range scale {
		if mean[j] != mean[j] { // the column has gaps
			mean[j], scale[j] = ofKnown(n, row, j)
			continue
		}
		scale[j] = deviation(scale[j], correction[j], mean[j], count)
	}
	return Standardiser{Mean: mean, Scale: scale}
}

// ofKnown returns the mean and the scale of the values of column j that are not missing; 0 and 1 if there are none.
func ofKnown(n int, row func(i int) []float64, j int) (mean, scale float64) {
	var known []float64
	for i := range n {
		if v := row(i)[j]; v == v {
			known = append(known, v)
		}
	}
	if known == nil {
		return 0, 1
	}
	s := FitStandardiser(mat.NewDense(len(known), 1, known), nil)
	return s.Mean[0], s.Scale[0]
}

// selected returns how many rows of x are chosen, and a function that returns the i-th chosen row; nil means all rows.
func selected(x *mat.Dense, rows []int) (n int, row func(i int) []float64) {
	if rows == nil {
		n, _ = x.Dims()
		return n, x.RawRowView
	}
	return len(rows), func(i int) []float64 { return x.RawRowView(rows[i]) }
}

// deviation turns the sums of squared and of plain differences into the scale.
func deviation(squares, differences, mean, n float64) float64 {
	const eps = 0x1p-52
	variance := (squares - float64(differences*differences)/n) / n
	rounding := n * mean * eps
	if variance <= float64(n*eps*variance)+float64(rounding*rounding) {
		return 1
	}
	return math.Sqrt(variance)
}

// Check reports a column that s, fitted on these rows of x (nil means all), cannot
// standardise in float64: its values are so large that the mean or the sum of squared
// differences is infinite, or they differ by so little, less than 1e-153, that their
// squared differences are lost. Such a column may pass for a constant one. names has
// one name for each column. The error names the first such column.
func (s Standardiser) Check(x *mat.Dense, rows []int, names []string) error {
	n, _ := selected(x, rows)
	for j, scale := range s.Scale {
		tooLarge := math.IsInf(s.Mean[j], 0) || math.IsNaN(s.Mean[j]) || math.IsInf(scale, 0) || math.IsNaN(scale)
		var difference float64
		if !tooLarge && (scale <= tiny || scale == 1) { // any other deviation is right
			difference = spread(x, rows, j)
			tooLarge = math.IsInf(float64(n)*difference*difference, 0)
		}
		switch {
		case tooLarge:
			return fmt.Errorf("column %q is too large to standardise; rescale it in the file", names[j])
		case difference > 0 && difference < tiny:
			return fmt.Errorf("column %q is too small to standardise: its values differ by %.3g at most; rescale it "+
				"in the file", names[j], difference)
		}
	}
	return nil
}

// tiny is where squares begin to lose digits. A spread of tiny has a value that is
// at least tiny/2 from the mean, and (tiny/2)^2 = 2^-1022 is the smallest number that
// has all of its digits.
const tiny = 0x1p-510

// spread returns the largest minus the smallest value of column j over the rows.
func spread(x *mat.Dense, rows []int, j int) float64 {
	n, row := selected(x, rows)
	low, high := math.Inf(1), math.Inf(-1)
	for i := range n {
		if v := row(i)[j]; v == v {
			low, high = min(low, v), max(high, v)
		}
	}
	return max(0, high-low) // 0 where all are missing
}

// Apply writes the standardised rows of src to dst, in their order; nil means all
// rows. dst is len(rows) x d, or empty, in which case it is allocated; it may be
// src if rows is nil. It panics if the shapes do not fit.
func (s Standardiser) Apply(dst, src *mat.Dense, rows []int) {
	n, row := selected(src, rows)
	_, d := src.Dims()
	if len(s.Mean) != d || len(s.Scale) != d {
		panic(fmt.Sprintf("datasets: a Standardiser of %d columns is applied to %d", len(s.Mean), d))
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, d)
	}
	if r, c := dst.Dims(); r != n || c != d {
		panic(fmt.Sprintf("datasets: %d x %d standardised values do not fit into %d x %d", n, d, r, c))
	}
	for i := range n {
		out := dst.RawRowView(i)
		for j, v := range row(i) {
			out[j] = (v - s.Mean[j]) / s.Scale[j]
		}
	}
}
