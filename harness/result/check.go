package result

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Check refuses a run that no cell can end with: a score of another task, folds of grid points that are not there, an
// amount that is negative.
func (r Run) Check() error {
	if _, err := time.Parse(time.RFC3339Nano, r.StartedAt); err != nil {
		return fmt.Errorf("it started at %q, which is no time", r.StartedAt)
	}
	counts := []int{r.Split, r.TrainRows, r.TestRows, r.Features, r.ProtocolSplits}
	for _, s := range r.Stages {
		counts = append(counts, s.Round)
	}
	for _, w := range r.Warnings {
		counts = append(counts, w.Times)
	}
	if slices.Min(counts) < 0 || slices.Max(counts) > mostRows {
		return fmt.Errorf("a number of rows, columns, splits, rounds or warnings is out of range: %d", counts)
	}
	amounts := []*float64{&r.SearchSeconds, &r.CostUnits, r.FitSeconds, r.PredictSeconds, r.CPUSeconds, r.TimeoutSeconds}
	for _, size := range []*int64{r.PeakRSSBytes, r.ModelBytes} {
		if size != nil {
			amounts = append(amounts, new(float64(*size)))
		}
	}
	for i := range r.Folds {
		amounts = append(amounts, &r.Folds[i].FitSeconds)
	}
	for _, v := range amounts {
		if v != nil && !(*v >= 0 && *v <= math.MaxFloat64) {
			return fmt.Errorf("a time, a cost or a size is %v", *v)
		}
	}
	switch {
	case r.Environment == nil:
		return errors.New("it has no environment")
	case r.GridWritten != nil && len(r.GridWritten) != len(r.Grid):
		return fmt.Errorf("%d of %d grid points are as their author wrote them", len(r.GridWritten), len(r.Grid))
	case r.Status == OK:
		return r.checkScores()
	case r.Status != Failed && r.Status != Timeout:
		return fmt.Errorf("it ended %q", r.Status)
	}
	return nil
}

// checkScores checks what a cell has that ended ok.
func (r Run) checkScores() error {
	points := len(r.Grid)
	switch {
	case r.Selected == nil || *r.Selected < 0 || *r.Selected >= points:
		return fmt.Errorf("none of the %d grid points is selected", points)
	case r.TestRows != r.Score.N:
		return fmt.Errorf("%d of %d rows are tested", r.Score.N, r.TestRows)
	case len(r.Folds)%points != 0 || len(r.GridTests)%points != 0 || len(r.GridTests) > points:
		return fmt.Errorf("of %d grid points there are %d evaluations and %d tests", points, len(r.Folds), len(r.GridTests))
	}
	var err error
	r.EachScore(func(s *Score) {
		if err == nil {
			err = s.Check(r.Task)
		}
	})
	seen := make([]bool, len(r.Folds))
	for _, e := range r.Folds {
		at := e.Fold*points + e.GridIndex
		if e.GridIndex < 0 || e.GridIndex >= points || e.Fold < 0 || e.Fold >= len(seen)/points || seen[at] {
			return fmt.Errorf("fold %d of grid point %d is there twice or out of range", e.Fold, e.GridIndex)
		}
		seen[at] = true
	}
	return err
}

// EachScore calls do for every score of the run.
func (r *Run) EachScore(do func(*Score)) {
	do(&r.Score)
	for i := range r.GridTests {
		do(&r.GridTests[i])
	}
	for i := range r.Stages {
		do(&r.Stages[i].Score)
	}
	for i := range r.SeedTests {
		do(&r.SeedTests[i].Score)
	}
	for i := range r.Folds {
		do(&r.Folds[i].Score)
	}
}

// Portable returns the run as a program on another machine can use it: without scores, model, paths and what a
// database knows of the run. The key of a run that is ok is left out, since it follows from the inputs. The folds are
// in order. They take equal parts of the search's time, since no table is made from theirs.
func (r Run) Portable() Run {
	if r.Status == OK {
		r.Key = ""
	}
	r.Scores, r.Outputs, r.Model, r.Canary, r.Point = nil, 0, nil, nil, nil
	r.ProtocolPath, r.SetFile, r.Imported, r.Replace, r.Superseded = "", "", "", false, false
	r.Folds = slices.Clone(r.Folds)
	slices.SortFunc(r.Folds, func(a, b Evaluation) int {
		return cmp.Or(cmp.Compare(a.Fold, b.Fold), cmp.Compare(a.GridIndex, b.GridIndex))
	})
	for i := range r.Folds {
		r.Folds[i].FitSeconds = r.SearchSeconds / float64(len(r.Folds))
	}
	return r
}
