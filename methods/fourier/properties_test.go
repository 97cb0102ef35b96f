package fourier

import (
	"fmt"
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/rff"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/mat"
)

// exact is the kernel of two rows of features that a kernel's embeddings approximate: the product over features with
// one sigma.
func (k kernel) exact(x, y []float64, sigma float64) float64 {
	value, chi := 1.0, 0.0
	for i := range x {
		switch d := math.Log(x[i]+k.c) - math.Log(y[i]+k.c); k.name {
		case gaussian:
			value *= math.Exp(-sigma * sigma * (x[i] - y[i]) * (x[i] - y[i]) / 2)
		case chi2:
			value /= math.Cosh(sigma * d)
		case intersection:
			value *= math.Exp(-math.Abs(sigma * d))
		case expchi2:
			chi += (x[i] - y[i]) * (x[i] - y[i]) / (x[i] + y[i])
		}
	}
	return value * math.Exp(-sigma*sigma*chi/2)
}

// TestEmbeddingsNearTheirKernels: the mean squared error of inner products falls as 1/D, in both forms. Each term of an
// inner product, 2 cos cos, has a variance of at most 3/2. Of the exponentiated chi-square the map of order 3 leaves
// 0.01 more.
func TestEmbeddingsNearTheirKernels(t *testing.T) {
	const n, d, sigma = 30, 3, 0.7
	x := make([]float64, n*d)
	for i, draws := 0, rng.New(4); i < len(x); i++ {
		x[i] = draws.Float64() * 2
	}
	for _, name := range []string{gaussian, chi2, intersection, expchi2} {
		k := kernel{name, 0.5}
		a := must.Get(k.mapRows(x, d))(t)
		for _, count := range []int{100, 1000, 10000} {
			for form, e := range map[string]*embedding{"product": productEmbedding(rng.New(1), k, []int{1, 2}, count,
				rff.How{}), "sum": sumEmbedding(rng.New(1), k, []int{1, 2}, count, rff.How{})} {
				w := e.newWork(n, false)
				w.embed(a, []float64{sigma, sigma})
				square := 0.0
				for i := range n {
					for j := range i {
						got, want := 0.0, k.exact(x[i*d:(i+1)*d], x[j*d:(j+1)*d], sigma)
						for c := range e.width {
							got += w.psi[c*n+i] * w.psi[c*n+j]
						}
						if form == "sum" {
							want = k.exact(x[i*d:i*d+1], x[j*d:j*d+1], sigma) + k.exact(x[i*d+1:(i+1)*d],
								x[j*d+1:(j+1)*d], sigma)
						}
						square += (got - want) * (got - want) / (n * (n - 1) / 2)
					}
				}
				bound := 1.5 * float64(len(e.parts)) / float64(count)
				if name == expchi2 {
					bound += 1e-4
				}
				if square > 1.5*bound { // the errors of one draw go together
					t.Errorf("%s, %s, D = %d: mean squared error %.3g, at most %.3g is expected", name, form, count,
						square, bound)
				}
			}
		}
	}
}

// TestProfiledGradientOracle: the derivative in sigma of the group lasso's minimum, grad_sigma_profiled of
// group_lasso.json.
func TestProfiledGradientOracle(t *testing.T) {
	cases := embeddingCases(t)
	var file struct {
		Cases []struct {
			Seed       int
			Kind, Loss string
			Lam        float64
			Gradient   []float64 `json:"grad_sigma_profiled"`
		}
	}
	testenv.ReadOracle(t, "group_lasso.json", &file)
	met := 0
	for _, c := range file.Cases {
		if c.Gradient == nil {
			continue
		}
		met++
		of, y := lossOf(c.Loss, cases[c.Seed])
		if of == nil {
			continue
		}
		p := cases[c.Seed].problem(t, c.Kind, "concat", y)
		j := jointly{problem: p, loss: of, lambda: c.Lam, w: make([]float64, p.width), gap: 1e-13}
		gs := make([]float64, p.groups())
		must.Get(j.value(t.Context(), cases[c.Seed].Sigma, gs))(t)
		near(t, fmt.Sprint(c.Seed, c.Kind, c.Loss), gs, c.Gradient, 1e-6)
	}
	if met == 0 {
		t.Error("group_lasso.json has no profiled gradient")
	}
}

// TestConjugates: Fenchel's equality l(f) + l*(l'(f)) = f l'(f), and infinity outside of the domain.
func TestConjugates(t *testing.T) {
	for what, l := range map[string]loss{"halfsquare": square{0.5}, "square": square{1}, "igll": newIGLL(0.1, 10),
		"wide igll": newIGLL(1, 3)} {
		for _, y := range []float64{-1, 1} {
			for f := -4.0; f <= 4; f += 0.37 {
				v := make([]float64, 1)
				l.derivative(v, []float64{f}, []float64{y})
				left, right := l.value([]float64{f}, []float64{y})+l.conjugate(v, []float64{y}), f*v[0]
				must.Near(t, left, right, 1e-9, what, f, y)
			}
			if _, square := l.(square); !square && !math.IsInf(l.conjugate([]float64{1.5}, []float64{y}), 1) {
				t.Errorf("%s: the conjugate of 1.5 is finite", what)
			}
		}
	}
}

// TestSecondDerivatives: against differences of the first ones, and under their bound.
func TestSecondDerivatives(t *testing.T) {
	for what, l := range map[string]loss{"halfsquare": square{0.5}, "square": square{1}, "igll": newIGLL(0.1, 10),
		"wide igll": newIGLL(1, 3)} {
		for _, y := range []float64{-1, 1} {
			for f := -4.0; f <= 4; f += 0.173 {
				const step = 1e-5
				at := func(f float64) float64 {
					v := make([]float64, 1)
					l.derivative(v, []float64{f}, []float64{y})
					return v[0]
				}
				h := make([]float64, 1)
				l.second(h, []float64{f}, []float64{y})
				must.Near(t, h[0], (at(f+step)-at(f-step))/(2*step), 1e-6, what, f, y)
				if h[0] > l.curvature()*(1+1e-12) || h[0] < 0 {
					t.Errorf("%s at f = %v, y = %v: %v is not in [0, %v]", what, f, y, h[0], l.curvature())
				}
			}
		}
	}
}

// TestOneStart compares the minimum that RFF-SKL's search finds with those from half and from twice the usual sigma.
// With twelve features some of these are lower by more than a per cent; with a hundred hardly any.
func TestOneStart(t *testing.T) {
	for _, c := range []struct{ n, features, draws, lower int }{{60, 12, 40, 10}, {200, 100, 20, 2}} {
		lower, mean := 0, 0.0
		for seed := range uint32(c.draws) {
			const d = 5
			x, y := make([]float64, c.n*d), make([]float64, c.n)
			normals := rng.New(100 + seed)
			normals.Norms(x)
			for i := range y {
				r := x[i*d : (i+1)*d]
				y[i] = r[0] + 0.5*r[1]*r[2] - 0.3*r[3]*r[3] + 0.1*normals.Norm()
			}
			fitting.Standardise(y)
			p := &problem{embedding: productEmbedding(rng.New(seed), kernel{name: gaussian}, []int{2, 2, 1}, c.features,
				rff.How{}), n: c.n, a: x, outputs: 1, y: y}
			learned := func(factor float64) float64 {
				l := learner{ridge: newRidge(p, p.width), lambda: 0.05, rho: 0.01}
				if _, _, err := l.learn(t.Context(), p.usual(x, factor/math.Sqrt(3)), 200); err != nil {
					t.Fatal(err)
				}
				return l.best
			}
			usual := learned(1)
			least := min(usual, learned(0.5), learned(2))
			mean += usual / least / float64(c.draws)
			if usual > 1.01*least {
				lower++
			}
		}
		t.Logf("%d features: lower by a per cent for %d of %d draws; %.2f %% above the least in the mean", c.features,
			lower, c.draws, 100*(mean-1))
		if lower > c.lower || mean > 1.1 {
			t.Errorf("%d features: lower by a per cent for %d of %d draws; the mean is %v times the least", c.features,
				lower, c.draws, mean)
		}
	}
}

// TestDomains: features that a kernel is not defined for are named, with what to do, in training and in scoring.
func TestDomains(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{1, 2, 3, 0.5, 2, 2, 1, 1})
	data := registry.Data{Task: registry.Binary, Classes: 2, X: x, Y: []float64{1, -1, 1, -1}}
	for name, domain := range map[string]string{chi2: "above -skew = -0.5", intersection: "above -skew = -0.5",
		expchi2: "of at least 0"} {
		setting := []byte(fmt.Sprintf(`{"kernel":%q,"skew":0.5,"features":20}`, name))
		m := must.Get(SQLSKL().Fit(t.Context(), registry.Env{}, data, setting))(t)
		bad := mat.DenseCopyOf(x)
		bad.Set(2, 1, -0.7)
		want := fmt.Sprintf("feature 1 of row 2 is -0.7: the kernel %s needs features %s; raise skew", name, domain)
		must.Say(t, m.Score(t.Context(), bad, make([]float64, 4)), want)
		wrong := data
		wrong.X = bad
		must.Say(t, must.Err(SQLSKL().Fit(t.Context(), registry.Env{}, wrong, setting)), "RFF-SQL-SKL: "+want)
	}
}
