package kernel

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// TestFalkonIsTheRidge: after enough steps the coefficients solve the problem that Falkon states, of which gonum solves
// the normal equations here. The scores agree within 1e-5 of the largest; the coefficients of nearly dependent kernel
// functions need not.
func TestFalkonIsTheRidge(t *testing.T) {
	for _, task := range []registry.Task{registry.Regression, registry.Binary, registry.Multiclass} {
		for _, m := range []int{30, 150} {
			train := toydata.Easy(task, 150, 4, 7)
			env := registry.Env{Seed: 3}
			for _, lambda := range []float64{1e-2, 1e-5} {
				_, got := fitted(t, Falkon(), env.Seed, train,
					`{"landmarks":%d,"lambda":%g,"gamma":0.3,"max_iter":200}`, m, lambda)
				c, err := newCover(t.Context(), train.X.RawMatrix().Data,
					drawLandmarks(env, train.X.RawMatrix().Data, 4, m), 4, 0.3)
				must.Do(t, err)
				k := mat.NewDense(150, m, nil)
				must.Do(t, c.each(t.Context(), func(lo, hi int, strip []float64) error {
					copy(k.RawMatrix().Data[lo*m:hi*m], strip)
					return nil
				}))
				l := mat.NewTriDense(m, mat.Lower, c.factor)
				var a, kk, right, alpha, want mat.Dense
				a.Mul(l, l.T())
				a.Scale(150*lambda, &a)
				kk.Mul(k.T(), k)
				a.Add(&a, &kk)
				ys, mean := fitting.Targets(train)
				for j, y := range ys {
					right.Mul(k.T(), mat.NewDense(150, 1, y))
					if err := alpha.Solve(&a, &right); err != nil {
						if _, ill := err.(mat.Condition); !ill {
							t.Fatal(err)
						}
					}
					want.Mul(k, &alpha)
					for i := range 150 {
						if d := got[i*len(ys)+j] - mean - want.At(i, 0); !(math.Abs(d) <= 1e-5) {
							t.Fatalf("%v with %d landmarks, lambda %g: row %d differs by %v", task, m, lambda, i, d)
						}
					}
					right.Reset()
					alpha.Reset()
					want.Reset()
				}
			}
		}
	}
}

// TestFewStepsAreEnough is the paper's claim: if there are at least about 1/lambda landmarks, 20 steps come near the
// solution. With 200 landmarks here and lambda = 1e-5 they do not.
func TestFewStepsAreEnough(t *testing.T) {
	train := toydata.Easy(registry.Regression, 3000, 5, 2)
	scores := func(lambda float64, steps int) []float64 {
		_, f := fitted(t, Falkon(), 1, train, `{"landmarks":200,"lambda":%g,"gamma":0.2,"max_iter":%d}`, lambda, steps)
		return f
	}
	for _, lambda := range []float64{1e-2, 1e-3} {
		if worst := floats.Distance(scores(lambda, 20), scores(lambda, 200), math.Inf(1)); !(worst <= 1e-3) {
			t.Errorf("lambda=%v: 20 steps are %v from 200", lambda, worst)
		}
	}
}
