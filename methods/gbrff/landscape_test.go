package gbrff

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// With one feature a round the loss depends on the landmark through one product, so that it is periodic along the
// frequency and flat across it; the landmark of the model lies at a minimum along the frequency.
func TestLandscape(t *testing.T) {
	const n, round = 40, 3
	x, y := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range n {
		x.Set(i, 0, math.Sin(float64(3*i)))
		x.Set(i, 1, math.Cos(float64(5*i)))
		y[i] = 1
		if x.At(i, 0)*x.At(i, 1) < 0.1 {
			y[i] = -1
		}
	}
	train := registry.Data{Task: registry.Binary, X: x, Y: y}
	spec := GBRFF1()
	model := must.Get(spec.Fit(t.Context(), registry.Env{Seed: 1}, train, []byte(`{"rounds":5,"features":1}`)))(t)
	m := model.(*ensemble)
	omega := m.omega(round-1, 0)
	size := omega[0]*omega[0] + omega[1]*omega[1]
	_, landmark := must.Get2(m.Landscape(t.Context(), train, round, mat.NewDense(1, 2, nil)))(t)
	along := func(turns float64) []float64 {
		return []float64{landmark[0] + omega[0]*2*math.Pi*turns/size, landmark[1] + omega[1]*2*math.Pi*turns/size}
	}
	at := mat.NewDense(5, 2, nil)
	at.SetRow(0, landmark)
	at.SetRow(1, along(1))
	at.SetRow(2, []float64{landmark[0] + omega[1], landmark[1] - omega[0]})
	at.SetRow(3, along(0.03))
	at.SetRow(4, along(-0.03))
	loss, _ := must.Get2(m.Landscape(t.Context(), train, round, at))(t)
	must.Near(t, loss[1], loss[0], 1e-9, "the loss is")
	must.Near(t, loss[2], loss[0], 1e-9, "the loss is")
	if loss[3] < loss[0] || loss[4] < loss[0] {
		t.Errorf("the loss is %g at the landmark and %g and %g beside it", loss[0], loss[3], loss[4])
	}
	if _, _, err := m.Landscape(t.Context(), train, 6, at); err == nil {
		t.Error("a model of 5 rounds has a round 6")
	}
}
