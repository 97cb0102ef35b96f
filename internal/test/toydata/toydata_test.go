package toydata_test

import (
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// By hand: a score of 0 counts as +1, the largest score wins, and the mean explains nothing.
func TestGoodness(t *testing.T) {
	for _, c := range []struct {
		data   registry.Data
		scores []float64
		want   float64
	}{
		{registry.Data{Task: registry.Binary, Classes: 2, Y: []float64{1, -1, 1, -1}}, []float64{0, -2, -1, 3}, 0.5},
		{registry.Data{Task: registry.Multiclass, Classes: 3, Y: []float64{2, 0}}, []float64{1, 2, 3, 0, 5, 1}, 0.5},
		{registry.Data{Task: registry.Regression, Y: []float64{1, 3}}, []float64{2, 2}, 0},
		{registry.Data{Task: registry.Regression, Y: []float64{1, 3}}, []float64{1, 2}, 0.5},
	} {
		must.Be(t, toydata.Goodness(c.data, c.scores), c.want, c.data.Task, c.scores)
	}
}

func TestRows(t *testing.T) {
	d := toydata.Rows(registry.Data{X: mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), Y: []float64{7, 8, 9}},
		[]int{2, 0})
	must.Be(t, d.X.RawMatrix().Data, []float64{5, 6, 1, 2})
	must.Be(t, d.Y, []float64{9, 7})
}
