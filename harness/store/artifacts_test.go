package store

import (
	"context"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"pgregory.net/rapid"
)

// withArtifacts adds what a run may keep beside its counts.
func withArtifacts(r result.Run) result.Run {
	r.Scores, r.Outputs = []float64{-1.5, 2, 0.25, math.Copysign(0, -1)}, 1
	for len(r.Scores) < r.TestRows { // 18 of 30 are of class +1
		r.Scores = append(r.Scores, float64(len(r.Scores))-14.5)
	}
	r.ScoresHash = result.HashScores(r.Scores)
	r.Score.AUC2 = ptr(int64(400))
	for round := range 3 {
		r.Stages = append(r.Stages, result.Stage{Round: round + 1, Score: result.Score{N: 30, Correct: ptr(20 + round),
			TN: ptr(10), FP: ptr(1), FN: ptr(9 - round), TP: ptr(10 + round)}})
	}
	r.SeedTests = []result.SeedTest{
		{Seed: 1, ScoresHash: r.ScoresHash, Score: r.Score}, {Seed: 2, ScoresHash: r.ScoresHash,
			Score: r.Stages[1].Score},
	}
	r.Warnings = []result.Warning{{Text: "stopped early", Times: 3}, {Text: "capped", Times: 1}}
	r.Model = &result.Model{Data: []byte("a saved model"), Features: []string{"age", "height"}, Labels: []string{"no",
		"yes"}, Target: &result.Target{Mean: 1.5, Scale: 2}, Mean: []float64{1, 2}, Scale: []float64{3, 4}}
	r.Model.Dates = &result.Origins{Columns: []int{1}, Days: []float64{18000.5}}
	return r
}

// TestArtifactsComeBack, bit for bit.
func TestArtifactsComeBack(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	want := withArtifacts(testRun("k1", result.OK))
	bare := testRun("k2", result.OK)
	bare.Split, bare.ScoresHash = 2, "h"
	put(t, db, want, bare)
	got, found, err := db.Artifacts(context.Background(), "p", "d", "M", 1)
	if err != nil || !found || result.HashScores(got.Scores) != want.ScoresHash {
		t.Errorf("scores %v, %v, %v", got, found, err)
	}
	if !reflect.DeepEqual(got.Model, want.Model) {
		t.Errorf("model %+v, want %+v", got.Model, want.Model)
	}
	if got, found, err := db.Artifacts(context.Background(), "p", "d", "M", 2); err != nil || !found ||
		got.Scores != nil || got.Model != nil {
		t.Errorf("of a cell that keeps nothing: %+v, %v, %v", got, found, err)
	}
	if _, found, err := db.Artifacts(context.Background(), "p", "d", "M", 3); err != nil || found {
		t.Errorf("of no cell: %v, %v", found, err)
	}
	_, rows := query(t, db, `SELECT round, n_correct FROM stages ORDER BY round`)
	if len(rows) != 3 || !slices.Equal(rows[2], []any{int64(3), int64(22)}) {
		t.Errorf("stages %v", rows)
	}
	_, rows = query(t, db, `SELECT text, times FROM warnings ORDER BY number`)
	if len(rows) != 2 || !slices.Equal(rows[0], []any{"stopped early", int64(3)}) {
		t.Errorf("warnings %v", rows)
	}
	_, rows = query(t, db, `SELECT auc, scores_hash FROM results ORDER BY split`)
	if want := []any{400.0 / (2 * 11 * 19), want.ScoresHash}; !slices.Equal(rows[0], want) || rows[1][0] != nil {
		t.Errorf("auc and hash %v, want %v and NULL", rows, want)
	}
}

// TestPlanes are turned back to the same bits.
func TestPlanes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Float64()).Draw(t, "values")
		packed := must.Get(inflate(deflate(planes(values))))(t)
		got, err := fromPlanes(packed)
		if err != nil || result.HashScores(got) != result.HashScores(values) ||
			result.HashScores(fromDoubles(result.Doubles(values))) != result.HashScores(values) {
			t.Fatalf("%v come back as %v, %v", values, got, err)
		}
	})
}
