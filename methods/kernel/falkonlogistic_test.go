package kernel

import (
	"fmt"
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// TestLogisticFalkonIsTheMinimum compares with Newton's method on the whole Hessian, whose systems gonum solves, for
// the coefficients of the orthonormal functions T^-T k(., z). The gradients agree with zero, the objectives within the
// square of it, and the scores.
func TestLogisticFalkonIsTheMinimum(t *testing.T) {
	const n, gamma = 150, 0.3
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass} {
		for _, m := range []int{30, n} {
			for _, lambda := range []float64{1e-1, 1e-3, 1e-5} {
				train, env := toydata.Easy(task, n, 4, 7), registry.Env{Seed: 3}
				setting := fmt.Sprintf(`{"landmarks":%d,"lambda":%g,"gamma":%v,"max_iter":200,"loss":"logistic"}`, m,
					lambda, gamma)
				model, got := fitted(t, Falkon(), env.Seed, train, "%s", setting)
				ys, x := fitting.OneAgainstRest(train), train.X.RawMatrix().Data
				c := must.Get(newCover(t.Context(), x, drawLandmarks(env, x, 4, m), 4, gamma))(t)
				for j, y := range ys {
					want, minimum := directLogistic(t, c, y, lambda)
					alpha := model.Coef[j*m : (j+1)*m]
					objective := 0.0
					for i := range n {
						f := got[i*len(ys)+j]
						objective += math.Log1p(math.Exp(-y[i]*f)) / n
						if d := math.Abs(f - want[i]); !(d <= 1e-3) {
							t.Fatalf("%v, %s: row %d has %v, and Newton's method %v", task, setting, i, f, want[i])
						}
					}
					for a := range m {
						root := 0.0
						for b := a; b < m; b++ {
							root += c.factor[b*m+a] * alpha[b]
						}
						objective += lambda * root * root
					}
					if d := objective - minimum; !(math.Abs(d) <= 1e-9) {
						t.Errorf("%v, %s: the objective is %v above its minimum", task, setting, d)
					}
				}
			}
		}
	}
}

// directLogistic returns the scores of the rows and the objective at the minimum.
func directLogistic(t *testing.T, c *cover, y []float64, lambda float64) (f []float64, objective float64) {
	t.Helper()
	phi := mat.NewDense(c.n, c.m, nil) // rows L^-1 k(x)
	must.Do(t, c.each(t.Context(), func(lo, hi int, k []float64) error {
		rows := phi.RawMatrix().Data[lo*c.m : hi*c.m]
		copy(rows, k)
		return c.solver.ForwardRows(t.Context(), c.factor, rows, hi-lo)
	}))
	w, n := mat.NewVecDense(c.m, nil), float64(c.n)
	at := func(w *mat.VecDense) (f *mat.VecDense, value float64) {
		f = mat.NewVecDense(c.n, nil)
		f.MulVec(phi, w)
		value = lambda * mat.Dot(w, w)
		for i, v := range y {
			value += math.Log1p(math.Exp(-v*f.AtVec(i))) / n
		}
		return f, value
	}
	for range 200 {
		scores, value := at(w)
		slope, weighted := mat.NewVecDense(c.n, nil), mat.DenseCopyOf(phi)
		for i, v := range y {
			p := 1 / (1 + math.Exp(-scores.AtVec(i)))
			slope.SetVec(i, (p-(1+v)/2)/n)
			for j := range c.m {
				weighted.Set(i, j, weighted.At(i, j)*p*(1-p)/n)
			}
		}
		var g, step mat.VecDense
		var h mat.Dense
		g.MulVec(phi.T(), slope)
		g.AddScaledVec(&g, 2*lambda, w)
		h.Mul(phi.T(), weighted)
		for j := range c.m {
			h.Set(j, j, h.At(j, j)+2*lambda)
		}
		must.Do(t, step.SolveVec(&h, &g))
		if mat.Dot(&g, &step) < 1e-16 {
			return scores.RawVector().Data, value
		}
		for length := 1.0; ; length /= 2 {
			var next mat.VecDense
			next.AddScaledVec(w, -length, &step)
			if _, v := at(&next); v <= value || length < 1e-6 {
				w.CopyVec(&next)
				break
			}
		}
	}
	t.Fatal("Newton's method does not end")
	return nil, 0
}
