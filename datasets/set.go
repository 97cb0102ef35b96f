// Package datasets holds the loaded data on which methods are compared: a [Set] of numbers, the [Origins] of its
// dates, the [Imputer] that fills its gaps, and the [Standardiser] that centres and scales its columns. These use
// statistics of chosen rows. [Inputs] applies them one after the other.
//
// Packages in folders below make sets: catalogue describes them, finds and checks their files, and makes those of
// generated sets; fetch brings files, also of sets of OpenML; read loads the files of a set, which makes it a Set, and
// describes new files. Only the command line imports fetch.
//
// This package reads no file and draws no splits (package harness/split does).
package datasets

import (
	"math"
	"slices"

	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A Set is loaded data: row i of X (rows x features, as in the file, not
// standardised) with target Y[i]. It is shared between methods and must not be
// changed.
type Set struct {
	Name       string
	Task       registry.Task
	Classes    int // 2 for binary, K for multiclass, 0 for regression
	X          *mat.Dense
	Y          []float64        // -1 or +1, 0..K-1, or a real
	Features   []string         // one name per column of X; a level's column is named column=level
	Labels     []string         // the classes' names in the file, -1 before +1 or 0..K-1; nil for regression
	Blocks     []registry.Block // of the columns of X, one a channel, where the set has them
	Categories []registry.Block // of the columns of X, one for each column of categories, with the name of that column
	// the first TrainRows rows are the set's own training part, the rest its test part; 0 if it has none
	TrainRows   int
	Dates       []int      // the columns of X with days
	Gaps        Gaps       // what becomes of missing values, which are NaN in X
	Groups      *Groups    // which rows belong together; nil if each row is a group of its own
	Splits      []Division // the set's own splits, in order; nil if it has none
	Notes       []string   // what the reader did that the set's user should know, such as lines that are not read
	Fingerprint string     // as files.Directory.Fingerprint gives it
}

// Groups say which rows belong together, such as those of one patient, which no split and no fold parts.
type Groups struct {
	Column string   // the name of the column that tells the groups
	Of     []int32  // the group of each row, a place in Names
	Names  []string // the values of the column, in order of appearance
}

// Count returns how many groups some rows are of, 0 where there are no groups.
func (g *Groups) Count(rows []int) (n int) {
	if g == nil {
		return 0
	}
	seen := make([]bool, len(g.Names))
	for _, row := range rows {
		if of := g.Of[row]; !seen[of] {
			seen[of] = true
			n++
		}
	}
	return n
}

// A Division is one of the splits that come with a set: rows to learn from and rows to test on, each in ascending
// order. No row is in both. A row may be in neither.
type Division struct{ Train, Test []int }

// FewValues is a number of different values. A feature with at most FewValues of them is called a code, since the codes
// of categories are such features.
const FewValues = 4

// Codes returns the number of features with at most FewValues different values. A missing value is a value here.
func (s *Set) Codes() (codes int) {
	x := s.X.RawMatrix()
	for j := range x.Cols {
		seen := make([]float64, 0, FewValues)
		for i := 0; i < x.Rows && len(seen) <= FewValues; i++ {
			v := x.Data[i*x.Stride+j]
			if !slices.ContainsFunc(seen, func(u float64) bool { return u == v || math.IsNaN(u) && math.IsNaN(v) }) {
				seen = append(seen, v)
			}
		}
		if len(seen) <= FewValues {
			codes++
		}
	}
	return codes
}

// Data returns the set as methods take it.
func (s *Set) Data() registry.Data {
	return registry.Data{Task: s.Task, Classes: s.Classes, X: s.X, Y: s.Y, Blocks: s.Blocks}
}

// Counts returns the number of rows of each class, -1 before +1 or 0..K-1; nil for
// regression.
func (s *Set) Counts() []int {
	if s.Task == registry.Regression {
		return nil
	}
	counts := make([]int, s.Classes)
	for _, y := range s.Y {
		if s.Task == registry.Binary {
			y = (y + 1) / 2
		}
		counts[int(y)]++
	}
	return counts
}

// Rows copies the given rows of x, in their order. Nil means all rows.
func Rows(x *mat.Dense, rows []int) *mat.Dense {
	if rows == nil {
		return mat.DenseCopyOf(x)
	}
	_, d := x.Dims()
	out := mat.NewDense(len(rows), d, nil)
	for i, r := range rows {
		copy(out.RawRowView(i), x.RawRowView(r))
	}
	return out
}
