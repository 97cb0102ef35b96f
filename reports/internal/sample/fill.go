package sample

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
)

// Size is the size of a database made by Fill.
type Size struct {
	Protocol, ProtocolHash string
	Methods, Datasets      []string
	Splits, Points, Folds  int
}

// Fill stores a finished run of every method on every set and split, with all evaluations of a grid search. Accuracies differ
// by method, set and split, and some are equal. The values are invented; only their number is realistic.
func Fill(t testing.TB, path string, size Size) (cells, evaluations int) {
	t.Helper()
	db, err := store.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	w := db.NewWriter(result.Environment{ProgramVersion: "v1", CPU: "cpu"}, nil)
	var grid []json.RawMessage
	for i := range size.Points {
		grid = append(grid, json.RawMessage(fmt.Sprintf(`{"c":%d}`, i)))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	const test = 100
	for s, set := range size.Datasets {
		for m, method := range size.Methods {
			for split := 1; split <= size.Splits; split++ {
				correct := 60 + s*2%20 + m%7 + rng.IntN(9)
				selected, seconds := rng.IntN(size.Points), 0.01*float64(1+m*s)+rng.Float64()
				run := result.Run{Key: fmt.Sprint(s, m, split), Protocol: size.Protocol, ProtocolHash: size.ProtocolHash, Method: method, MethodVersion: "1",
					Dataset: set, Fingerprint: "f", Split: split, Task: "binary", Status: result.OK, Grid: grid, GridHash: "g", Selected: &selected,
					TrainRows: 5 * test, TestRows: test, Test: counts(correct, test), FitSeconds: &seconds, PredictSeconds: &seconds, CPUSeconds: &seconds,
					StartedAt: "2026-01-01T00:00:00Z"}
				for g := range size.Points {
					for f := range size.Folds {
						run.Evaluations = append(run.Evaluations, result.Evaluation{GridIndex: g, Fold: f, Score: counts(correct, test), FitSeconds: seconds})
					}
				}
				if err := w.Put(run); err != nil {
					t.Fatal(err)
				}
				cells++
				evaluations += len(run.Evaluations)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return cells, evaluations
}

// counts is a score of a binary set by its correct rows.
func counts(correct, n int) result.Score {
	tp, fn, fp := correct/2, (n-correct)/2, (n-correct)-(n-correct)/2
	tn := correct - tp
	return result.Score{N: n, Correct: &correct, TN: &tn, FP: &fp, FN: &fn, TP: &tp}
}
