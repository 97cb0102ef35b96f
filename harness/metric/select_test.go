package metric

import (
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/harness/result"
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
					if got, want := Select(m, folds), bestMean(m, folds); got != want {
						t.Fatalf("selected %d, want %d", got, want)
					}
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
