package split

import (
	"fmt"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/registry"
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
