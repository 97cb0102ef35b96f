package result_test

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store/storetest"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestRunsAreChecked: each change makes a valid run one that no cell ends with.
func TestRunsAreChecked(t *testing.T) {
	for what, change := range map[string]func(r *result.Run){
		"an unknown end":    func(r *result.Run) { r.Status = "lost" },
		"no point":          func(r *result.Run) { r.Selected = nil },
		"a point too many":  func(r *result.Run) { r.Selected = new(len(r.Grid)) },
		"no environment":    func(r *result.Run) { r.Environment = nil },
		"a slow quartile":   func(r *result.Run) { r.Environment.Yardstick.Low = 1 },
		"no grid":           func(r *result.Run) { r.Grid = nil },
		"half a grid":       func(r *result.Run) { r.GridWritten = r.GridWritten[1:] },
		"no time":           func(r *result.Run) { r.StartedAt = "yesterday" },
		"a negative split":  func(r *result.Run) { r.Split = -1 },
		"time without end":  func(r *result.Run) { r.SearchSeconds = math.Inf(1) },
		"a negative size":   func(r *result.Run) { r.ModelBytes = new(int64(-1)) },
		"other test rows":   func(r *result.Run) { r.TestRows++ },
		"a fold is missing": func(r *result.Run) { r.Folds = r.Folds[1:] },
		"a fold twice":      func(r *result.Run) { r.Folds[1] = r.Folds[0] },
		"a fold too far":    func(r *result.Run) { r.Folds[1].Fold = 2 },
		"a fold took NaN s": func(r *result.Run) { r.Folds[1].FitSeconds = math.NaN() },
		"a fold disagrees":  func(r *result.Run) { r.Folds[2].Score.N++ },
		"counts disagree":   func(r *result.Run) { r.Score.N++; r.TestRows++ },
		"another task":      func(r *result.Run) { r.Task = "ranking" },
		"a test is missing": func(r *result.Run) { r.GridTests = r.GridTests[1:] },
		"a test disagrees":  func(r *result.Run) { r.GridTests[1].N++ },
		"a seed disagrees":  func(r *result.Run) { r.SeedTests[1].Score.N++ },
		"a stage disagrees": func(r *result.Run) { r.Stages[1].Score.N++ },
		"a negative round":  func(r *result.Run) { r.Stages[0].Round = -1 },
		"negative warnings": func(r *result.Run) { r.Warnings[0].Times = -1 },
	} {
		r := storetest.Finished("M", "d", 1)
		must.Do(t, r.Check())
		if change(&r); r.Check() == nil {
			t.Errorf("%s: the run is valid", what)
		}
	}
	r := storetest.Finished("M", "d", 1)
	if r.Status, r.Selected, r.Folds = result.Failed, nil, nil; r.Check() != nil {
		t.Error("a run that failed is refused for lack of a selected point and of folds")
	}
}

// TestPortable: Portable keeps only what a program on another machine reads, and does not change the given run.
func TestPortable(t *testing.T) {
	r := storetest.Finished("M", "d", 1)
	got := r.Portable()
	if got.Key != "" || got.Scores != nil || got.Outputs != 0 || got.Model != nil || got.Imported != "" ||
		got.SetFile != "" {
		t.Errorf("%+v", got)
	}
	for i, e := range got.Folds {
		if e.Fold != i/2 || e.GridIndex != i%2 || e.FitSeconds != r.SearchSeconds/4 {
			t.Errorf("fold %d is %+v", i, e)
		}
	}
	must.Be(t, r, storetest.Finished("M", "d", 1), "the given run")
	if r.Status = result.Failed; r.Portable().Key != r.Key {
		t.Error("the key of a run that failed does not follow from its inputs, but Portable removes it")
	}
}
