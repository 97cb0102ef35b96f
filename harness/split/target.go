package split

import (
	"github.com/kernelboosting/bench/datasets"
	"gonum.org/v1/gonum/mat"
)

// A TargetScale says in which unit methods learn the targets of a regression: (y - Mean) / Scale.
type TargetScale struct {
	Mean, Scale float64
}

// unscaled leaves targets and predictions as they are.
var unscaled = TargetScale{Scale: 1}

// FitTarget takes the mean and the population standard deviation of the targets that a method learns from, at
// least one target. The scale of constant targets is 1. It is an error if float64 cannot hold the mean or the
// scale: see [datasets.Standardiser.Check].
func FitTarget(y []float64) (TargetScale, error) {
	column := mat.NewDense(len(y), 1, y)
	s := datasets.FitStandardiser(column, nil)
	if err := s.Check(column, nil, []string{"target"}); err != nil {
		return TargetScale{}, err
	}
	return TargetScale{s.Mean[0], s.Scale[0]}, nil
}

// Apply scales targets in place.
func (t TargetScale) Apply(y []float64) {
	if t == unscaled {
		return
	}
	for i, v := range y {
		y[i] = (v - t.Mean) / t.Scale
	}
}

// Invert turns predictions of scaled targets into the unit of the data, in place. A finite prediction may
// become infinite.
func (t TargetScale) Invert(predictions []float64) {
	if t == unscaled {
		return
	}
	for i, v := range predictions {
		predictions[i] = float64(v*t.Scale) + t.Mean
	}
}
