package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A Predictor scores rows in the units of the data file with a kept model.
type Predictor struct {
	Features []string // the columns of a row
	Labels   []string // the classes' names, -1 before +1 or 0..K-1; nil for regression

	model   registry.Model
	kept    *result.Model
	outputs int
}

// NewPredictor loads the kept model of a cell of the method.
func NewPredictor(spec registry.Spec, l result.Run) (*Predictor, error) {
	if l.Model == nil {
		return nil, errors.New("no model is kept")
	}
	if l.MethodVersion != spec.Version {
		return nil, fmt.Errorf("the model is of version %s of %s, this program has version %s; run the cell again "+
			"with it", l.MethodVersion, spec.Name, spec.Version)
	}
	task, err := registry.ParseTask(l.Task)
	if err != nil {
		return nil, err
	}
	model, err := spec.LoadModel(bytes.NewReader(l.Model.Data))
	if err != nil {
		return nil, err
	}
	sh := registry.Shape{Task: task, Classes: len(l.Model.Labels)}
	return &Predictor{Features: l.Model.Features, Labels: l.Model.Labels, model: model, kept: l.Model,
		outputs: sh.Outputs()}, nil
}

// Gaps reports whether rows may have gaps, NaN.
func (p *Predictor) Gaps() bool { return p.kept.Gaps != nil }

// Dates returns the features that count days. Two others of the same column of dates follow each.
func (p *Predictor) Dates() []int {
	if p.kept.Dates == nil {
		return nil
	}
	return p.kept.Dates.Columns
}

// Outputs returns the number of scores per row.
func (p *Predictor) Outputs() int { return p.outputs }

// Scores returns the scores of x's rows, row by row. Gaps are filled and rows are standardised as in the model's cell.
func (p *Predictor) Scores(ctx context.Context, x *mat.Dense) ([]float64, error) {
	n, d := x.Dims()
	if d != len(p.Features) {
		return nil, fmt.Errorf("rows of %d columns for a model of %d", d, len(p.Features))
	}
	in := datasets.Inputs{Dates: (*datasets.Origins)(p.kept.Dates), Gaps: (*datasets.Imputer)(p.kept.Gaps)}
	if p.kept.Mean != nil {
		in.Scale = &datasets.Standardiser{Mean: p.kept.Mean, Scale: p.kept.Scale}
	}
	x = in.Apply(x, nil)
	out := make([]float64, n*p.outputs)
	if err := p.model.Score(ctx, x, out); err != nil {
		return nil, err
	}
	if t := p.kept.Target; t != nil {
		split.TargetScale(*t).Invert(out)
	}
	return out, nil
}

// Label returns the name of the class that a row's scores mean. As in the tests, one score decides by its sign, where 0
// is the second class; of several scores the first of the largest decides.
func (p *Predictor) Label(scores []float64) string {
	if p.outputs == 1 {
		if scores[0] >= 0 {
			return p.Labels[1]
		}
		return p.Labels[0]
	}
	return p.Labels[largest(scores)]
}
