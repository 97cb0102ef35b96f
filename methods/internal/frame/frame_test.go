package frame

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

func TestRows(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	if rows := Rows(x); &rows[0] != &x.RawMatrix().Data[0] || len(rows) != 6 {
		t.Errorf("rows of a whole matrix are %v, not its memory", rows)
	}
	if rows := Rows(x.Slice(1, 3, 1, 2).(*mat.Dense)); !slices.Equal(rows, []float64{4, 6}) {
		t.Errorf("rows of a view are %v", rows)
	}
}

type model struct{ registry.Model }

func TestOne(t *testing.T) {
	var want model
	failure := errors.New("failure")
	fit := Path[int](func(_ context.Context, _ registry.Env, _ registry.Data, ps []int, yield func(int, registry.Model) error) error {
		if ps[0] == 0 {
			return failure
		}
		return yield(0, &want)
	})
	if m, err := fit.One(t.Context(), registry.Env{}, registry.Data{}, 1); m != &want || err != nil {
		t.Errorf("model %v, error %v", m, err)
	}
	if _, err := fit.One(t.Context(), registry.Env{}, registry.Data{}, 0); err != failure {
		t.Errorf("error %v", err)
	}
}

func TestGroups(t *testing.T) {
	words := []string{"one", "three", "two", "seven", "four"}
	got := Groups(Upto(len(words)), func(i int) int { return len(words[i]) })
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
		if got := fmt.Sprint(CheckScoring(x, c.features, c.outputs, c.places)); got != cmp.Or(c.want, "<nil>") {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestCheckScores(t *testing.T) {
	if err := CheckScores([]float64{1, math.Inf(1), -1}, 1); err != nil {
		t.Error(err)
	}
	err := CheckScores([]float64{1, 2, 3, math.NaN()}, 2)
	if err == nil || !strings.HasPrefix(err.Error(), "the score of row 1 is not a number") {
		t.Errorf("a NaN in row 1 of two outputs a row: %v", err)
	}
}
