package harness

import (
	"testing"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestProbabilitiesAreStored of methods that declare some, and of no others: a sure probability of the label that a
// row is given makes the Brier score the share of errors.
func TestProbabilitiesAreStored(t *testing.T) {
	sure := func(score float64) float64 {
		if score >= 0 {
			return 1
		}
		return 0
	}
	for _, declared := range []bool{true, false} {
		spec := centroids()
		if declared {
			spec.Probability = sure
		}
		h, db := newTestHarness(t, spec), openTestDB(t)
		runAll(t, h, db, plan.Request{Splits: []int{1, 2}}, schedule.Options{Jobs: 2}, nil)
		rows := must.Get(db.Rows(t.Context(), h.Protocol.Name, true))(t)
		must.Be(t, len(rows), 4)
		for _, r := range rows {
			switch s := r.Score; {
			case !declared && s.Brier == nil && s.LogLoss == nil && s.ECE == nil:
			case !declared:
				t.Errorf("%s: a Brier score of a method without probabilities", r.Dataset)
			case s.Brier == nil || *s.Brier != float64(s.N-*s.Correct)/float64(s.N) || *s.LogLoss < *s.Brier ||
				*s.ECE > *s.Brier:
				t.Errorf("%s: %+v", r.Dataset, s)
			}
			for _, e := range r.Folds {
				if e.Score.Brier != nil {
					t.Fatal("a fold has a Brier score")
				}
			}
		}
	}
}
