package runner

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/split"
)

// mostAhead is how far the clock of another machine may be ahead of this one's.
const mostAhead = 24 * time.Hour

// Fits refuses a run that the cell cannot end with, under its protocol p: what protocol.Protocol.Fits refuses, and a
// run with other rows, features, grid points or seeds than the plan's. It takes no word of the run for what the plan
// knows. The cost is the run's, since a result of a file has the one that was declared when it was computed.
func (c CellSpec) Fits(p *protocol.Protocol, r result.Run) error {
	grid, features, cost := len(r.Grid), r.Features, r.CostUnits
	r.Planned = c.planned()
	r.CostUnits = cost
	if err := p.Fits(r); err != nil {
		return err
	}
	began, err := time.Parse(time.RFC3339Nano, r.StartedAt)
	ok := r.Status == result.OK
	switch {
	case err != nil || time.Until(began) > mostAhead:
		return fmt.Errorf("it started at %s, which is to come", r.StartedAt)
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
	return cmp.Or(c.fitsKept(r), c.fitsClasses(p, r))
}

// fitsClasses refuses counts that no stratified split of the set gives: each part of the rows has its share of each
// class, to a row in a drawn part and to two rows in a part of k-fold cross-validation.
func (c CellSpec) fitsClasses(p *protocol.Protocol, r result.Run) error {
	positive, rows := c.Classes[1], c.Classes[0]+c.Classes[1]
	if rows == 0 || c.Canary != nil || r.Status != result.OK || r.Score.TP == nil {
		return nil
	}
	most := 1
	if p.Semantics.Splitter().Kind == split.KFold {
		most = 2
	}
	share := func(have, of, part, whole, most int) bool {
		return max(have*whole-of*part, of*part-have*whole) <= most*whole
	}
	tested := *r.Score.TP + *r.Score.FN
	if !share(tested, positive, r.TestRows, rows, most) {
		return fmt.Errorf("%d of its %d test rows are of class +1, and %d of all %d rows are", tested, r.TestRows,
			positive, rows)
	}
	if len(r.Folds) == 0 || r.TrainRows+r.TestRows != rows {
		return nil
	}
	trained, held := positive-tested, 0
	for _, e := range r.Folds {
		if e.GridIndex != r.Folds[0].GridIndex {
			continue
		}
		own := *e.Score.TP + *e.Score.FN
		if held += own; !share(own, trained, 1, p.Semantics.Folds, 1) {
			return fmt.Errorf("%d rows of fold %d are of class +1, and %d of all %d training rows are", own, e.Fold,
				trained, r.TrainRows)
		}
	}
	if held != trained {
		return fmt.Errorf("%d rows of its folds are of class +1, and %d of its training rows are", held, trained)
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
