package split

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/kernelboosting/bench/internal/npy"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
)

// Exported is all that another program needs of a split: the rows of Parts.Whole and their numbers in the
// data file.
type Exported struct {
	Part
	Split    Split
	Features []string // names of the columns
	Labels   []string // names of the classes -1 and +1, or 0..K-1; nil for regression
}

// Export returns the whole of a split, with the errors of Whole.
func (p Parts) Export() (Exported, error) {
	whole, err := p.Whole()
	return Exported{whole, p.Split, whole.Inputs.Names(p.Set.Features), p.Set.Labels}, err
}

// folds returns the number of the fold, counted from 0, in which each training row is validated.
func (e Exported) folds() []int {
	out := make([]int, len(e.Split.Train))
	for f, positions := range e.Split.Folds {
		for _, i := range positions {
			out[i] = f
		}
	}
	return out
}

// WriteNPZ writes an archive for numpy.load: X_train and X_test (rows x features), y_train and y_test,
// rows_train and rows_test (rows of the data file, counted from 0), folds_train (the validation fold of each
// training row), features and labels. For regression y_train is in the unit that methods learn: y_train *
// target_scale + target_mean has the unit of y_test.
func (e Exported) WriteNPZ(w io.Writer) error {
	arrays := []npy.Array{
		{Name: "X_train", Value: e.Learn.X}, {Name: "y_train", Value: e.Learn.Y}, {Name: "X_test", Value: e.Score.X},
		{Name: "y_test", Value: e.Score.Y},
		{Name: "rows_train", Value: e.Split.Train}, {Name: "rows_test", Value: e.Split.Test}, {Name: "folds_train",
			Value: e.folds()},
		{Name: "features", Value: e.Features}, {Name: "labels", Value: e.Labels},
	}
	if e.Learn.Task == registry.Regression {
		arrays = append(arrays, npy.Array{Name: "target_mean", Value: []float64{e.Target.Mean}},
			npy.Array{Name: "target_scale", Value: []float64{e.Target.Scale}})
	}
	return npy.WriteZip(w, arrays...)
}

// WriteCSV writes one line for each row: part (train or test), row of the data file, fold (of a training row), y and
// the features. Numbers are the shortest decimals that read back as the same float64. A feature's name that some
// spreadsheets would read as a formula gets a quotation mark before it.
func (e Exported) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(append([]string{"part", "row", "fold", "y"}, wording.SheetCells(e.Features)...)); err != nil {
		return err
	}
	number := func(x float64) string {
		if x != x {
			return "" // a gap
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	part := func(name string, d registry.Data, rows, folds []int) error {
		for i, row := range rows {
			fold := ""
			if folds != nil {
				fold = strconv.Itoa(folds[i])
			}
			line := []string{name, strconv.Itoa(row), fold, number(d.Y[i])}
			for _, v := range d.X.RawRowView(i) {
				line = append(line, number(v))
			}
			if err := out.Write(line); err != nil {
				return err
			}
		}
		return nil
	}
	if err := part("train", e.Learn, e.Split.Train, e.folds()); err != nil {
		return err
	}
	if err := part("test", e.Score, e.Split.Test, nil); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}
