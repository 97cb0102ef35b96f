package runner

import (
	"math"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

func TestBinaryCounts(t *testing.T) {
	y := []float64{1, 1, -1, -1, 1, -1}
	s := must.Get(newScore(registry.Shape{Task: registry.Binary, N: 6, D: 1, Classes: 2}, y, []float64{2, -1, 3, -4, 0,
		-5}))(t)
	if *s.TP != 2 || *s.FN != 1 || *s.FP != 1 || *s.TN != 2 || *s.Correct != 4 || s.N != 6 {
		t.Errorf("got tp %d fn %d fp %d tn %d correct %d n %d; a score of 0 counts as +1", *s.TP, *s.FN, *s.FP, *s.TN,
			*s.Correct, s.N)
	}
}

// Scores that stand for 0.9, 0.1, 0.35 and 1: the Brier score by hand. What no probability belongs to is an error.
func TestProbabilitiesOfScores(t *testing.T) {
	y, scores := []float64{1, -1, 1, 1}, []float64{0.4, -0.4, -0.15, 0.5}
	shifted := func(score float64) float64 { return score + 0.5 }
	s := binaryScore(y, scores)
	if err := addProbabilities(&s, shifted, y, scores); err != nil || math.Abs(*s.Brier-(0.01+0.01+0.4225)/4) > 1e-15 ||
		s.LogLoss == nil || s.ECE == nil {
		t.Errorf("%+v, %v", s, err)
	}
	scores[2] = 0.75
	s = binaryScore(y, scores)
	if err := addProbabilities(&s, shifted, y, scores); classOf(err) != result.ClassBadOutput ||
		!strings.Contains(err.Error(), "0.75 of row 2") || s.LogLoss != nil {
		t.Errorf("a probability of 1.25: %v, %+v", err, s)
	}
}

func TestNaNIsAnError(t *testing.T) {
	must.Say(t, must.Err(newScore(registry.Shape{Task: registry.Binary, N: 1, D: 1}, []float64{1},
		[]float64{math.NaN()})), "NaN")
}

func TestMulticlassTakesTheFirstLargest(t *testing.T) {
	sh := registry.Shape{Task: registry.Multiclass, N: 2, D: 1, Classes: 3}
	must.Be(t, *must.Get(newScore(sh, []float64{1, 2}, []float64{0, 5, 5, 1, 1, 1}))(t).Correct, 1)
}

// TestMeasuresAreNumbers: what is no number is an error, and no value of a score, be it for the size of targets, of
// predictions, or of their deviation from the mean.
func TestMeasuresAreNumbers(t *testing.T) {
	for _, c := range []struct {
		y, scores [2]float64
		wants     string
	}{
		{[2]float64{2e200, -3e199}, [2]float64{}, "the root mean squared error (rmse) is +Inf: a prediction"},
		{[2]float64{1, 2}, [2]float64{1e200, 0}, "(rmse) is +Inf"},
		{[2]float64{1e308, -1e308}, [2]float64{1e308, -1e308}, ""},
		{[2]float64{1e308, -1e308}, [2]float64{-1e308, 1e308}, "(rmse) is +Inf"},
		{[2]float64{0, 1e-160}, [2]float64{1, 1e150}, "(r2) is -Inf"},
		{[2]float64{1e150, 2}, [2]float64{1e150, 0}, ""},
	} {
		s, err := newScore(registry.Shape{Task: registry.Regression, N: 2, D: 1}, c.y[:], c.scores[:])
		if (err == nil) != (c.wants == "") || err != nil && !strings.Contains(err.Error(), c.wants) {
			t.Errorf("%v: %v, want %q", c, err, c.wants)
		} else if c.wants == "" {
			must.Do(t, s.Check("regression"))
		}
	}
}

// Values by hand: errors 1, -1, 2 on targets 0, 1, 2.
func TestRegressionErrors(t *testing.T) {
	s := regressionScore([]float64{0, 1, 2}, []float64{1, 0, 4})
	must.Near(t, *s.RMSE, math.Sqrt(2), 1e-15, "rmse")
	must.Near(t, *s.MAE, 4.0/3, 1e-15, "mae")
	must.Near(t, *s.R2, (-2), 1e-14, "r2")
	must.Be(t, regressionScore([]float64{3, 3}, []float64{3, 3}).R2, nil)
}
