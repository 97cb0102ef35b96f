package registry

import (
	"io"
)

// A TreeModel is a Model made of decision trees, which can be looked at.
type TreeModel interface {
	Model
	// TreeCount returns the number of trees.
	TreeCount() int
	// Importance returns for each feature the number of splits that use the feature, and the sum of their gains, in the
	// measure by which the method chooses splits.
	Importance() (splits []int, gain []float64)
	// Dump returns tree t, from 0, as indented text, one line a node. names are the
	// features' names, or nil for x0, x1, ...
	Dump(t int, names []string) (string, error)
	// MapThresholds returns the same trees for rows in other units: each split x_j <= v becomes x_j <= at(j, v). at
	// must not decrease in v.
	MapThresholds(at func(feature int, v float64) float64) TreeModel
}

// A LightGBMWriter is a TreeModel that LightGBM's text format can hold. WriteLightGBM writes version 3 of the format. A
// reader of the file gets the raw scores of Score, to the same bits if Score adds in double precision.
type LightGBMWriter interface {
	TreeModel
	WriteLightGBM(w io.Writer, names []string) error
}
