// Package modeltest is for tests of models. For methods that grow trees it holds samples, and the impurity of a split
// by its definition. It takes saved models apart, and makes models with a correct checksum and wrong fields, by the
// documented layout of package saved and without its code. Only tests import it.
package modeltest

import (
	"math"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// Rows returns the matrix of the rows.
func Rows(rows [][]float64) *mat.Dense {
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		x.SetRow(i, r)
	}
	return x
}

// Synthetic draws n rows of d normal features and a noisy non-linear target, for multiclass of k
// classes.
func Synthetic(task registry.Task, n, d, k int) registry.Data {
	r := rng.New(1)
	data := registry.Data{Task: task, X: mat.NewDense(n, d, nil), Y: make([]float64, n)}
	for i := range n {
		row := data.X.RawRowView(i)
		r.Norms(row)
		v := math.Sin(2*row[0]) + row[1%d]*row[2%d] + r.Norm()/2
		switch task {
		case registry.Binary:
			data.Classes, data.Y[i] = 2, math.Copysign(1, v)
		case registry.Multiclass:
			data.Classes, data.Y[i] = k, math.Min(float64(k-1), math.Max(0, math.Floor((v+2)/4*float64(k))))
		default:
			data.Y[i] = v
		}
	}
	return data
}

// Draw draws a small sample with many ties and repeated rows.
func Draw(t *rapid.T) registry.Data {
	task := rapid.SampledFrom([]registry.Task{registry.Binary, registry.Multiclass, registry.Regression}).Draw(t,
		"task")
	n, d := rapid.IntRange(1, 30).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "d")
	data := registry.Data{Task: task, X: mat.NewDense(n, d, nil), Y: make([]float64, n)}
	for i := range n {
		for j := range d {
			data.X.Set(i, j, float64(rapid.IntRange(-4, 4).Draw(t, "x"))/4)
		}
		switch task {
		case registry.Binary:
			data.Classes, data.Y[i] = 2, float64(2*rapid.IntRange(0, 1).Draw(t, "y")-1)
		case registry.Multiclass:
			data.Classes, data.Y[i] = 4, float64(rapid.IntRange(0, 3).Draw(t, "y"))
		default:
			data.Y[i] = float64(rapid.IntRange(-8, 8).Draw(t, "y")) / 8
		}
	}
	return data
}

// Impurity is Breiman et al. 1984, eq. 4.6 ff: Gini, entropy in bits, or the
// mean squared deviation, computed from its definition.
func Impurity(criterion string, y []float64) float64 {
	counts, sum, out := map[float64]float64{}, 0.0, 0.0
	for _, v := range y {
		counts[v]++
		sum += v
	}
	n := float64(len(y))
	if criterion == "mse" {
		for _, v := range y {
			out += (v - sum/n) * (v - sum/n) / n
		}
		return out
	}
	for _, c := range counts {
		if p := c / n; criterion == "gini" {
			out += p * (1 - p)
		} else {
			out -= p * math.Log2(p)
		}
	}
	return out
}

// Divided returns the impurity of both sides of a split, weighed by their rows: left are the rows below
// the threshold.
func Divided(data registry.Data, criterion string, feature int, threshold float64) float64 {
	var sides [2][]float64
	for i, y := range data.Y {
		side := 0
		if data.X.At(i, feature) >= threshold {
			side = 1
		}
		sides[side] = append(sides[side], y)
	}
	sum := 0.0
	for _, y := range sides {
		if len(y) > 0 {
			sum += Impurity(criterion, y) * float64(len(y)) / float64(len(data.Y))
		}
	}
	return sum
}

// Looks checks that the importances and the text of trees agree, for boosted trees or a forest of ten rounds with the
// given setting. perClass says that a round of a multiclass problem grows a tree for each class.
func Looks(t *testing.T, spec registry.Spec, setting string, perClass bool) {
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
		fitted := must.Get(spec.Fit(t.Context(), registry.Env{Seed: 1}, Synthetic(task, 300, 4, 3), []byte(setting)))(t)
		m := fitted.(registry.TreeModel)
		splits, gain := m.Importance()
		printed, trees := 0, 0
		for ; ; trees++ {
			text, err := m.Dump(trees, []string{"a", "b", "c", "d"})
			if err != nil {
				break
			}
			printed += strings.Count(text, "?")
		}
		sum := 0
		for _, n := range splits {
			sum += n
		}
		rounds := fitted.(registry.Stager).Rounds()
		want := rounds
		if perClass && task == registry.Multiclass {
			want *= 3
		}
		if trees != want || m.TreeCount() != want || sum != printed || len(splits) != 4 || len(gain) != 4 ||
			splits[0] == 0 || gain[0] <= 0 {
			t.Errorf("%s: %d trees of %d rounds, %d splits printed, importances %v and %v", task, trees, rounds,
				printed, splits, gain)
		}
		if _, err := m.Dump(0, []string{"a"}); err == nil {
			t.Error("a tree is printed with too few names")
		}
	}
}
