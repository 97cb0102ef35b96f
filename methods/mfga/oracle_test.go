package mfga

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/rff"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The values of the oracle: scripts/oracle/mfga.py.

// mfgaCase is a case of mfga.json.
type mfgaCase struct {
	Seed        int         `json:"seed"`
	X           [][]float64 `json:"X"`
	YRegression []float64   `json:"y_regression"`
	YClass      []float64   `json:"y_class"`
	Width       float64     `json:"width_nn50"`
	Rows        [][]float64 `json:"taylor_order2_rows0to3"`
	Sums        []float64   `json:"taylor_order2_column_sums"`
	Paths       []struct {
		Loss      string  `json:"loss"`
		Order     int     `json:"order"`
		Intercept bool    `json:"intercept"`
		Step      int     `json:"features_per_step"`
		Lambda    float64 `json:"lam"`
		Selected  []int   `json:"selected"`
		Steps     []struct {
			Objective float64   `json:"objective"`
			Theta     []float64 `json:"theta"`
			Intercept float64   `json:"intercept"`
		} `json:"steps"`
	} `json:"paths"`
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s is %v, want %v within %g", what, got, want, tol)
	}
}

func dense(rows [][]float64) *mat.Dense {
	return mat.NewDense(len(rows), len(rows[0]), slices.Concat(rows...))
}

// problem returns the data of a loss: square or logistic.
func problem(loss string, x *mat.Dense, regression, class []float64) registry.Data {
	if loss == "square" {
		return registry.Data{Task: registry.Regression, X: x, Y: regression}
	}
	return registry.Data{Task: registry.Binary, Classes: 2, X: x, Y: class}
}

// objectiveOf is mean L + lambda |theta|^2 from scores.
func objectiveOf(d registry.Data, scores, theta []float64, lambda float64) float64 {
	sum := 0.0
	for i, f := range scores {
		if d.Task == registry.Regression {
			sum += (f - d.Y[i]) * (f - d.Y[i])
		} else {
			sum += math.Log1p(math.Exp(-math.Abs(f))) + max(0, -d.Y[i]*f)
		}
	}
	return sum/float64(len(scores)) + lambda*floats.Dot(theta, theta)
}

// outputOf fits one setting and returns its function.
func outputOf(t *testing.T, d registry.Data, p Params) (staged, *output) {
	t.Helper()
	var m staged
	must.Do(t, fitPath(t.Context(), registry.Env{}, d, []Params{p}, func(_ int, got registry.Model) error {
		m = got.(staged)
		return nil
	}))
	return m, &m.Outputs[0]
}

// TestPaths compares Taylor features, selected columns, coefficients and objectives of every path in mfga.json.
func TestPaths(t *testing.T) {
	var file struct{ Cases []mfgaCase }
	testenv.ReadOracle(t, "mfga.json", &file)
	for _, c := range file.Cases {
		x := dense(c.X)
		n, d := x.Dims()
		width := must.Get(rff.Width(t.Context(), x.RawMatrix().Data, d, 50))(t)
		near(t, "width", width, c.Width, 1e-12)
		taylorFeatures(t, c, x.RawMatrix().Data, n, d)
		for _, path := range c.Paths {
			t.Run(fmt.Sprintf("%d/%s/%d/%v/%d/%v", c.Seed, path.Loss, path.Order, path.Intercept, path.Step,
				path.Lambda), func(t *testing.T) {
				data := problem(path.Loss, x, c.YRegression, c.YClass)
				m, out := outputOf(t, data, Params{
					Features: len(path.Selected), Step: path.Step, Lambda: path.Lambda, Pool: mergedLinear,
					Order: path.Order, Function: Function{Intercept: path.Intercept, Neighbour: 50},
				})
				k := kernelOf{Pool: mergedLinear, Order: path.Order, Width: out.Taylor.Width}
				all := &taylor{kernelOf: k, d: d, scale: math.Sqrt(0.5)}
				if want := all.expansion(path.Selected).Monomials; !slices.Equal(out.Taylor.Monomials, want) {
					t.Fatalf("columns %v, want %v, which are %v", out.Taylor.Monomials, want, path.Selected)
				}
				at := 0
				for s, step := range path.Steps {
					count := out.Counts[s]
					if count != len(step.Theta) {
						t.Fatalf("step %d has %d columns, want %d", s, count, len(step.Theta))
					}
					theta := out.Theta[at : at+count]
					at += count
					for j, want := range step.Theta {
						near(t, fmt.Sprintf("step %d: theta %d", s, j), theta[j], want, 1e-8)
					}
					near(t, fmt.Sprintf("step %d: intercept", s), out.Bias[s], step.Intercept, 1e-8)
					must.Do(t, m.ScoreStages(t.Context(), x, []int{count}, func(_ int, scores []float64) error {
						near(t, fmt.Sprintf("step %d: objective", s), objectiveOf(data, scores, theta, path.Lambda),
							step.Objective, 1e-10)
						return nil
					}))
				}
			})
		}
	}
}

// taylorFeatures compares the columns themselves.
func taylorFeatures(t *testing.T, c mfgaCase, x []float64, n, d int) {
	t.Helper()
	all := must.Get(newTaylor(t.Context(), kernelOf{Pool: merged, Order: 2, Width: c.Width}, x, d))(t)
	m0 := all.count(d)
	phi := make([]float64, n*m0)
	all.columns(fitting.Upto(m0))(phi, m0, 0, n)
	for j := range m0 {
		sum := 0.0
		for i := range n {
			sum += phi[i*m0+j]
			if i < len(c.Rows) {
				near(t, fmt.Sprintf("feature %d of row %d", j, i), phi[i*m0+j], c.Rows[i][j], 1e-13)
			}
		}
		near(t, fmt.Sprintf("sum of feature %d", j), sum, c.Sums[j], 1e-12)
	}
}

// randomCase is a case of random_features.json.
type randomCase struct {
	Seed             int         `json:"seed"`
	X                [][]float64 `json:"X"`
	YClass           []float64   `json:"y_class"`
	YRegression      []float64   `json:"y_regression"`
	Width            float64     `json:"width"`
	W                [][]float64 `json:"W"`
	B                []float64   `json:"b"`
	Uniforms         []float64   `json:"uniforms"`
	Phi              [][]float64 `json:"phi_rows0to2"`
	ClassCentred     scored      `json:"class_centred"`
	ClassRaw         scored      `json:"class_raw"`
	RegressionCented scored      `json:"regression_centred"`
	RegressionRaw    scored      `json:"regression_raw"`
	RKS              []struct {
		Loss      string    `json:"loss"`
		Intercept bool      `json:"intercept"`
		Lambda    float64   `json:"lam"`
		Theta     []float64 `json:"theta"`
		Bias      float64   `json:"bias"`
	} `json:"rks20"`
}

type scored struct {
	Scores []float64 `json:"scores"`
	Top    []int     `json:"top20"`
	Rho005 aligned   `json:"lkrf_rho0.005"`
	Rho05  aligned   `json:"lkrf_rho0.05"`
	Rho3   aligned   `json:"lkrf_rho0.3"`
}

type aligned struct {
	Q       []float64 `json:"q"`
	Support int       `json:"support"`
	Sampled []int     `json:"sampled"`
}

// given returns the case's random features.
func (c randomCase) given() *fourier {
	x := dense(c.X)
	n, d := x.Dims()
	f := &fourier{x: x.RawMatrix().Data, n: n, d: d, u: c.Uniforms}
	for m, w := range c.W {
		f.w = append(append(f.w, w...), c.B[m])
	}
	return f
}

// TestRandomFeatures compares columns, scores, choices, weights, draws and fits of every case in random_features.json.
func TestRandomFeatures(t *testing.T) {
	var file struct{ Cases []randomCase }
	testenv.ReadOracle(t, "random_features.json", &file)
	for _, c := range file.Cases {
		f := c.given()
		phi := make([]float64, len(c.Phi)*f.count())
		all := fitting.Upto(f.count())
		f.columns(all)(phi, f.count(), 0, len(c.Phi))
		for i, row := range c.Phi {
			for m, want := range row {
				near(t, "a cosine", phi[i*f.count()+m], want, 1e-13)
			}
		}
		for name, s := range map[string]scored{"class centred": c.ClassCentred, "class": c.ClassRaw,
			"regression centred": c.RegressionCented, "regression": c.RegressionRaw} {
			t.Run(fmt.Sprint(c.Seed, " ", name), func(t *testing.T) {
				y := c.YRegression
				if name[0] == 'c' {
					y = c.YClass
				}
				c.chosen(t, f, y, s, name[len(name)-1] == 'd')
			})
		}
		for _, r := range c.RKS {
			t.Run(fmt.Sprint(c.Seed, " ", r.Loss, " ", r.Intercept), func(t *testing.T) {
				data := problem(r.Loss, dense(c.X), c.YRegression, c.YClass)
				a := newActive(data.Task, f, data.Y, f.d, len(r.Theta), r.Intercept)
				out := must.Get(a.fitColumns(t.Context(), f, all[:len(r.Theta)], 0, r.Lambda))(t)
				near(t, "intercept", out.Bias[0], r.Bias, 1e-8)
				for j, want := range r.Theta {
					near(t, fmt.Sprintf("theta %d", j), out.Theta[j], want, 1e-8)
				}
			})
		}
	}
}

// chosen compares scores, EERF's choice, and LKRF's weights and draws for one target.
func (c randomCase) chosen(t *testing.T, f *fourier, y []float64, s scored, centred bool) {
	scores := must.Get(f.scores(t.Context(), target(centred, y)))(t)
	for m, want := range s.Scores {
		near(t, "a score", math.Abs(scores[m])/float64(f.n), want, 1e-12)
	}
	top, err := f.choose(t.Context(), random{byScore, LKRFParams{Drawn: Drawn{Features: len(s.Top)}, Centred: centred}},
		y)
	must.Do(t, err)
	must.Be(t, top, s.Top)
	squares := make([]float64, len(scores))
	floats.MulTo(squares, scores, scores)
	for rho, want := range map[float64]aligned{0.005: s.Rho005, 0.05: s.Rho05, 0.3: s.Rho3} {
		q := align(squares, rho)
		support := 0
		for m, v := range q {
			if v > 0 {
				support++
			}
			near(t, "a weight", v, want.Q[m], 1e-9)
		}
		must.Be(t, support, want.Support, rho)
		drawn, err := f.choose(t.Context(), random{byAlignment,
			LKRFParams{Drawn: Drawn{Features: len(c.Uniforms)}, Centred: centred, Radius: rho}}, y)
		must.Do(t, err)
		must.Be(t, drawn, want.Sampled, rho)
	}
}
