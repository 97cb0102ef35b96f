package split

import (
	"fmt"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// Parts makes the rows that methods see of a split: the training and validation rows of each fold, and the training and
// test rows of the whole split. Values that fill gaps, means and scales are computed from the training rows alone.
type Parts struct {
	Set         *datasets.Set
	Split       Split
	Standardise bool // centre and scale the columns
	ScaleTarget bool // centre and scale the targets of a regression
}

// A Part is a copy of some rows to learn from and of some rows to score.
type Part struct {
	Learn registry.Data
	Score registry.Data // with targets in the unit of the data

	Inputs datasets.Inputs // the transformation of the columns of both
	Target TargetScale     // of the targets of Learn, and so of the predictions of a model
}

// Fold returns the part of fold f, counted from 0. It is an error if a column or the targets cannot be scaled
// in float64.
func (p Parts) Fold(f int) (Part, error) { return p.of(p.Split.Fold(f)) }

// Whole returns the part with all training rows and the test rows, with the errors of Fold.
func (p Parts) Whole() (Part, error) { return p.of(p.Split.Train, p.Split.Test) }

func (p Parts) of(learn, score []int) (Part, error) {
	part := Part{Target: unscaled}
	var err error
	if part.Inputs, err = datasets.FitInputs(p.Set, learn, p.Standardise); err != nil {
		return Part{}, err
	}
	data := func(rows []int) registry.Data {
		d := p.Set.Data()
		d.X, d.Y = part.Inputs.Apply(p.Set.X, rows), at(p.Set.Y, rows)
		return d
	}
	part.Learn, part.Score = data(learn), data(score)
	if p.ScaleTarget && p.Set.Task == registry.Regression {
		if part.Target, err = FitTarget(part.Learn.Y); err != nil {
			return Part{}, fmt.Errorf("%s: %w", p.Set.Name, err)
		}
		part.Target.Apply(part.Learn.Y)
	}
	return part, nil
}

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
