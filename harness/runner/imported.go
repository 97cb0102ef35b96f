package runner

import (
	"fmt"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
)

// Imported returns the row of a cell whose test scores were computed elsewhere: given holds the scores of
// rows of the data file, counted from 0, one a row or, of several classes, one a class; in the unit of
// the data for regression. They are counted as a model's are. The row has no folds and no times, and
// its grid is a single point. It is an error unless exactly the test rows of the split have scores,
// all of them finite.
func (c CellSpec) Imported(p *protocol.Protocol, set *datasets.Set, given map[int][]float64) (result.Run, error) {
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
	scores := make([]float64, 0, shape.N*shape.Outputs())
	for _, row := range test {
		values, there := given[row]
		switch {
		case !there:
			return run, fmt.Errorf("%s: test row %d has no score; the test rows are those of `bench data splits %s --seed %d --format json`", c.Cell, row, c.Cell.Dataset, c.Cell.Split)
		case len(values) != shape.Outputs():
			return run, fmt.Errorf("%s: row %d has %d scores, the set needs %d", c.Cell, row, len(values), shape.Outputs())
		}
		scores = append(scores, values...)
	}
	if len(given) != len(test) {
		return run, fmt.Errorf("%s: %d rows have scores, and the split has %d test rows; leave the others out", c.Cell, len(given), len(test))
	}
	if run.Test, err = newScore(shape, whole.Score.Y, scores); err != nil {
		return run, fmt.Errorf("%s: %w", c.Cell, err)
	}
	only := 0
	run.Status, run.Selected = result.OK, &only
	run.ScoresHash, run.Outputs = result.HashScores(scores), shape.Outputs()
	if c.Keep != KeepNone {
		run.Scores = scores
	}
	return run, nil
}
