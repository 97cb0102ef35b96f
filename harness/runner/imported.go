package runner

import (
	"cmp"
	"fmt"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/registry"
)

// Imported returns the run of a cell whose test scores another program computed. scores holds the scores by row of the
// data file, counted from 0. A row has one score, or with several classes one score for each class. Predictions of a
// regression are in the unit of the data. The run has no folds and no times, and its grid has a single grid point. It
// is an error unless exactly the test rows of the split have scores, all of them finite. of, which may be nil, turns
// scores of two classes into probabilities.
func (c CellSpec) Imported(
	p *protocol.Protocol, set *datasets.Set, scores map[int][]float64, of registry.Probability,
) (result.Run, error) {
	run := c.NewRun()
	parts, err := partsOf(p, set, c.Cell)
	if err != nil {
		return run, err
	}
	test := parts.Split.Test
	run.TrainRows, run.TestRows = len(parts.Split.Train), len(test)
	whole, err := parts.Whole()
	if err != nil {
		return run, err
	}
	shape := whole.Score.Shape()
	values := make([]float64, 0, shape.N*shape.Outputs())
	for _, row := range test {
		own, there := scores[row]
		switch {
		case !there:
			return run, fmt.Errorf("%s: test row %d has no score; `bench data splits SET --protocol %s --seed %d "+
				"--format json` says the test rows, where SET is what --datasets takes", c.Cell, row,
				cmp.Or(p.Path, p.Shown()), c.Cell.Split)
		case len(own) != shape.Outputs():
			return run, fmt.Errorf("%s: row %d has %d scores, the set needs %d", c.Cell, row, len(own), shape.Outputs())
		}
		values = append(values, own...)
	}
	if len(scores) != len(test) {
		return run, fmt.Errorf("%s: %d rows have scores, and the split has %d test rows; give scores of the test rows "+
			"alone", c.Cell, len(scores), len(test))
	}
	if run.Score, err = newScore(shape, whole.Score.Y, values); err != nil {
		return run, fmt.Errorf("%s: %w", c.Cell, err)
	}
	if err := c.keepScores(&run, parts, whole, values, of); err != nil {
		return run, fmt.Errorf("%s: %w", c.Cell, err)
	}
	run.Status, run.Selected = result.OK, new(0)
	return run, nil
}
