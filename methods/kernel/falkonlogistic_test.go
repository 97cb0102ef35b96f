package kernel

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// TestLogisticFalkonIsTheMinimum: the gradient of the convex objective by the coefficients of the orthonormal functions
// T^-T k(., z), which is computed from the scores, is zero.
func TestLogisticFalkonIsTheMinimum(t *testing.T) {
	const n, gamma = 150, 0.3
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass} {
		for _, m := range []int{30, n} {
			for _, lambda := range []float64{1e-1, 1e-3, 1e-5} {
				train, env := toydata.Easy(task, n, 4, 7), registry.Env{Seed: 3}
				model, f := fitted(t, Falkon(), env.Seed, train,
					`{"landmarks":%d,"lambda":%g,"gamma":%v,"max_iter":200,"loss":"logistic"}`, m, lambda, gamma)
				ys, x := fitting.OneAgainstRest(train), train.X.RawMatrix().Data
				c := must.Get(newCover(t.Context(), x, drawLandmarks(env, x, 4, m), 4, gamma))(t)
				phi := mat.NewDense(n, m, nil) // rows L^-1 k(x)
				must.Do(t, c.each(t.Context(), func(lo, hi int, k []float64) error {
					rows := phi.RawMatrix().Data[lo*m : hi*m]
					copy(rows, k)
					return c.solver.ForwardRows(t.Context(), c.factor, rows, hi-lo)
				}))
				for j, y := range ys {
					slope := mat.NewVecDense(n, nil)
					for i, v := range y {
						slope.SetVec(i, -v/(1+math.Exp(v*f[i*len(ys)+j]))/n)
					}
					var g, w mat.VecDense
					g.MulVec(phi.T(), slope)
					w.MulVec(mat.NewTriDense(m, mat.Lower, c.factor).T(), mat.NewVecDense(m, model.Coef[j*m:(j+1)*m]))
					g.AddScaledVec(&g, 2*lambda, &w)
					if size := mat.Norm(&g, 2); !(size <= 1e-5) {
						t.Errorf("%v, %d landmarks, lambda %g: gradient of output %d %v", task, m, lambda, j, size)
					}
				}
			}
		}
	}
}
