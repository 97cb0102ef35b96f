package kernel

import (
	"context"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// EigenPro declares EIGENPRO: least squares on the kernel functions of m rows z_j, the landmarks, by stochastic
// gradient descent in the kernel's space of functions. For each output, with labels +1 and -1 as targets, or with
// targets less their mean, it goes towards
//
//	min over alpha (m)  |K_nm alpha - y|^2,   f = sum_j alpha_j k(., z_j),
//
// from f = 0, and stops early: there is no penalty. The rows are taken in a random order that is drawn once. The first
// m are the landmarks, and the first s <= m are the subsample S, with the eigenvalues lambda_1 >= lambda_2 >= .. of
// K_ss / s and their unit vectors v_i. The algorithm is EigenPro 3 with the exact projection (Abedsoltan, Belkin and
// Pandit, Algorithm 1), with B rows X_b at a time:
//
//	1  for each batch X_b, of every epoch:
//	2      g = f(X_b) - y_b, the residuals
//	3      h = K_mb g, the gradient's values at the landmarks
//	4      alpha = alpha - step (K_mm^-1 h - I_s sum_{i<=q} (1 - tau/lambda_i) / (s lambda_i) v_i v_i'h_s)
//
// K_mm^-1 h are the coefficients of the gradient's projection on the functions of the landmarks. h_s is h at the rows
// of S. The sum takes from the gradient most of what it has in the first q eigenfunctions, so that its largest
// eigenvalue becomes tau and the step may be lambda_1/tau times as large. I_s puts an element of S to its place among
// the landmarks. If all rows are landmarks, K_mm^-1 h is g at the places of the batch, with no system to solve: this is
// EigenPro 2 (Ma and Belkin).
//
// What is chosen by itself, with k(x, x) = 1: q is the number of lambda_i >= eigenRows/s, up to a limit, and tau is the
// larger of eigenRows/s and lambda_{q+1}. (In these papers tau is the first eigenvalue whose vector is not used.) B is
// 1/tau, as a multiple of 64; a larger batch would need as many epochs. step is 1 / (1 + (B - 1) tau), half of the
// bound below which the descent is stable.
//
// Stopping rule: the given number of epochs, which are passes over all rows. It is the method's own early end, its only
// regularisation besides the landmarks.
func EigenPro() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "EIGENPRO", Version: "2", Tasks: registry.Binary | registry.Multiclass | registry.Regression,
		Growth:  registry.Growth{Rows: 1, Features: 0.05, Outputs: 0.25, Points: 0.55},
		Source:  "Abedsoltan, Belkin and Pandit, ICML 2023; Ma and Belkin, MLSys 2019",
		Summary: "least squares on landmarks, by gradient descent preconditioned by eigenvectors",
		Load:    fitting.NearLoad(load),
	}, EigenProParams{Landmarks: 2000, Gamma: 0.1, Epochs: 10}, registry.Grid{
		{Name: "gamma", Values: registry.Powers(2, -2, 2), Per: registry.PerFeature},
		{Name: "epochs", Values: []any{1, 3, 10, 30}},
	}, fitting.NearPath(pathEigenPro), registry.Memory(memoryEigenPro))
}

// EigenProParams holds the parameters of EIGENPRO.
type EigenProParams struct {
	Landmarks int     `json:"landmarks" range:"[1,)" means:"rows whose kernel functions make the model; at most all rows"`
	Gamma     float64 `json:"gamma" range:"(0,)" means:"coefficient of the kernel exp(-gamma |x-x'|^2)"`
	Epochs    int     `json:"epochs" range:"[1,)" means:"passes over the rows"`
}

const (
	eigenMore = 25 // further vectors of the iteration, which then converges faster
	eigenRows = 2  // the least s tau: a subsample overrates how much of the space its smaller eigenvectors take up
	// manyRows is the number of rows from which on the subsample and the preconditioner are twice as large.
	manyRows = 50000
)

// eigenSizes returns, for n rows and m landmarks, the size of the subsample, how many eigenvectors the preconditioner
// has at most, and how many are looked for. With many rows, larger batches save more than further eigenvectors cost.
func eigenSizes(n, m int) (s, most, r int) {
	s, most = 1000, 100
	if n >= manyRows {
		s, most = 2*s, 2*most
	}
	s = min(s, m)
	return s, most, min(s, most+eigenMore)
}

// memoryEigenPro counts the cover, the eigenvectors with their matrix, the coefficients and the gradient, the rows in
// their order, and the model.
func memoryEigenPro(shape registry.Shape, p EigenProParams) int64 {
	n, d, m, out := int64(shape.N), int64(shape.D), int64(min(p.Landmarks, shape.N)), int64(shape.Outputs())
	s, _, r := eigenSizes(shape.N, int(m))
	total := coverBytes(shape.N, int(m), shape.D) + 8*(int64(s)*int64(s+3*r)+n*(d+3*out)+m*(2*d+5*out))
	if m == n { // there is no factor of K_mm
		total -= 8*m*m + solve.FactorBytes(int(m))
	}
	return total
}

// eigenGroups returns the grid points that differ in the epochs alone, in the order of the epochs.
func eigenGroups(ps []EigenProParams) [][]int {
	alike := func(i int) EigenProParams { return EigenProParams{Landmarks: ps[i].Landmarks, Gamma: ps[i].Gamma} }
	return fitting.GroupsBy(fitting.Upto(len(ps)), alike, func(i int) int { return ps[i].Epochs })
}

func pathEigenPro(ctx context.Context, env registry.Env, train registry.Data, ps []EigenProParams,
	yield func(int, registry.Model) error) error {
	d := train.Shape().D
	targets, mean := fitting.Targets(train)
	x, ys := shuffled(env, fitting.Rows(train.X), d, targets)
	var strips []float64 // of all covers in turn: two at a time would be more than is declared
	for _, group := range eigenGroups(ps) {
		p := ps[group[0]]
		e, err := newDescent(ctx, x, d, p.Landmarks, p.Gamma, ys)
		if err != nil {
			return fmt.Errorf("EIGENPRO with gamma=%v: %w", p.Gamma, err)
		}
		e.cover.strips = strips
		if err := e.precondition(ctx); err != nil {
			return err
		}
		done := 0
		for _, i := range group {
			for ; done < ps[i].Epochs; done++ {
				if err := e.epoch(ctx); err != nil {
					return err
				}
			}
			m := e.cover.machineOf(len(ys))
			m.Coef, m.Bias = slices.Clone(e.coef), slices.Repeat([]float64{mean}, len(ys))
			if err := yield(i, m); err != nil {
				return err
			}
		}
		strips = e.cover.strips
	}
	return nil
}

// shuffled returns the rows of x, of d features, and the targets in one random order.
func shuffled(env registry.Env, x []float64, d int, ys [][]float64) (rows []float64, targets [][]float64) {
	n := len(x) / d
	rows, targets = make([]float64, 0, len(x)), make([][]float64, len(ys))
	for _, i := range env.Rand().Permutation(n) {
		rows = append(rows, x[i*d:(i+1)*d]...)
		for j, y := range ys {
			targets[j] = append(targets[j], y[i])
		}
	}
	return rows, targets
}

// A descent is the state of the algorithm.
type descent struct {
	cover *cover // of all rows by the landmarks, the first of them
	ys    [][]float64
	coef  []float64 // alpha, outputs x m

	vectors []float64 // v_i as rows, q x s
	shrink  []float64 // (1 - tau/lambda_i) / (s lambda_i)
	batch   int       // B
	step    float64

	gradient  []float64 // h, outputs x m
	residuals []float64 // g of the rows of the batch, outputs x n
}

// newDescent makes the state for rows in their order, before the first epoch. It needs a call of precondition.
func newDescent(ctx context.Context, x []float64, d, landmarks int, gamma float64, ys [][]float64) (*descent, error) {
	n := len(x) / d
	m := min(landmarks, n)
	e := &descent{cover: bareCover(x, slices.Clone(x[:m*d]), d, gamma), ys: ys, coef: make([]float64, len(ys)*m),
		gradient: make([]float64, len(ys)*m), residuals: make([]float64, len(ys)*n)}
	if m == n {
		return e, nil
	}
	return e, e.cover.factorize(ctx)
}

// precondition finds the eigenvectors, and chooses q, the size of the batches and the step.
func (e *descent) precondition(ctx context.Context) error {
	c := e.cover
	s, most, r := eigenSizes(c.n, c.m)
	k := make([]float64, s*s)
	if err := square(ctx, k, c.zs[:s*c.d], c.zSquares[:s], c.d); err != nil {
		return err
	}
	values, vectors, err := largestEigen(ctx, k, s, r, spectrumPowers)
	if err != nil {
		return err
	}
	q := 0
	for q < min(r-1, most) && values[q] >= eigenRows { // lambda_{q+1} = values[q] / s
		q++
	}
	level := max(values[q], eigenRows)
	e.prepare(values[:q], vectors[:q*s], level)
	tau := level / float64(s)
	e.batch = min(c.n, rowsAtOnce*max(1, int(1/tau)/rowsAtOnce))
	e.step = 1 / (1 + float64(float64(e.batch-1)*tau))
	return nil
}

// prepare sets the preconditioner of line 4 from the first q eigenvalues and vectors of K_ss, and from level = s tau.
func (e *descent) prepare(values, vectors []float64, level float64) {
	e.vectors, e.shrink = slices.Clone(vectors), make([]float64, len(values))
	for i, v := range values {
		e.shrink[i] = (1 - level/v) / v
	}
}

// epoch is lines 1 to 4 for one pass over the rows.
func (e *descent) epoch(ctx context.Context) error {
	c, outputs := e.cover, len(e.ys)
	f, g, sums := make([]float64, rowsAtOnce*outputs), make([]float64, outputs*rowsAtOnce), make([]float64, outputs*c.m)
	clear(e.gradient)
	from := 0
	return c.each(ctx, func(lo, hi int, k []float64) error {
		h := hi - lo
		vmath.MatMulT(f[:h*outputs], k, h, c.m, e.coef, outputs)
		for j, y := range e.ys {
			for i := range h {
				g[j*h+i] = f[i*outputs+j] - y[lo+i]
			}
			copy(e.residuals[j*c.n+lo:j*c.n+hi], g[j*h:(j+1)*h])
		}
		vmath.MatMul(sums, g[:outputs*h], outputs, h, k, c.m)
		vmath.Axpy(1, sums, e.gradient)
		if hi-from < e.batch && hi < c.n {
			return nil
		}
		err := e.move(ctx, from, hi)
		from = hi
		return err
	})
}

// move is line 4 for the batch of rows lo .. hi-1, whose h is the gradient. The gradient becomes zero.
func (e *descent) move(ctx context.Context, lo, hi int) error {
	c, q := e.cover, len(e.shrink)
	s, parts := 0, make([]float64, q)
	if q > 0 {
		s = len(e.vectors) / q
	}
	part := make([]float64, s)
	for j := range e.ys {
		h, alpha := e.gradient[j*c.m:(j+1)*c.m], e.coef[j*c.m:(j+1)*c.m]
		if q > 0 {
			vmath.RowDots(parts, e.vectors, s, q, s, h[:s])
			for i, v := range e.shrink {
				parts[i] *= v
			}
			vmath.MatTVec(part, e.vectors, q, s, parts)
		}
		if c.m == c.n {
			vmath.Axpy(-e.step, e.residuals[j*c.n+lo:j*c.n+hi], alpha[lo:hi])
		} else {
			if err := c.solver.Solve(ctx, c.factor, h); err != nil {
				return err
			}
			vmath.Axpy(-e.step, h, alpha)
		}
		vmath.Axpy(e.step, part, alpha[:s])
		clear(h)
	}
	return nil
}
