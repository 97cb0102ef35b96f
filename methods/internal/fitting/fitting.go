// Package fitting holds what families of methods need around their algorithms: the rows of a
// data set as one slice, checks of rows before they are scored, groups of grid points that share work,
// classes one against the rest, and the stages of a sum over rounds.
// It knows no algorithm and no parameter. The registry checks a training set before a method gets it: see
// [registry.Data.Check].
package fitting

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// Rows returns the rows of x without gaps: in x's memory, or a copy where x is a part of the columns of another matrix.
func Rows(x *mat.Dense) []float64 {
	raw := x.RawMatrix()
	if raw.Stride != raw.Cols {
		raw = mat.DenseCopyOf(x).RawMatrix()
	}
	return raw.Data[:raw.Rows*raw.Cols]
}

// CheckScoring reports why a model with the given numbers of features and outputs cannot score the rows x into a
// slice of length places.
func CheckScoring(x *mat.Dense, features, outputs, places int) error {
	n, d := x.Dims()
	if d != features {
		return fmt.Errorf("rows of %d features: the model was trained on %d", d, features)
	}
	if places != n*outputs {
		return fmt.Errorf("room for %d scores of %d rows and %d outputs", places, n, outputs)
	}
	return nil
}

// CheckFinite reports the first row with a number that is not finite. A row has perRow numbers. The error
// calls these numbers by the word `what`.
func CheckFinite(what string, x []float64, perRow int) error {
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("the %s of row %d is %v: a feature is not finite or is too large", what, i/perRow, v)
		}
	}
	return nil
}

// maxTarget bounds regression targets so that their squared deviations do not overflow.
const maxTarget = 1e150

// CheckSizes refuses finite values of a training set with which a tree of the method of the given
// name would overflow.
func CheckSizes(name string, train registry.Data) error {
	for i := range train.Y {
		for j, v := range train.X.RawRowView(i) {
			if math.Abs(v) > math.MaxFloat64/2 { // a threshold is half the sum of two values
				return fmt.Errorf("%s: feature %d of row %d is %v: features must be at most %.3g in size", name, j, i,
					v, math.MaxFloat64/2)
			}
		}
		if y := train.Y[i]; train.Task == registry.Regression && math.Abs(y) > maxTarget {
			return fmt.Errorf("%s: the target of row %d is %v: targets must be at most %g in size", name, i, y,
				maxTarget)
		}
	}
	return nil
}

// OneAgainstRest returns the targets of each output. For Multiclass an output has +1 for its class and -1 for the
// rest. Otherwise the one output has the targets of d.
func OneAgainstRest(d registry.Data) [][]float64 {
	outputs := d.Shape().Outputs()
	if outputs == 1 {
		return [][]float64{d.Y}
	}
	ys := make([][]float64, outputs)
	for c := range ys {
		ys[c] = make([]float64, len(d.Y))
		for i, y := range d.Y {
			ys[c][i] = -1
			if int(y) == c {
				ys[c][i] = 1
			}
		}
	}
	return ys
}

// Targets returns what least squares fit: the targets of regression less their mean, and the mean; or +-1 for each
// class against the rest, and 0.
func Targets(d registry.Data) (ys [][]float64, mean float64) {
	if d.Task != registry.Regression {
		return OneAgainstRest(d), 0
	}
	centred, mean := Centred(d.Y)
	return [][]float64{centred}, mean
}

// Centred returns y less its mean, and the mean.
func Centred(y []float64) (centred []float64, mean float64) {
	mean, centred = vmath.Sum(y)/float64(len(y)), make([]float64, len(y))
	for i, v := range y {
		centred[i] = v - mean
	}
	return centred, mean
}

// Standardise subtracts the mean from y and divides y by the standard deviation. It returns both. A deviation of zero
// becomes 1.
func Standardise(y []float64) (mean, deviation float64) {
	n := float64(len(y))
	for _, v := range y {
		mean += v / n
	}
	square := 0.0
	for i := range y {
		y[i] -= mean
		square += float64(y[i] / n * y[i])
	}
	deviation = math.Sqrt(square)
	if !(deviation > 0) {
		deviation = 1
	}
	for i := range y {
		y[i] /= deviation
	}
	return mean, deviation
}

// Blocks calls do for blocks of the numbers from 0 to n - 1, of the given size, and looks at the context before each
// block.
func Blocks(ctx context.Context, n, size int, do func(lo, hi int)) error {
	for lo := 0; lo < n; lo += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		do(lo, min(lo+size, n))
	}
	return nil
}

// Held is the number of rows whose features a method holds at a time, of n training rows of d numbers with width
// features each: all rows, or a block of them. Features that take more than twice the memory of the rows, and are more
// than `always` numbers, are computed again for a block at a time whenever they are needed. The bits of a fit are the
// same.
func Held(n, d, width, block, always int) int {
	if n*width <= max(always, 2*n*d) {
		return n
	}
	return min(n, block)
}

// How many features are always held: 32 MiB of those that are soon computed again, and 256 MiB where a fit would take
// up to twice as long. Only tests change it.
var (
	Few  = 4 << 20
	Many = 32 << 20
)

// ScoreBlocks scores the rows x, each with the given number of features and of outputs, into out. score gets blocks
// of at most size rows, and the place of their scores.
func ScoreBlocks(ctx context.Context, x *mat.Dense, features, outputs, size int, out []float64,
	score func(rows, out []float64)) error {
	if err := CheckScoring(x, features, outputs, len(out)); err != nil {
		return err
	}
	n, d := x.Dims()
	rows := Rows(x)
	err := Blocks(ctx, n, size, func(lo, hi int) { score(rows[lo*d:hi*d], out[lo*outputs:hi*outputs]) })
	if err != nil {
		return err
	}
	return CheckFinite("score", out, outputs)
}

// Upto returns the integers from 0 to n - 1.
func Upto(n int) []int {
	is := make([]int, n)
	for i := range is {
		is[i] = i
	}
	return is
}

// GroupsBy is Groups with the indices of each group in ascending order of a number, such as that of the rounds whose
// models come one after the other from one fit.
func GroupsBy[K comparable](is []int, key func(i int) K, order func(i int) int) [][]int {
	out := Groups(is, key)
	for _, group := range out {
		slices.SortStableFunc(group, func(a, b int) int { return order(a) - order(b) })
	}
	return out
}

// Groups divides indices into groups of equal key, in the order in which the keys first occur.
func Groups[K comparable](is []int, key func(i int) K) [][]int {
	at := map[K]int{}
	var out [][]int
	for _, i := range is {
		k, seen := at[key(i)]
		if !seen {
			k = len(out)
			at[key(i)] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return out
}
