package kernel

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/frame"
	"github.com/kernelboosting/bench/methods/internal/vector"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
)

// solveExact solves the problems of the trainer for each penalty, with one kernel matrix.
func solveExact(ctx context.Context, x, gamma []float64, of kind, train registry.Data, lambdas []float64, yield func(int, *machine) error) error {
	d := len(gamma)
	n := len(x) / d
	t := &trainer{n: n, k: make([]float64, n*n), m: make([]float64, n*n), solver: cholesky.New(n), intercept: of.intercept}
	scaled, squares := scaleRows(x, d, gamma)
	if err := square(ctx, t.k, scaled, squares, d); err != nil {
		return err
	}
	if of.linear {
		if err := cholesky.Gram(ctx, t.m, x, n, d); err != nil {
			return err
		}
		vmath.Axpy(1, t.m, t.k)
	}
	for i, lambda := range lambdas {
		m := &machine{N: n, D: d, Outputs: train.Shape().Outputs(), Linear: of.linear, X: x, Gamma: gamma}
		for _, y := range frame.OneAgainstRest(train) {
			fit := t.logistic
			if train.Task == registry.Regression {
				fit = t.ridge
			}
			coef, bias, err := fit(ctx, y, lambda)
			if err != nil {
				return fmt.Errorf("lambda=%v: %w", lambda, err)
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
// with the square or the logistic loss; the intercept b is not penalised, or is none: b = 0.
type trainer struct {
	n         int
	k, m      []float64
	solver    *cholesky.Factorizer
	intercept bool
}

// ridge: L = (y-f)^2. The solution is (K + n lambda I) alpha + b = y, sum alpha = 0 (without an intercept, any sum).
func (t *trainer) ridge(ctx context.Context, y []float64, lambda float64) ([]float64, float64, error) {
	ones := make([]float64, t.n)
	for i := range ones {
		ones[i] = 1
	}
	return t.weighted(ctx, ones, y, float64(t.n)*lambda)
}

// weighted solves (K + c W^-1) alpha + b = z, sum alpha = 0, W = diag(s)^2, or without b and the sum, through
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
	u, v := make([]float64, n), slices.Clone(s)
	floats.MulTo(u, s, z)
	if err := t.solver.Solve(ctx, t.m, u); err != nil {
		return nil, 0, err
	}
	floats.Mul(u, s)
	if !t.intercept {
		return u, 0, nil
	}
	if err := t.solver.Solve(ctx, t.m, v); err != nil {
		return nil, 0, err
	}
	floats.Mul(v, s)
	b := vmath.Sum(u) / vmath.Sum(v)
	vector.AddScaled(u, -b, v)
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
	b, err := firstBias(y, t.intercept)
	if err != nil {
		return nil, 0, err
	}
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
		change := vector.MaxAbs(floats.SubTo(z, next, f))
		step, moved := 1.0, false
		for range 40 {
			a, g, h := mix(alpha, to, step), mix(f, next, step), b+step*(bias-b)
			if v := t.objective(y, g, h, a, c); v <= value+float64(1e-12*value) {
				alpha, f, b, value, moved = a, g, h, v, true
				break
			}
			step /= 2
		}
		if !moved || change*step <= newtonTol*max(1, vector.MaxAbs(f)) {
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

// firstBias is the intercept that fits the labels y best alone, or 0.
func firstBias(y []float64, intercept bool) (float64, error) {
	m := vmath.Sum(y) / float64(len(y))
	if math.Abs(m) >= 1 {
		return 0, fmt.Errorf("all labels are %v: logistic regression needs both classes", y[0])
	}
	if !intercept {
		return 0, nil
	}
	return vmath.LogScalar((1 + m) / (1 - m)), nil
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
