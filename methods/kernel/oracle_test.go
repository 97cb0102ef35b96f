package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// An exactKernel is a row of exact_kernels.json: kernel ridge regression by a reference program, with and without an
// intercept.
type exactKernel struct {
	Seed                  uint32
	Kernel                string
	Lam, Width, Intercept float64
	Through               []float64 `json:"alpha_no_intercept"`
	Fitted                []float64 `json:"fitted_no_intercept"`
	Alpha                 []float64 `json:"alpha_intercept"`
}

// sixty draws the data of the oracle's small files: 60 rows of 5 features.
func sixty(seed uint32) registry.Data {
	const n, d = 60, 5
	r := rng.New(seed)
	x, noise, y := make([]float64, n*d), make([]float64, n), make([]float64, n)
	r.Norms(x)
	r.Norms(noise)
	for i := range y {
		row := x[i*d : (i+1)*d]
		y[i] = row[0] + 0.5*row[1]*row[2] - 0.3*row[3]*row[3] + 0.1*noise[i]
	}
	least, most := slices.Min(y), slices.Max(y)
	for i, v := range y {
		y[i] = 2*(v-least)/(most-least) - 1
	}
	return registry.Data{Task: registry.Regression, X: mat.NewDense(n, d, x), Y: y}
}

// TestOracle compares with exact_kernels.json what GK, GLK and the ridge regression of KRR-GD fit, within 1e-10 of the
// largest coefficient as the file says. The file's GLK is half of the sum of kernels, which is the sum with twice the
// penalty and half the coefficients.
func TestOracle(t *testing.T) {
	var file struct{ Cases []exactKernel }
	testenv.ReadOracle(t, "exact_kernels.json", &file)
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range file.Cases {
		t.Run(fmt.Sprintf("%d/%s/%v", c.Seed, c.Kernel, c.Lam), func(t *testing.T) {
			data := sixty(c.Seed)
			_, d := data.X.Dims()
			part := 1.0
			if c.Kernel == "GLK" {
				part = 0.5
			}
			compare := func(what string, got, want []float64) {
				t.Helper()
				if off := floats.Distance(got, want, math.Inf(1)); !(off <= 1e-10*floats.Norm(want, math.Inf(1))) {
					t.Errorf("%s: off by %v", what, off)
				}
			}
			for _, intercept := range []bool{false, true} {
				want, bias := c.Through, 0.0
				if intercept {
					want, bias = c.Alpha, c.Intercept
				}
				ps := []Params{{Lambda: c.Lam / part, Sigma: c.Width, Intercept: intercept}}
				fitGK(t, data, c.Kernel != "GK", ps, func(_ int, m *machine) {
					alpha := slices.Clone(m.Coef)
					floats.Scale(1/part, alpha)
					compare(fmt.Sprint("intercept ", intercept), append(alpha, m.Bias...),
						append(slices.Clone(want), bias))
					if !intercept {
						compare("scores", fits.Scores(t, m, data), c.Fitted)
					}
				})
			}
			if c.Kernel != "GK" {
				return
			}
			loo := must.Get(newLOOProblem(t.Context(), fitting.Rows(data.X), d, make([]int, d), c.Lam))(t)
			loo.y = data.Y
			must.Do(t, loo.solve([]float64{-math.Log(2 * c.Width * c.Width)}))
			compare("KRR-GD", loo.alpha, c.Through)
		})
	}
}
