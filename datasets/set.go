package datasets

import (
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A Set is loaded data: row i of X (rows x features, as in the file, not
// standardised) with target Y[i]. It is shared between methods and must not be
// changed.
type Set struct {
	Name        string
	Task        registry.Task
	Classes     int // 2 for binary, K for multiclass, 0 for regression
	X           *mat.Dense
	Y           []float64        // -1 or +1, 0..K-1, or a real
	Features    []string         // one name per column of X; a level's column is named column=level
	Labels      []string         // the classes' names in the file, -1 before +1 or 0..K-1; nil for regression
	Blocks      []registry.Block // of the columns of X, one a channel, where the set has them
	TrainRows   int              // the first TrainRows rows are the set's own training part, the rest its test part; 0 if it has none
	Fingerprint string           // as Directory.Fingerprint gives it
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
