package runner

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
)

// Fits refuses a run that the cell cannot end with now: what FitsData refuses, and a run at another time.
func (c CellSpec) Fits(p *protocol.Protocol, r result.Run) error {
	return cmp.Or(c.FitsData(p, r), r.CheckClock())
}

// FitsData refuses a run that the cell cannot end with, under its protocol p: what protocol.Protocol.Fits refuses, and
// a run with other rows, classes, features, grid points or seeds than the plan's. It takes no word of the run for what
// the plan knows. The cost is the run's, since a result of a file has the one that was declared when it was computed.
func (c CellSpec) FitsData(p *protocol.Protocol, r result.Run) error {
	grid, features, cost := len(r.Grid), r.Features, r.CostUnits
	r.Planned = c.planned()
	r.CostUnits = cost
	if err := p.Fits(r); err != nil {
		return err
	}
	ok := r.Status == result.OK
	switch {
	case grid != 0 && grid != len(c.Grid):
		return fmt.Errorf("it has %d grid points, and the plan has %d", grid, len(c.Grid))
	case features != 0 && features != c.Shape.D:
		return fmt.Errorf("it has %d features, and the plan has %d", features, c.Shape.D)
	case r.TrainRows != c.Train && (ok || r.TrainRows != c.Shape.N) || r.TestRows != c.Test && (ok || r.TestRows != 0):
		return fmt.Errorf("it has %d training and %d test rows, and the plan %d and %d",
			r.TrainRows, r.TestRows, c.Train, c.Test)
	case ok && groupsOf(r.Score) != c.Groups:
		return fmt.Errorf("its parts have %d groups of rows, and the plan's have %d", groupsOf(r.Score), c.Groups)
	case ok && r.FitSeconds == nil:
		return fmt.Errorf("it has no time of a refit")
	case ok && !slices.Equal(r.Seeds(), c.Seeds):
		return fmt.Errorf("its tests have the seeds %v, and the plan has %v", r.Seeds(), c.Seeds)
	case r.Scores != nil && r.Outputs != c.Shape.Outputs():
		return fmt.Errorf("it has %d scores for each test row, and the plan has %d", r.Outputs, c.Shape.Outputs())
	}
	return cmp.Or(c.fitsKept(r), c.fitsClasses(r))
}

// fitsClasses refuses counts of classes that no split of the set gives. Folds of a set without groups have equal shares
// of the class, to a row.
func (c CellSpec) fitsClasses(r result.Run) error {
	can := c.Positive
	if can == [4]int{} || c.Canary != nil || r.Status != result.OK || r.Score.TP == nil {
		return nil
	}
	tested := *r.Score.TP + *r.Score.FN
	if tested < can[0] || tested > can[1] {
		return fmt.Errorf("%d of its %d test rows are of class +1, and the split has from %d to %d", tested, r.TestRows,
			can[0], can[1])
	}
	var folds []int
	both := tested
	for _, e := range r.Folds {
		if e.GridIndex == r.Folds[0].GridIndex {
			folds = append(folds, *e.Score.TP+*e.Score.FN)
			both += folds[len(folds)-1]
		}
	}
	if folds != nil && (both < can[2] || both > can[3]) {
		return fmt.Errorf("%d of its training and test rows are of class +1, and the split has from %d to %d", both,
			can[2], can[3])
	}
	if folds != nil && c.Groups == [2]int{} && slices.Max(folds)-slices.Min(folds) > 1 {
		return fmt.Errorf("its folds have %v rows of class +1, and need equal shares", folds)
	}
	return nil
}

func groupsOf(s result.Score) (n [2]int) {
	if s.TrainGroups != nil && s.TestGroups != nil {
		n = [2]int{int(*s.TrainGroups), int(*s.TestGroups)}
	}
	return n
}

// fitsKept refuses what the request did not ask to keep, and a canary's verdict that no canary has.
func (c CellSpec) fitsKept(r result.Run) error {
	switch {
	case r.Scores != nil && c.Keep == KeepNone, r.Model != nil && c.Keep != KeepModels:
		return fmt.Errorf("it has scores or a model, and the run keeps %s", c.Keep)
	case (r.Canary != nil) != (c.Canary != nil):
		return fmt.Errorf("it is a canary and a result at once")
	case r.Canary == nil:
	case !(r.Canary.P >= 0 && r.Canary.P <= 1) || r.Canary.Constant < 0 || r.Canary.Constant > c.Test:
		return fmt.Errorf("its canary has p = %v and %d rows", r.Canary.P, r.Canary.Constant)
	}
	return nil
}

// MostBytes is more than a run of the cell takes as JSON under its protocol p, without a model.
func (c CellSpec) MostBytes(p *protocol.Protocol) int {
	sem := p.Semantics
	scores := len(c.Grid)*(sem.Folds+1) + len(sem.Rounds) + len(c.Seeds)
	return 1<<20 + 1<<10*scores + 32*c.Test*c.Shape.Outputs()
}
