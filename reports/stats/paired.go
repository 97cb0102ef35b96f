package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// PairedHalfWidths returns half the width of an interval for the mean of each column over the rows at a level such as 0.95,
// without what all columns of a row share. With x_ij in n rows and k columns, and the rows' means taken away,
//
//	y_ij = x_ij - mean_j x_ij
//	half_j = t(1-(1-level)/2, n-1) sd_i(y_ij) sqrt(k/(k-1)) / sqrt(n)
//
// (Cousineau 2005; the factor sqrt(k/(k-1)) is Morey's, 2008, since each column is a part of the mean of its row). If rows
// are data sets and columns are methods, the difficulty of a set moves all methods. The difficulty says nothing about which
// method is better, but it makes the interval of a plain mean wide. All values are NaN for fewer than two rows or columns
// and for a level outside 0 to 1.
func PairedHalfWidths(values [][]float64, level float64) []float64 {
	n := len(values)
	if n == 0 {
		return nil
	}
	k := len(values[0])
	half := make([]float64, k)
	for j := range half {
		half[j] = math.NaN()
	}
	if n < 2 || k < 2 || !within(level) {
		return half
	}
	t := -distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile((1 - level) / 2)
	shared := make([]float64, n) // the rows' means
	for i, row := range values {
		for _, x := range row {
			shared[i] += x / float64(k)
		}
	}
	for j := range half {
		mean, squares := 0.0, 0.0
		for i, row := range values {
			mean += (row[j] - shared[i]) / float64(n)
		}
		for i, row := range values {
			d := row[j] - shared[i] - mean
			squares += d * d
		}
		half[j] = t * math.Sqrt(squares/float64(n-1)*float64(k)/float64(k-1)/float64(n))
	}
	return half
}
