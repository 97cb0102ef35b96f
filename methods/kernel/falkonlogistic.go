package kernel

import (
	"context"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// Logistic FALKON (Marteau-Ferey, Bach and Rudi, NeurIPS 2019). For each output, with labels +1 and -1, it solves
//
//	min over alpha (m)  (1/n) sum_i log(1 + exp(-y_i f_i)) + lambda alpha'K_mm alpha,   f = K_nm alpha,
//
// by Newton steps for a penalty mu that falls to lambda. A step is the problem of FALKON with the penalty 2 mu and
// weights w_i, the second derivatives of the loss at f_i:
//
//	1  alpha = 0, mu = max(lambda, logisticStart)
//	2  g = K_nm'L'(f) / n + 2 mu K_mm alpha
//	3  delta: (K_nm'diag(w) K_nm / n + 2 mu K_mm) delta = g, by conjugate gradients with the preconditioner B of mu
//	4  alpha = alpha - t delta, t = 1, 1/2, .. until the objective with mu does not grow
//	5  if mu > lambda: mu = max(lambda, mu / logisticFall), and line 2 again
//
// The preconditioner has T diag(w_z) T'/m + 2 mu I as A'A, with the weights w_z of the landmarks. The large penalties
// come first, so that Newton's method begins where it converges fast.
//
// Stopping rule: at mu = lambda, the squared Newton decrement g'delta is at most logisticDecrement, where the objective
// is at most about half of that above its minimum; or logisticSteps steps in all, or no t in line 4, which are no
// errors. Line 3 ends at the relative residual logisticInner, or after max_iter steps.
const (
	logisticStart     = 1e-2
	logisticFall      = 100
	logisticInner     = 0.1
	logisticDecrement = 1e-10
	logisticSteps     = 30
	logisticHalvings  = 20
	logisticOpen      = 1e-6 // a squared decrement above it, where the steps end, is logged as a warning
)

// A newton is the state of one output and penalty. The solution in it is that of line 3, with 2 mu as its penalty.
type newton struct {
	*solution
	loss         logisticLoss
	mu, least    float64   // mu; the penalty lambda
	alpha, f     []float64 // alpha, and K_nm alpha
	root         []float64 // T alpha
	slope, delta []float64 // L'(f); K_nm delta
	right        []float64 // K_nm'L'(f)
	g            []float64 // B'g
	done         bool
}

// logisticFalkon solves the problem for several penalties, each with the next of the labels ys in turn. X becomes
// alpha.
func (c *cover) logisticFalkon(ctx context.Context, all []*solution, ys [][]float64, maxIter int) error {
	left := make([]*newton, len(all))
	for i, s := range all {
		s.reserve(c.m)
		n := &newton{solution: s, loss: logisticLoss{ys[i%len(ys)]}, mu: max(s.lambda, logisticStart), least: s.lambda}
		for _, v := range []*[]float64{&n.f, &n.slope, &n.delta, &n.weights} {
			*v = make([]float64, c.n)
		}
		for _, v := range []*[]float64{&n.alpha, &n.root, &n.right, &n.g} {
			*v = make([]float64, c.m)
		}
		left[i] = n
	}
	states := left
	for range logisticSteps {
		left = slices.DeleteFunc(slices.Clone(left), func(s *newton) bool { return s.done })
		if len(left) == 0 {
			break
		}
		if err := c.newtonStep(ctx, left, maxIter); err != nil {
			return err
		}
	}
	for _, s := range states {
		copy(s.X, s.alpha)
		s.lambda = s.least // newtonSystem has put 2 mu there
	}
	return nil
}

// newtonStep is lines 2 to 5 for some states.
func (c *cover) newtonStep(ctx context.Context, states []*newton, maxIter int) error {
	var rights, slopes, deltas, directions [][]float64
	var solutions []*solution
	for _, s := range states {
		curvature(s.loss, s.f, s.slope, s.weights)
		rights, slopes, deltas = append(rights, s.right), append(slopes, s.slope), append(deltas, s.delta)
		directions, solutions = append(directions, s.tv), append(solutions, s.solution)
	}
	if err := c.project(ctx, rights, slopes); err != nil {
		return err
	}
	for _, s := range states {
		if err := c.newtonSystem(ctx, s); err != nil {
			return err
		}
	}
	if err := c.conjugate(ctx, solutions, logisticInner*logisticInner, maxIter); err != nil {
		return err
	}
	if err := c.values(ctx, deltas, directions); err != nil {
		return err
	}
	for _, s := range states {
		s.descend()
	}
	return nil
}

// curvature sets the first and second derivatives of a loss at f.
func curvature(l logisticLoss, f, slope, weights []float64) {
	l.slopes(f, slope, weights)
	for i, root := range weights {
		weights[i] = root * root
	}
}

// newtonSystem sets the preconditioner of a state, and the right side B'g of its system.
func (c *cover) newtonSystem(ctx context.Context, s *newton) error {
	m := c.m
	at, weights := make([]float64, m), make([]float64, m) // f at the landmarks, which is T'T alpha
	for i := range m {
		at[i] = vmath.Dot(c.factor[i*m:i*m+i+1], s.root[:i+1])
	}
	curvature(logisticLoss{make([]float64, m)}, at, make([]float64, m), weights)
	s.lambda = 2 * s.mu
	var err error
	if s.a, err = c.falkonFactor(ctx, s.lambda, weights); err != nil {
		return fmt.Errorf("the Newton step with mu=%v: %w", s.mu, err)
	}
	err = c.back(ctx, s.solution, s.R, s.right, s.root)
	copy(s.g, s.R)
	return err
}

// descend is lines 4 and 5.
func (s *newton) descend() {
	before := s.objective(s.f, s.root)
	s.open = vmath.Dot(s.g, s.X)
	f, root, moved := make([]float64, len(s.f)), make([]float64, len(s.root)), false
	for t := range solve.Halvings(logisticHalvings) {
		copy(f, s.f)
		vmath.Axpy(-t, s.delta, f)
		copy(root, s.root)
		vmath.Axpy(-t, s.v, root) // v is T delta
		if moved = s.objective(f, root) <= before; moved {
			vmath.Axpy(-t, s.tv, s.alpha)
			s.f, s.root = f, root
			break
		}
	}
	switch {
	case s.mu > s.least:
		s.mu = max(s.least, s.mu/logisticFall)
	case !moved || s.open <= logisticDecrement:
		s.done = true
	}
}

// objective is that with the penalty mu. Its alpha'K_mm alpha has the jitter that K_mm got.
func (s *newton) objective(f, root []float64) float64 {
	return s.loss.value(f)/float64(len(f)) + float64(s.mu*vmath.Dot(root, root))
}
