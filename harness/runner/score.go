package runner

import (
	"fmt"
	"math"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/registry"
)

// unwritten fills the scores before a model writes them. It is a NaN with a payload that arithmetic does not
// produce.
var unwritten = math.Float64frombits(0x7ff8_6e6f_7473_6574)

// newScore counts the rows of y that scores (n x Outputs, row-major) predict correctly. A score that is not finite is
// an error of the method.
func newScore(sh registry.Shape, y, scores []float64) (result.Score, error) {
	for i, s := range scores {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			said := fmt.Sprintf("is %v", s)
			if math.Float64bits(s) == math.Float64bits(unwritten) {
				said = "was never written"
			}
			return result.Score{}, badOutput("the model's score %d of row %d %s", i%sh.Outputs(), i/sh.Outputs(), said)
		}
	}
	switch sh.Task {
	case registry.Binary:
		return binaryScore(y, scores), nil
	case registry.Multiclass:
		return multiclassScore(y, scores, sh.Classes), nil
	default:
		s := regressionScore(y, scores)
		return s, measurable(s)
	}
}

// measurable refuses a score with a value that is no number, such as the mean of squares that are too large.
func measurable(s result.Score) error {
	for _, f := range result.Fields() {
		if v, is := f.Value(&s).(float64); is && (math.IsNaN(v) || math.IsInf(v, 0)) {
			return fmt.Errorf("the %s (%s) is %v: a prediction or a target is too large or too small for squares of "+
				"errors; write the targets in another unit", f.Title, f.Name, v)
		}
	}
	return nil
}

// binaryScore takes the sign of a score as the label; 0 is +1.
func binaryScore(y, scores []float64) result.Score {
	var tn, fp, fn, tp int
	for i, s := range scores {
		switch positive := s >= 0; {
		case positive && y[i] > 0:
			tp++
		case positive:
			fp++
		case y[i] > 0:
			fn++
		default:
			tn++
		}
	}
	correct, auc := tn+tp, metric.AUC2(y, scores)
	return result.Score{N: len(y), Correct: &correct, TN: &tn, FP: &fp, FN: &fn, TP: &tp, AUC2: &auc}
}

// multiclassScore predicts the class with the largest score, the first of them if several are largest.
func multiclassScore(y, scores []float64, classes int) result.Score {
	correct := 0
	for i := range y {
		if float64(largest(scores[i*classes:(i+1)*classes])) == y[i] {
			correct++
		}
	}
	return result.Score{N: len(y), Correct: &correct}
}

// largest returns the place of the largest score, the first of them if several are largest.
func largest(scores []float64) (best int) {
	for c, s := range scores {
		if s > scores[best] {
			best = c
		}
	}
	return best
}

// regressionScore computes the root mean squared error, the mean absolute error and R² = 1 - (squared error)/(squared
// deviation from the mean). R² is absent if y is constant, and NaN or infinite where squares are not finite.
func regressionScore(y, scores []float64) result.Score {
	n := float64(len(y))
	var squares, absolute, mean, deviation float64
	for i, s := range scores {
		d := s - y[i]
		squares += float64(d * d)
		absolute += math.Abs(d)
		mean += y[i] / n
	}
	for _, v := range y {
		d := v - mean
		deviation += float64(d * d)
	}
	s := result.Score{N: len(y), RMSE: new(math.Sqrt(squares / n)), MAE: new(absolute / n)}
	if deviation > 0 {
		s.R2 = new(1 - squares/deviation)
	}
	return s
}

func addProbabilities(s *result.Score, of func(score float64) float64, y, scores []float64) error {
	p := make([]float64, len(scores))
	for i, v := range scores {
		if p[i] = of(v); !(p[i] >= 0 && p[i] <= 1) {
			return badOutput("as the method declares, the model's score %v of row %d means the probability %v, which "+
				"is not between 0 and 1", v, i, p[i])
		}
	}
	logLoss, brier, ece := metric.OfProbabilities(y, p)
	s.LogLoss, s.Brier, s.ECE = &logLoss, &brier, &ece
	return nil
}

// addGroups adds how many groups a test's rows and its training rows are of, in a set with groups.
func addGroups(s *result.Score, parts split.Parts) {
	if of := parts.Set.Groups; of != nil {
		s.TrainGroups, s.TestGroups = new(int64(of.Count(parts.Split.Train))), new(int64(of.Count(parts.Split.Test)))
	}
}
