package fitting_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

func TestRows(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	if rows := fitting.Rows(x); &rows[0] != &x.RawMatrix().Data[0] || len(rows) != 6 {
		t.Errorf("rows of a whole matrix are %v, not its memory", rows)
	}
	must.Be(t, fitting.Rows(x.Slice(1, 3, 1, 2).(*mat.Dense)), []float64{4, 6})
}

func TestOneAgainstRest(t *testing.T) {
	x := mat.NewDense(3, 1, nil)
	got := fitting.OneAgainstRest(registry.Data{Task: registry.Multiclass, Classes: 3, X: x, Y: []float64{2, 0, 2}})
	if want := [][]float64{{-1, 1, -1}, {-1, -1, -1}, {1, -1, 1}}; !slices.EqualFunc(got, want,
		slices.Equal[[]float64]) {
		t.Errorf("columns %v, want %v", got, want)
	}
	y := []float64{1, -1, 0.5}
	for _, task := range []registry.Task{registry.Binary, registry.Regression} {
		if got := fitting.OneAgainstRest(registry.Data{Task: task, Classes: 2, X: x, Y: y}); len(got) != 1 ||
			&got[0][0] != &y[0] {
			t.Errorf("%s: columns %v are not the targets", task, got)
		}
	}
}

func TestBlocks(t *testing.T) {
	var got [][2]int
	ctx, cancel := context.WithCancel(t.Context())
	do := func(lo, hi int) { got = append(got, [2]int{lo, hi}) }
	if err := fitting.Blocks(ctx, 7, 3, do); err != nil || !slices.Equal(got, [][2]int{{0, 3}, {3, 6}, {6, 7}}) {
		t.Errorf("blocks %v, %v", got, err)
	}
	got = nil
	err := fitting.Blocks(ctx, 7, 3, func(lo, hi int) {
		do(lo, hi)
		cancel()
	})
	must.Is(t, err, context.Canceled)
	must.Be(t, len(got), 1, "cancelled in the first block: blocks")
}

// TestSum: stages are prefixes of the sum, whichever are asked for, and what does not fit is refused.
func TestSum(t *testing.T) {
	x := mat.NewDense(2, 1, []float64{1, 10})
	s := fitting.Sum{Features: 1, Outputs: 2, Rounds: 3, Least: 1, Start: 0.5,
		Add: func(scores []float64, from, to int) error {
			for t := from; t < to; t++ {
				for i := range scores {
					scores[i] += x.At(i/2, 0) * float64(t+1+i%2)
				}
			}
			return nil
		}}
	out := make([]float64, 4)
	if err := s.Score(x, out); err != nil || !slices.Equal(out, []float64{6.5, 9.5, 60.5, 90.5}) {
		t.Errorf("scores %v, %v", out, err)
	}
	var stages [][]float64
	err := s.ScoreStages(x, []int{1, 3}, func(_ int, scores []float64) error {
		stages = append(stages, slices.Clone(scores))
		return nil
	})
	if err != nil || len(stages) != 2 || !slices.Equal(stages[0], []float64{1.5, 2.5, 10.5, 20.5}) ||
		!slices.Equal(stages[1], out) {
		t.Errorf("stages %v, %v", stages, err)
	}
	failure := errors.New("failure")
	must.Be(t, s.ScoreStages(x, []int{2}, func(int, []float64) error { return failure }), failure)
	for want, at := range map[string][]int{"stages [0]: they must ascend within 1..3": {0},
		"stages [2 1]: they must": {2, 1}, "stages [1 4]": {1, 4}} {
		must.Say(t, s.ScoreStages(x, at, nil), want)
	}
	if s.Score(x, out[:3]) == nil || s.Score(mat.NewDense(2, 2, nil), out) == nil ||
		s.ScoreStages(mat.NewDense(2, 2, nil), []int{1}, nil) == nil {
		t.Error("scores that have no room, or rows of other data, are accepted")
	}
}

func TestCheckSizes(t *testing.T) {
	data := registry.Data{Task: registry.Regression, X: mat.NewDense(2, 1, []float64{1e308, 0}), Y: []float64{0, 1e151}}
	must.Say(t, fitting.CheckSizes("M", data), "M: feature 0 of row 0 is 1e+308")
	data.X.Set(0, 0, 1e307)
	must.Say(t, fitting.CheckSizes("M", data), "M: the target of row 1 is 1e+151")
	data.Y[1] = 1e150
	must.Do(t, fitting.CheckSizes("M", data))
}

func TestGroups(t *testing.T) {
	words := []string{"one", "three", "two", "seven", "four"}
	got := fitting.Groups(fitting.Upto(len(words)), func(i int) int { return len(words[i]) })
	if want := [][]int{{0, 2}, {1, 3}, {4}}; !slices.EqualFunc(got, want, slices.Equal[[]int]) {
		t.Errorf("groups %v, want %v", got, want)
	}
}

func TestCheckScoring(t *testing.T) {
	x := mat.NewDense(2, 3, nil)
	for _, c := range []struct {
		features, outputs, places int
		want                      string
	}{
		{3, 1, 2, ""},
		{3, 4, 8, ""},
		{2, 1, 2, "rows of 3 features: the model was trained on 2"},
		{3, 2, 2, "room for 2 scores of 2 rows and 2 outputs"},
	} {
		must.Be(t, fmt.Sprint(fitting.CheckScoring(x, c.features, c.outputs, c.places)), cmp.Or(c.want, "<nil>"), c)
	}
}

func TestCheckFinite(t *testing.T) {
	must.Do(t, fitting.CheckFinite("score", []float64{1, math.MaxFloat64, -1}, 1))
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		err := fitting.CheckFinite("score", []float64{1, 2, 3, v}, 2)
		if want := fmt.Sprintf("the score of row 1 is %v: ", v); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v in row 1 of two outputs a row: %v", v, err)
		}
	}
	nan := func(_, out []float64) { out[0] = math.NaN() }
	must.Say(t, fitting.ScoreBlocks(t.Context(), mat.NewDense(1, 1, nil), 1, 1, 8, []float64{0}, nan),
		"the score of row 0 is NaN")
}
