package kernel

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/registry"
)

// TestNystroemIsGK: if every row is a landmark, the problem is GK's. What differs is the jitter of K_mm and GK's
// stopping rule.
func TestNystroemIsGK(t *testing.T) {
	const n, sigma = 120, 1.5
	for _, task := range []registry.Task{registry.Regression, registry.Binary, registry.Multiclass} {
		train := toydata.Easy(task, n, 4, 7)
		for _, lambda := range []float64{1e-1, 1e-3} {
			_, exact := fitted(t, GK(), 1, train, `{"lambda":%g,"sigma":%v}`, lambda, sigma)
			_, ours := fitted(t, Nystroem(), 1, train, `{"lambda":%g,"gamma":%v,"landmarks":%d}`, lambda,
				1/(2*sigma*sigma), n)
			for i, v := range ours {
				if !(math.Abs(v-exact[i]) <= 1e-5) {
					t.Fatalf("%v, lambda=%v: score %d is %v, and GK's is %v", task, lambda, i, v, exact[i])
				}
			}
		}
	}
}

// TestNystroemIsStationary: with fewer landmarks than rows, the gradient of the objective by the coefficients and the
// intercept is zero: 2/n K_mn (f - y) + 2 lambda (K_mm + jitter m I) alpha, and likewise with the logistic loss.
func TestNystroemIsStationary(t *testing.T) {
	const n, m, lambda, gamma = 200, 40, 1e-3, 0.2
	for _, task := range []registry.Task{registry.Regression, registry.Binary} {
		train, env := toydata.Easy(task, n, 3, 5), registry.Env{Seed: 2}
		model, f := fitted(t, Nystroem(), env.Seed, train, `{"lambda":%g,"gamma":%v,"landmarks":%d}`, lambda, gamma, m)
		x := train.X.RawMatrix().Data
		z := drawLandmarks(env, x, 3, m)
		kernel := func(a, b []float64) float64 {
			square := 0.0
			for j, v := range a {
				square += (v - b[j]) * (v - b[j])
			}
			return math.Exp(-gamma * square)
		}
		slope := make([]float64, n)
		total := 0.0
		for i, y := range train.Y {
			slope[i] = 2 * (f[i] - y)
			if task == registry.Binary {
				slope[i] = -y / (1 + math.Exp(y*f[i]))
			}
			total += slope[i]
		}
		if math.Abs(total)/n > 1e-9 {
			t.Errorf("%v: the gradient of the intercept is %v", task, total/n)
		}
		alpha := model.Coef
		for j := range m {
			g := 2 * lambda * jitter * m * alpha[j]
			for i := range n {
				g += slope[i] * kernel(x[3*i:3*i+3], z[3*j:3*j+3]) / n
			}
			for k := range m {
				g += 2 * lambda * kernel(z[3*j:3*j+3], z[3*k:3*k+3]) * alpha[k]
			}
			if math.Abs(g) > 1e-9 {
				t.Errorf("%v: the gradient of coefficient %d is %v", task, j, g)
			}
		}
	}
}
