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

// Fits refuses a run that no cell of the protocol can end with. It checks the run alone (result.Run.Check), and for
// one that ended ok the number and the sizes of the folds, the grid point that follows from them, and which tests
// there are. A run that was imported may lack all folds, since files of results may. One whose test scores another
// program gave also has no times.
func (p *Protocol) Fits(r result.Run) error {
	if err := r.Check(); err != nil || r.Status != result.OK {
		return err
	}
	points, folds := len(r.Grid), p.Semantics.Folds
	without := r.Imported != "" && len(r.Folds) == 0
	switch {
	case r.FitSeconds == nil && !(without && points == 1):
		return errors.New("it has no time of a refit")
	case folds == 0 && points != 1, len(r.Folds) != folds*points && !without:
		return fmt.Errorf("%d evaluations are there, of %d grid points on %d folds", len(r.Folds), points, folds)
	}
	if !without {
		if err := p.fitsFolds(r, folds); err != nil {
			return err
		}
	}
	return p.fitsTests(r)
}

// fitsFolds compares the sizes of the folds with those that split.Splitter draws, and the selected grid point with the
// one that follows.
func (p *Protocol) fitsFolds(r result.Run, folds int) error {
	if folds == 0 {
		return nil
	}
	areas := true // results of an early program lack them
	scores := make([][]result.Score, len(r.Grid))
	for g := range scores {
		scores[g] = make([]result.Score, folds)
	}
	for _, e := range r.Folds {
		want := split.FoldSize(r.TrainRows, folds, e.Fold)
		if e.Score.N != want && r.Score.TestGroups == nil { // groups make folds of other sizes; Run.Check adds them up
			return fmt.Errorf("fold %d has %d rows, of %d it has %d", e.Fold, e.Score.N, r.TrainRows, want)
		}
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

// fitsTests checks the sizes of the two parts, as far as the protocol alone says them, and which tests there are.
func (p *Protocol) fitsTests(r result.Run) error {
	sem := p.Semantics
	grouped := r.Score.TestGroups != nil
	if grouped && *r.Score.TrainGroups < int64(sem.Folds) {
		return fmt.Errorf("%d groups were learned from, too few for %d folds", *r.Score.TrainGroups, sem.Folds)
	}
	if !sem.Splitter().Possible(r.TrainRows, r.TestRows, grouped) {
		return fmt.Errorf("the protocol divides no rows into %d to learn from and %d to test", r.TrainRows, r.TestRows)
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
