package protocol

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/registry"
)

// Fits refuses a run that no cell of the protocol can end with. Every run must pass result.Run.Check. A run that ended
// ok must also have the folds of the protocol, the grid point that these folds select, and the tests that the protocol
// asks for.
//
// An imported run may lack all folds, or have those of the selected grid point alone, since files of results may. It
// may also lack times if another program computed the test scores.
func (p *Protocol) Fits(r result.Run) error {
	if err := r.Check(); err != nil || r.Status != result.OK {
		return err
	}
	points, folds := len(r.Grid), p.Semantics.Folds
	noFolds := r.Imported != "" && len(r.Folds) == 0
	evaluated := points
	if r.Imported != "" && r.Condensed() {
		evaluated = 1
	}
	switch {
	case r.FitSeconds == nil && !(noFolds && points == 1):
		return errors.New("it has no time of a refit")
	case folds == 0 && points != 1, len(r.Folds) != folds*evaluated && !noFolds:
		return fmt.Errorf("it has %d evaluations for %d grid points and %d folds", len(r.Folds), points, folds)
	}
	if !noFolds {
		if err := p.fitsFolds(r, folds); err != nil {
			return err
		}
	}
	return p.fitsTests(r)
}

// fitsFolds compares the sizes of the folds with those that split.Splitter draws, and the selected grid point with the
// one that the scores on the folds select, unless r is condensed.
func (p *Protocol) fitsFolds(r result.Run, folds int) error {
	if folds == 0 {
		return nil
	}
	for _, e := range r.Folds {
		want := split.FoldSize(r.TrainRows, folds, e.Fold)
		if e.Score.N != want && r.Score.TestGroups == nil { // groups make folds of other sizes; Run.Check adds them up
			return fmt.Errorf("fold %d has %d of %d training rows, and needs %d", e.Fold, e.Score.N, r.TrainRows, want)
		}
	}
	if r.Condensed() {
		return nil
	}
	areas := true // scores of two classes have AUC2, which results of early versions of the program lack
	scores := make([][]result.Score, len(r.Grid))
	for g := range scores {
		scores[g] = make([]result.Score, folds)
	}
	for _, e := range r.Folds {
		scores[e.GridIndex][e.Fold] = e.Score
		areas = areas && (e.Score.TP == nil || e.Score.AUC2 != nil)
	}
	task, err := registry.ParseTask(r.Task)
	if err != nil {
		return err
	}
	by, err := metric.ForSelection(p.Semantics.Metric, task)
	if err != nil {
		return err
	}
	if best := metric.Select(by, scores); areas && best != *r.Selected {
		return fmt.Errorf("grid point %d is selected, and the folds select %d", *r.Selected, best)
	}
	return nil
}

// fitsTests checks the numbers of training and test rows as far as the protocol alone decides them. It also checks that
// the run has the tests that the protocol asks for.
func (p *Protocol) fitsTests(r result.Run) error {
	sem := p.Semantics
	grouped := r.Score.TestGroups != nil
	if grouped && *r.Score.TrainGroups < int64(sem.Folds) {
		return fmt.Errorf("%d groups of training rows are too few for %d folds", *r.Score.TrainGroups, sem.Folds)
	}
	if !sem.Splitter().Possible(r.TrainRows, r.TestRows, grouped) {
		return fmt.Errorf("the protocol never gives %d training rows and %d test rows", r.TrainRows, r.TestRows)
	}
	if there := len(r.GridTests) > 0; there != sem.TestGrid && r.FitSeconds != nil {
		return fmt.Errorf("%d grid points are tested, and test_grid is %v", len(r.GridTests), sem.TestGrid)
	}
	for i, s := range r.Stages {
		if i >= len(sem.Rounds) || s.Round != sem.Rounds[i] {
			return fmt.Errorf("it is tested after round %d, and the protocol's rounds are %v", s.Round, sem.Rounds)
		}
	}
	seeds := r.Seeds()
	drawn := func(testPart bool) bool { return slices.Equal(seeds, sem.Seeds(r.Split, testPart)) }
	if r.FitSeconds != nil && !drawn(false) && !drawn(true) {
		return fmt.Errorf("the tests have the seeds %v, which are not the protocol's", seeds)
	}
	return nil
}
