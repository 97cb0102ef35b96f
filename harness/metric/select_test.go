package metric

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"pgregory.net/rapid"
)

// bestMean is Select by its definition: means over the folds where m exists, as rationals.
func bestMean(m Metric, folds [][]result.Score) int {
	var best *big.Rat
	at := 0
	for g, scores := range folds {
		sum, n := new(big.Rat), int64(0)
		for _, s := range scores {
			if v := m.Of(s); v != nil {
				sum.Add(sum, v)
				n++
			}
		}
		if n == 0 {
			continue
		}
		sum.Quo(sum, big.NewRat(n, 1))
		if better := best != nil && (m.Better == Higher && sum.Cmp(best) > 0 || m.Better == Lower &&
			sum.Cmp(best) < 0); best == nil || better {
			best, at = sum, g
		}
	}
	return at
}

// drawFolds draws scores of a task: the classes of a fold's rows are the same for every grid point.
func drawFolds(t *rapid.T, task registry.Task) [][]result.Score {
	count := func(n int, what string) *int {
		k := rapid.IntRange(0, n).Draw(t, what)
		return &k
	}
	folds := make([][]result.Score, rapid.IntRange(1, 8).Draw(t, "points"))
	for range rapid.IntRange(1, 5).Draw(t, "folds") {
		positive, negative := rapid.IntRange(0, 6).Draw(t, "positive"), rapid.IntRange(1, 6).Draw(t, "negative")
		n := positive + negative
		for g := range folds {
			s := result.Score{N: n}
			switch task {
			case registry.Binary:
				s.TP, s.TN = count(positive, "tp"), count(negative, "tn")
				fn, fp, correct, auc2 := positive-*s.TP, negative-*s.TN, *s.TP+*s.TN,
					int64(*count(2*positive*negative, "auc2"))
				s.FN, s.FP, s.Correct, s.AUC2 = &fn, &fp, &correct, &auc2
			case registry.Multiclass:
				s.Correct = count(n, "correct")
			default:
				rmse, mae, r2 := rapid.Float64Range(0, 2).Draw(t, "rmse"), float64(*count(4, "mae"))/4,
					1-float64(*count(4, "r2"))/3
				s.RMSE, s.MAE, s.R2 = &rmse, &mae, &r2
			}
			folds[g] = append(folds[g], s)
		}
	}
	return folds
}

// perfect returns the score of a fold whose rows are all predicted as they are.
func perfect(s result.Score, task registry.Task) result.Score {
	none, zero, one := 0, 0.0, 1.0
	switch task {
	case registry.Binary:
		positive, negative := *s.TP+*s.FN, *s.TN+*s.FP
		pairs := 2 * int64(positive) * int64(negative)
		return result.Score{N: s.N, Correct: &s.N, TP: &positive, TN: &negative, FP: &none, FN: &none, AUC2: &pairs}
	case registry.Multiclass:
		return result.Score{N: s.N, Correct: &s.N}
	}
	return result.Score{N: s.N, RMSE: &zero, MAE: &zero, R2: &one}
}

// values writes what a score holds.
func values(s result.Score) (text string) {
	for _, f := range result.Fields() {
		if v := f.Value(&s); v != nil {
			text += fmt.Sprintf(" %s=%v", f.Name, v)
		}
	}
	return text
}

// TestContract: what every metric keeps, so that selection, means and ranks are right. The predictions of a fold are of
// the same rows for every grid point.
func TestContract(t *testing.T) {
	for _, m := range All() {
		t.Run(m.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				task := rapid.SampledFrom([]registry.Task{registry.Binary, registry.Multiclass,
					registry.Regression}).Draw(t, "task")
				folds := drawFolds(t, task)
				best := m.Of(perfect(folds[0][0], task))
				for _, point := range folds {
					s := point[0]
					v := m.Of(s)
					said := fmt.Sprintf("%s is %v for%s", m.Name, v, values(s))
					switch {
					case v != nil && m.Tasks&task == 0:
						t.Fatalf("%s of a %s set, and its Tasks are %s", said, task, m.Tasks)
					case (v == nil) != (best == nil):
						t.Fatalf("%s, and %v for a perfect prediction of the same rows. Whether there is a value may "+
							"depend on the rows alone: return 0 (orZero) where only some predictions have none",
							said, best)
					case v == nil:
					case m.Compare(v, best) > 0:
						t.Fatalf("%s, which is better than %v for a perfect prediction of the same rows: Better names "+
							"the wrong side", said, best)
					case v.Add(v, big.NewRat(1, 1)).Cmp(m.Of(s)) == 0:
						t.Fatalf("%s returns a number that it keeps, and the caller may change it: return a new one",
							m.Name)
					}
				}
			})
		})
	}
}

// TestSelectionIsExact compares every metric on every task that has it with the definition.
func TestSelectionIsExact(t *testing.T) {
	for _, m := range All() {
		for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
			if m.Tasks&task == 0 || m.Name == "mse" {
				continue
			}
			t.Run(m.Name+"/"+task.String(), func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					folds := drawFolds(t, task)
					must.Be(t, Select(m, folds), bestMean(m, folds), "selected")
				})
			})
		}
	}
}

// TestSquaresAreAddedInFloat64: regressions are selected as they always were. Exactly, the second
// point is better by less than float64 sums show.
func TestSquaresAreAddedInFloat64(t *testing.T) {
	m := named(t, "mse")
	exact := m
	exact.pick = nil
	point := func(values ...float64) (scores []result.Score) {
		for _, v := range values {
			scores = append(scores, result.Score{N: 3, RMSE: &v})
		}
		return scores
	}
	folds := [][]result.Score{point(2, 0x1p-30), point(2, 0x1p-31)}
	must.Be(t, Select(m, folds), 0)
	must.Be(t, Select(exact, folds), 1)
	must.Be(t, Select(m, [][]result.Score{point(2), point(1), point(1)}), 1)
}

// TestUnboundedErrorsLose: a point with a value that is not finite loses to any without; if all
// have one, the first point is selected.
func TestUnboundedErrorsLose(t *testing.T) {
	inf, one, two := math.Inf(1), 1.0, 2.0
	score := func(v *float64) result.Score { return result.Score{N: 3, RMSE: v, MAE: v} }
	for _, name := range []string{"rmse", "mse", "mae"} {
		m := named(t, name)
		must.Be(t, Select(m, [][]result.Score{{score(&inf), score(&one)}, {score(&two), score(&two)}}), 1, name)
		must.Be(t, Select(m, [][]result.Score{{score(&two), score(&two)}, {score(&one), score(&inf)}}), 0, name)
		must.Be(t, Select(m, [][]result.Score{{score(&inf)}, {score(&inf)}}), 0, name)
	}
}

func named(t testing.TB, name string) Metric {
	t.Helper()
	m := must.Get(Lookup(name))(t)
	return m
}
