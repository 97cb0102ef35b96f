package kernel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// TestLogisticFalkonIsTheMinimum compares with Newton's method on the whole Hessian, whose systems gonum solves, for the
// coefficients of the orthonormal functions T^-T k(., z). The gradients agree with zero, the objectives within the square of it,
// and the scores.
func TestLogisticFalkonIsTheMinimum(t *testing.T) {
	const n, gamma = 150, 0.3
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass} {
		for _, m := range []int{30, n} {
			for _, lambda := range []float64{1e-1, 1e-3, 1e-5} {
				train, env := toydata.Easy(task, n, 4, 7), registry.Env{Seed: 3}
				setting := fmt.Sprintf(`{"landmarks":%d,"lambda":%g,"gamma":%v,"max_iter":200,"loss":"logistic"}`, m, lambda, gamma)
				model, got := fitted(t, Falkon(), env.Seed, train, "%s", setting)
				ys, x := fitting.OneAgainstRest(train), train.X.RawMatrix().Data
				c, err := newCover(t.Context(), x, drawLandmarks(env, x, 4, m), 4, gamma)
				if err != nil {
					t.Fatal(err)
				}
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
	err := c.each(t.Context(), func(lo, hi int, k []float64) error {
		rows := phi.RawMatrix().Data[lo*c.m : hi*c.m]
		copy(rows, k)
		return c.solver.ForwardRows(t.Context(), c.factor, rows, hi-lo)
	})
	if err != nil {
		t.Fatal(err)
	}
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
		if err := step.SolveVec(&h, &g); err != nil {
			t.Fatal(err)
		}
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

// TestLogisticFalkonPath: fits with shared products give the bits of single fits.
func TestLogisticFalkonPath(t *testing.T) {
	train, env := toydata.Easy(registry.Multiclass, 90, 3, 4), registry.Env{Seed: 3}
	var settings []json.RawMessage
	for _, lambda := range []float64{1e-1, 1e-5, 1e-3} {
		settings = append(settings, []byte(fmt.Sprintf(`{"landmarks":20,"lambda":%g,"gamma":0.3,"loss":"logistic"}`, lambda)))
	}
	err := Falkon().FitAll(t.Context(), env, train, settings, func(i int, m registry.Model) error {
		alone, err := Falkon().Fit(t.Context(), env, train, settings[i])
		if err == nil && !slices.Equal(alone.(*machine).Coef, m.(*machine).Coef) {
			t.Errorf("%s has other coefficients alone", settings[i])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLogisticFalkonWantsClasses: there is no logistic loss of targets of regression.
func TestLogisticFalkonWantsClasses(t *testing.T) {
	train := toydata.Easy(registry.Regression, 50, 3, 1)
	if _, err := Falkon().Fit(t.Context(), registry.Env{}, train, []byte(`{"loss":"logistic"}`)); err == nil {
		t.Error("no error")
	}
	train = toydata.Easy(registry.Binary, 50, 3, 1)
	if _, err := Falkon().Fit(t.Context(), registry.Env{}, train, []byte(`{"loss":"logistic"}`)); err != nil {
		t.Error(err)
	}
}

// TestEarlyEndIsReported: Newton steps whose systems are solved by one step of conjugate gradients do not come to the minimum of a
// small penalty, and the fit says so. With 20 steps it has nothing to say.
func TestEarlyEndIsReported(t *testing.T) {
	train := toydata.Easy(registry.Binary, 150, 4, 7)
	for i := range 20 {
		train.Y[7*i] *= -1
	}
	for steps, said := range map[int]bool{1: true, 20: false} {
		var log bytes.Buffer
		env := registry.Env{Seed: 3, Log: slog.New(slog.NewTextHandler(&log, nil))}
		setting := fmt.Appendf(nil, `{"landmarks":15,"lambda":1e-7,"gamma":0.3,"max_iter":%d,"loss":"logistic"}`, steps)
		if _, err := Falkon().Fit(t.Context(), env, train, setting); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), `msg="FALKON ended before its minimum" lambda=1e-07`); got != said {
			t.Errorf("max_iter = %d: the log is %q", steps, log.String())
		}
	}
}
