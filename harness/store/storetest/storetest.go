// Package storetest is for tests of the store: it makes results, and a file system below SQLite that fails
// (vfs_linux.go).
package storetest

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/kernelboosting/bench/harness/result"
)

// Finished is a run of a method on a split of a set that ended ok, with every field that a run can have.
func Finished(method, dataset string, split int) result.Run {
	counts := func(n, negative, correct, tn int) result.Score {
		tp, fp := correct-tn, negative-tn
		fn := n - negative - tp
		auc := int64(2*tn*tp + 1)
		return result.Score{N: n, Correct: &correct, TN: &tn, FP: &fp, FN: &fn, TP: &tp, AUC2: &auc}
	}
	selected, fit, bytes := 1, 0.25, int64(5)
	r := result.Run{
		Planned: result.Planned{
			Key: fmt.Sprintf("%s %s %d", method, dataset, split), Protocol: "p", ProtocolHash: "ph",
			ProtocolText: "splits = 3", ProtocolSplits: 3,
			Method: method, MethodVersion: "1", Dataset: dataset, Fingerprint: "f " + dataset, SetFile: "/sets/" +
				dataset + ".toml",
			Split: split, Task: "binary", GridHash: "g",
			Grid:        []json.RawMessage{json.RawMessage(`{"c":1}`), json.RawMessage(`{"c":2}`)},
			GridWritten: []json.RawMessage{json.RawMessage(`{"c":1}`), json.RawMessage(`{"c":2}`)}, Features: 4,
			CostUnits: 1e9,
		},
		Status:   result.OK,
		Selected: &selected, TrainRows: 28, TestRows: 30, Score: counts(30, 11, 27, 10),
		SearchSeconds: 0.5, FitSeconds: &fit, PredictSeconds: &fit, ModelBytes: &bytes,
		StartedAt: fmt.Sprintf("2026-01-01T00:00:%02dZ", split),
		Outputs:   1,
		Stages:    []result.Stage{{Round: 1, Score: counts(30, 11, 20, 8)}, {Round: 10, Score: counts(30, 11, 27, 10)}},
		Warnings:  []result.Warning{{Text: "stopped early", Times: 2}},
		Code:      "c0de", Imported: "a file",
		Environment: &result.Environment{ProgramVersion: "v1", CPU: "another", Cores: 3,
			Yardstick: result.Yardstick{Seconds: 0.005, Low: 0.004, High: 0.0075}},
		Model: &result.Model{Data: []byte("saved"), Features: []string{"a", "b", "c", "d"}, Labels: []string{"no",
			"yes"}, Target: &result.Target{Mean: 1.5, Scale: 2}, Mean: []float64{1, 2, 3, 4}, Scale: []float64{5, 6, 7,
			8}},
	}
	logLoss, brier, ece := 0.25, 0.0625, 0.1
	r.Score.LogLoss, r.Score.Brier, r.Score.ECE = &logLoss, &brier, &ece
	r.GridTests = []result.Score{counts(30, 11, 21, 9), counts(30, 11, 27, 10)}
	r.SeedTests = []result.SeedTest{{Seed: 1, Score: counts(30, 11, 27, 10)},
		{Seed: math.MaxUint32, ScoresHash: "another", Score: counts(30, 11, 25, 9)}}
	for i := range r.TestRows {
		r.Scores = append(r.Scores, float64(i-12)/7)
	}
	r.ScoresHash = result.HashScores(r.Scores)
	r.SeedTests[0].ScoresHash = r.ScoresHash
	for g := range 2 {
		for f := range 2 {
			score := counts(14, 6, 9+g, 5)
			r.Folds = append(r.Folds, result.Evaluation{GridIndex: g, Fold: f, Score: score, FitSeconds: 0.01})
		}
	}
	return r
}

// Condensed is the run with the folds of its selected grid point alone. A run that selected none has no folds then.
func Condensed(r result.Run) result.Run {
	all := r.Folds
	r.Folds = nil
	for _, e := range all {
		if r.Selected != nil && e.GridIndex == *r.Selected {
			r.Folds = append(r.Folds, e)
		}
	}
	return r
}
