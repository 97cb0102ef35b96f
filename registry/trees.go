package registry

import (
	"io"
)

// A TreeModel is a Model made of decision trees, which can be looked at.
type TreeModel interface {
	Model
	// TreeCount returns the number of trees.
	TreeCount() int
	// Importance returns, for each feature, how many splits use it and the sum of
	// what they gain, in the measure by which the method chooses splits.
	Importance() (splits []int, gain []float64)
	// Dump returns tree t, from 0, as indented text, one line a node. names are the
	// features' names, or nil for x0, x1, ...
	Dump(t int, names []string) (string, error)
	// MapThresholds returns the same trees with each split x_j <= v replaced by
	// x_j <= at(j, v): for rows of other units. at does not decrease in v.
	MapThresholds(at func(feature int, v float64) float64) TreeModel
}

// A LightGBMWriter is a TreeModel that LightGBM's text format can hold: WriteLightGBM
// writes version 3 of it, and who reads that gets the raw scores of Score, to the same bits
// if Score adds in double precision.
type LightGBMWriter interface {
	TreeModel
	WriteLightGBM(w io.Writer, names []string) error
}
