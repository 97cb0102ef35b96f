package gbrff

import (
	"context"
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Landscape returns, for each row l of at, the loss that round t (from 1) of GBRFF1 minimised over its landmark,
//
//	mean_i exp(-r_i (1/K) sum_j cos(omega_j.(l - x_i))),   r_i = y_i exp(-y_i H_{t-1}(x_i)),
//
// and, if K = 1, the landmark of the round. The model keeps only the landmark's phase; Landscape returns the shortest
// vector whose product with the frequency is this phase. If K > 1, the landmark is nil. train are the rows that the
// model was fitted to. It is an error if the model has no round t.
func (m *ensemble) Landscape(ctx context.Context, train registry.Data, t int,
	at *mat.Dense) (loss, landmark []float64, err error) {
	if t < 1 || t > m.T {
		return nil, nil, fmt.Errorf("round %d of a model of %d rounds", t, m.T)
	}
	residual := make([]float64, len(train.Y))
	err = m.ScoreStages(ctx, train.X, []int{t - 1}, func(_ int, scores []float64) error {
		for i, y := range train.Y {
			residual[i] = y * vmath.ExpScalar(-y*scores[i])
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	points, _ := at.Dims()
	x, n := rowsOf(train.X), len(residual)
	z, cos, sum := make([]float64, n), make([]float64, n), make([]float64, n)
	loss = make([]float64, points)
	for p := range loss {
		clear(sum)
		for j := range m.K {
			vmath.MatVec(z, x.slice(0, n), n, m.D, m.omega(t-1, j))
			floats.AddConst(-solve.Dot(m.omega(t-1, j), at.RawRowView(p)), z)
			vmath.Cos(cos, z) // the cosine is even, so the sign of z does not matter
			floats.Add(sum, cos)
		}
		for i, r := range residual {
			sum[i] *= -r / float64(m.K)
		}
		vmath.Exp(sum, sum)
		loss[p] = vmath.Sum(sum) / float64(n)
	}
	if m.K == 1 {
		omega := m.omega(t-1, 0)
		landmark = floats.ScaleTo(make([]float64, m.D), m.phases(t - 1)[0]/solve.Dot(omega, omega), omega)
	}
	return loss, landmark, nil
}
