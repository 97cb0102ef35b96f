package kernel

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// A system is, for S = diag(s) and a right side r,
//
//	A beta + s db = r,   s'beta = 0,   A = c I + S K S,
//
// or, without an intercept, A beta = r. The solver replaces r by the residual.
//
// Algorithm: conjugate gradients ([solve.Conjugate]) with a preconditioner P of A; X is beta. The condition s'beta = 0
// holds at every step, since the directions are made of projected residuals (Gould, Hribar and Nocedal, SIAM J. Sci.
// Comput. 2001): z = P^-1 (r - mu s), with mu such that s'z = 0. db is the sum of all mu.
//
// Stopping rule: max |s_i r_i| <= bound, or innerSteps steps.
type system struct {
	solve.CG
	c        float64
	bordered bool
	pre      *preconditioner
	h        []float64 // the factor from which P^-1 is applied

	s       []float64
	kbeta   []float64 // K S beta
	sp, ksp []float64 // S p, K S p
	border  []float64 // P^-1 s
	weight  float64   // s'P^-1 s
	db      float64
	bound   float64
}

// innerSteps is the number of steps after which a system ends if rounding keeps it above its bound.
const innerSteps = 1000

// A MatVec multiplies a symmetric matrix with several vectors at a time: Mul sets dst[k] to the product of the matrix
// with src[k]. The bits of a product do not depend on the other vectors.
type MatVec interface {
	Mul(ctx context.Context, dst, src [][]float64) error
}

// multiply makes one product with K for each part. of returns the vectors of a part.
func multiply[T any](ctx context.Context, k MatVec, parts []T, of func(T) (dst, src []float64)) error {
	dst, src := make([][]float64, len(parts)), make([][]float64, len(parts))
	for i, p := range parts {
		dst[i], src[i] = of(p)
	}
	return k.Mul(ctx, dst, src)
}

func newSystem(c float64, bordered bool, pre *preconditioner) *system {
	s := &system{c: c, bordered: bordered, pre: pre, h: make([]float64, pre.r*pre.r)}
	for _, v := range []*[]float64{&s.s, &s.R, &s.X, &s.kbeta, &s.Z, &s.P, &s.sp, &s.ksp, &s.border} {
		*v = make([]float64, pre.n)
	}
	return s
}

// begin prepares the preconditioner. The caller has set s and R.
func (y *system) begin(ctx context.Context, bound float64) error {
	clear(y.kbeta)
	y.db, y.bound = 0, bound
	err := y.pre.weigh(ctx, y.h, y.c, y.s)
	if err == nil && y.bordered {
		err = y.pre.solve(ctx, y.border, y.h, y.c, y.s, y.s)
		y.weight = vmath.Dot(y.s, y.border)
	}
	return err
}

// conjugateGradients solves the systems, which share the products with K.
func conjugateGradients(ctx context.Context, k MatVec, systems []*system) error {
	return solve.Conjugate(ctx, systems, func(systems []*system) error {
		return multiply(ctx, k, systems, func(y *system) (dst, src []float64) {
			floats.MulTo(y.sp, y.s, y.P)
			return y.ksp, y.sp
		})
	})
}

// Precondition projects the residual: z = P^-1 (r - mu s), r = r - mu s, db = db + mu.
func (y *system) Precondition(ctx context.Context) (rz float64, err error) {
	if err := y.pre.solve(ctx, y.Z, y.h, y.c, y.s, y.R); err != nil {
		return 0, err
	}
	if y.bordered {
		mu := vmath.Dot(y.s, y.Z) / y.weight
		vmath.Axpy(-mu, y.border, y.Z)
		vmath.Axpy(-mu, y.s, y.R)
		y.db += mu
	}
	return vmath.Dot(y.R, y.Z), nil
}

// Curvature is p.A p from the product K S p.
func (y *system) Curvature() float64 {
	return float64(y.c*vmath.Dot(y.P, y.P)) + vmath.Dot(y.sp, y.ksp)
}

// Move moves K S beta, too.
func (y *system) Move(length float64) {
	vmath.Axpy(length, y.P, y.X)
	vmath.Axpy(length, y.ksp, y.kbeta)
	for i, v := range y.P {
		y.R[i] -= float64(length * (float64(y.c*v) + float64(y.s[i]*y.ksp[i])))
	}
}

// Done reports that the stopping rule is met.
func (y *system) Done() bool {
	worst := 0.0
	for i, v := range y.R {
		worst = max(worst, math.Abs(v*y.s[i]))
	}
	return worst <= y.bound || y.Turn == innerSteps
}
