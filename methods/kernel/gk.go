package kernel

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/frame"
	"github.com/kernelboosting/bench/methods/internal/neighbour"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
)

// Params holds the parameters of GK and GLK.
type Params struct {
	Lambda    float64 `json:"lambda" range:"(0,)" means:"penalty"`
	Neighbour int     `json:"neighbour" range:"[1,)" means:"the width is the mean distance to this nearest neighbour"`
	Width     float64 `json:"width" range:"[0,)" means:"width of the kernel exp(-|x-x'|^2 / 2 width^2); 0 is by neighbour"`
}

// GK declares the exact Gaussian kernel: logistic regression for classes (one against the rest), ridge regression.
func GK() registry.Spec { return define("GK", "kernel machine with the exact Gaussian kernel", false) }

// GLK declares the sum of the Gaussian and the linear kernel, with GK's losses.
func GLK() registry.Spec {
	return define("GLK", "kernel machine with the exact Gaussian plus linear kernel", true)
}

func define(name, summary string, linear bool) registry.Spec {
	path := func(ctx context.Context, env registry.Env, train registry.Data, ps []Params, yield func(int, registry.Model) error) error {
		if err := fitAll(ctx, train, linear, ps, yield); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	return registry.Define(registry.Spec{
		Name: name, Version: "2", Tasks: registry.Binary | registry.Multiclass | registry.Regression,
		Source: "Shahrampour and Tarokh, NeurIPS 2018, section 5", Summary: summary,
	}, Params{Lambda: 1e-3, Neighbour: 50}, registry.Grid{
		{Name: "lambda", Values: registry.Powers(10, -5, 5)},
	}, frame.Path[Params](path).One, registry.Path(path), registry.Memory(memory), registry.Cost(frame.OneCost(pathCost)), registry.PathCost(pathCost), registry.Load[Params](load))
}

// memory counts the kernel matrix, the one that is factored, a quarter of them for garbage, strips, the vectors of Newton's method, and the model.
func memory(s registry.Shape, _ Params) int64 {
	n := int64(s.N)
	return 20*n*n + cholesky.Bytes(s.N) + 8*n*int64(3*s.D+2*s.Outputs()+30) + 8*rowsAtOnce*n
}

// pathCost is the sorting of distances and the kernel matrix, and for each penalty a factorisation, or some eight for the Newton steps
// of the logistic loss.
func pathCost(s registry.Shape, ps []Params) float64 {
	n := float64(s.N)
	factors := 1.0
	if s.Task != registry.Regression {
		factors = 8 * float64(s.Outputs())
	}
	return n*n*(0.1*float64(s.D)+40) + float64(len(ps))*factors*(n*n*n/66+800*n)
}

// fitAll makes the kernel matrix once for all penalties of one width.
func fitAll(ctx context.Context, train registry.Data, linear bool, ps []Params, yield func(int, registry.Model) error) error {
	x := slices.Clone(frame.Rows(train.X))
	n, d := train.X.Dims()
	t := &trainer{n: n, k: make([]float64, n*n), solver: cholesky.New(n)}
	if err := ctx.Err(); err != nil { // zeroing so much takes its time
		return err
	}
	t.m = make([]float64, n*n)
	made := math.NaN()
	widths := map[int]float64{} // by neighbour
	for i, p := range ps {
		width := p.Width
		if width == 0 {
			var known bool
			if width, known = widths[p.Neighbour]; !known {
				var err error
				if width, err = neighbour.Width(ctx, x, d, p.Neighbour); err != nil {
					return err
				}
				widths[p.Neighbour] = width
			}
		}
		gamma := make([]float64, d)
		for j := range gamma {
			gamma[j] = 1 / (2 * width * width)
		}
		if width != made {
			scaled, squares := scaleRows(x, d, gamma)
			if err := square(ctx, t.k, scaled, squares, d); err != nil {
				return err
			}
			if linear {
				if err := cholesky.Gram(ctx, t.m, x, n, d); err != nil {
					return err
				}
				if err := frame.Blocks(ctx, n, rowsAtOnce, func(lo, hi int) { vmath.Axpy(1, t.m[lo*n:hi*n], t.k[lo*n:hi*n]) }); err != nil {
					return err
				}
			}
			made = width
		}
		m := &machine{N: n, D: d, Outputs: train.Shape().Outputs(), Linear: linear, X: x, Gamma: gamma}
		for _, y := range frame.OneAgainstRest(train) {
			fit := t.logistic
			if train.Task == registry.Regression {
				fit = t.ridge
			}
			coef, bias, err := fit(ctx, y, p.Lambda)
			if err != nil {
				return fmt.Errorf("lambda=%v: %w", p.Lambda, err)
			}
			m.Coef, m.Bias = append(m.Coef, coef...), append(m.Bias, bias)
		}
		if err := yield(i, m); err != nil {
			return err
		}
	}
	return nil
}

// A trainer solves, for a kernel matrix K,
//
//	min over alpha, b  (1/n) sum_i L(y_i, (K alpha)_i + b) + lambda alpha'K alpha
//
// with the square or the logistic loss; the intercept is not penalised.
type trainer struct {
	n      int
	k, m   []float64
	solver *cholesky.Factorizer
}

// ridge: L = (y-f)^2. The solution is (K + n lambda I) alpha + b = y, sum alpha = 0.
func (t *trainer) ridge(ctx context.Context, y []float64, lambda float64) ([]float64, float64, error) {
	ones := make([]float64, t.n)
	for i := range ones {
		ones[i] = 1
	}
	return t.weighted(ctx, ones, y, float64(t.n)*lambda)
}

// weighted solves (K + c W^-1) alpha + b = z, sum alpha = 0, W = diag(s)^2, through
// the factor of cI + diag(s) K diag(s), which is well conditioned even where weights vanish.
func (t *trainer) weighted(ctx context.Context, s, z []float64, c float64) ([]float64, float64, error) {
	n := t.n
	err := frame.Blocks(ctx, n, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row, out := t.k[i*n:i*n+i+1], t.m[i*n:i*n+i+1]
			for j, v := range row {
				out[j] = s[i] * s[j] * v
			}
			out[i] += c
		}
	})
	if err != nil {
		return nil, 0, err
	}
	if err := factor(ctx, t.solver, t.m); err != nil {
		return nil, 0, err
	}
	u, v := make([]float64, n), make([]float64, n)
	floats.MulTo(u, s, z)
	copy(v, s)
	for _, b := range [][]float64{u, v} {
		if err := t.solver.Solve(ctx, t.m, b); err != nil {
			return nil, 0, err
		}
	}
	floats.Mul(u, s)
	floats.Mul(v, s)
	b := floats.Sum(u) / floats.Sum(v)
	floats.AddScaled(u, -b, v)
	return u, b, nil
}

const (
	newtonSteps  = 100
	newtonTol    = 1e-9 // relative, largest change of a training score at which the iteration stops
	newtonAccept = 1e-6 // largest violation of 2 n lambda alpha_i = (1+y_i)/2 - p_i in a solution
)

// logistic: L = log(1 + exp(-y f)), by Newton's method. A step is ridge regression with weights
// w = p (1-p) and targets f + ((1+y)/2 - p)/w, p = 1/(1 + exp(-f)); it is halved until the objective falls, or at
// least does not rise beyond rounding: equal rows leave directions of alpha along which only the last steps count.
func (t *trainer) logistic(ctx context.Context, y []float64, lambda float64) ([]float64, float64, error) {
	n := t.n
	c := 2 * float64(n) * lambda
	alpha, f := make([]float64, n), make([]float64, n)
	m := floats.Sum(y) / float64(n)
	if math.Abs(m) >= 1 {
		return nil, 0, fmt.Errorf("all labels are %v: logistic regression needs both classes", y[0])
	}
	b := vmath.LogScalar((1 + m) / (1 - m))
	for i := range f {
		f[i] = b
	}
	value := t.objective(y, f, b, alpha, c)
	s, z, next := make([]float64, n), make([]float64, n), make([]float64, n)
	for range newtonSteps {
		for i, v := range f {
			p := 1 / (1 + vmath.ExpScalar(-v))
			w := max(p*(1-p), 1e-12)
			s[i] = math.Sqrt(w)
			z[i] = v + ((1+y[i])/2-p)/w
		}
		to, bias, err := t.weighted(ctx, s, z, c)
		if err != nil {
			return nil, 0, err
		}
		if err := frame.Blocks(ctx, n, rowsAtOnce, func(lo, hi int) { vmath.MatVec(next[lo:hi], t.k[lo*n:hi*n], hi-lo, n, to) }); err != nil {
			return nil, 0, err
		}
		floats.AddConst(bias, next)
		change := floats.Distance(next, f, math.Inf(1))
		step, moved := 1.0, false
		for range 40 {
			a, g, h := mix(alpha, to, step), mix(f, next, step), b+step*(bias-b)
			if v := t.objective(y, g, h, a, c); v <= value+float64(1e-12*value) {
				alpha, f, b, value, moved = a, g, h, v, true
				break
			}
			step /= 2
		}
		if !moved || change*step <= newtonTol*max(1, floats.Norm(f, math.Inf(1))) {
			break
		}
	}
	for i, v := range f { // the derivative in f, over n
		if off := math.Abs(float64(c*alpha[i]) - (1+y[i])/2 + 1/(1+vmath.ExpScalar(-v))); !(off <= newtonAccept) {
			return nil, 0, fmt.Errorf("no convergence: Newton's method ends %.2g from a stationary point, above %.0g: raise lambda", off, newtonAccept)
		}
	}
	return alpha, b, nil
}

// mix returns a + step (b - a).
func mix(a, b []float64, step float64) []float64 {
	out := make([]float64, len(a))
	for i, v := range a {
		out[i] = v + step*(b[i]-v)
	}
	return out
}

// objective is n times the problem's, with c = 2 n lambda.
func (t *trainer) objective(y, f []float64, b float64, alpha []float64, c float64) float64 {
	sum := 0.0
	for i, v := range f {
		margin := y[i] * v
		sum += vmath.Log1pScalar(vmath.ExpScalar(-math.Abs(margin))) + max(0, -margin) + float64(c/2*alpha[i]*(v-b))
	}
	return sum
}
