package kernel

import (
	"context"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A system is, for S = diag(s) and a right side r,
//
//	A beta + s db = r,   s'beta = 0,   A = c I + S K S,
//
// or, without an intercept, A beta = r. The solver replaces r by the residual.
//
// Algorithm: conjugate gradients from beta = 0 with a preconditioner P of A. The condition s'beta = 0 holds at every step,
// since the directions are made of projected residuals (Gould, Hribar and Nocedal, SIAM J. Sci. Comput. 2001): z = P^-1 (r - mu
// s), with mu such that s'z = 0. db is the sum of all mu.
//
// Stopping rule: max |s_i r_i| <= bound, or rounding leaves no z'r > 0.
type system struct {
	c        float64
	bordered bool
	pre      *preconditioner
	h        []float64 // the factor from which P^-1 is applied

	s, r, beta []float64
	kbeta      []float64 // K S beta
	z, p       []float64 // P^-1 r; the direction
	sp, ksp    []float64 // S p, K S p
	border     []float64 // P^-1 s
	weight, rz float64   // s'P^-1 s, z'r
	db, bound  float64
}

// innerSteps is the number of steps after which a system ends if rounding keeps it above its bound.
const innerSteps = 1000

// A MatVec multiplies a symmetric matrix with several vectors at a time: Mul sets dst[k] to the product of the matrix with src[k]. The
// bits of a product do not depend on the other vectors.
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
	for _, v := range []*[]float64{&s.s, &s.r, &s.beta, &s.kbeta, &s.z, &s.p, &s.sp, &s.ksp, &s.border} {
		*v = make([]float64, pre.n)
	}
	return s
}

// begin sets beta = 0 and prepares the preconditioner and the first direction. The caller has set s and r.
func (y *system) begin(ctx context.Context, bound float64) error {
	if err := y.pre.weigh(ctx, y.h, y.c, y.s); err != nil {
		return err
	}
	if y.bordered {
		if err := y.pre.solve(ctx, y.border, y.h, y.c, y.s, y.s); err != nil {
			return err
		}
		y.weight = vmath.Dot(y.s, y.border)
	}
	clear(y.beta)
	clear(y.kbeta)
	clear(y.p)
	y.db, y.rz, y.bound = 0, math.Inf(1), bound
	return y.direct(ctx)
}

// conjugateGradients solves the systems, which share the products with K.
func conjugateGradients(ctx context.Context, k MatVec, systems []*system) error {
	for range innerSteps {
		systems = slices.DeleteFunc(slices.Clone(systems), (*system).done)
		if len(systems) == 0 {
			return nil
		}
		if err := multiply(ctx, k, systems, func(y *system) (dst, src []float64) { return y.ksp, y.sp }); err != nil {
			return err
		}
		for _, y := range systems {
			length := y.rz / (float64(y.c*vmath.Dot(y.p, y.p)) + vmath.Dot(y.sp, y.ksp))
			vmath.Axpy(length, y.p, y.beta)
			vmath.Axpy(length, y.ksp, y.kbeta)
			for i, v := range y.p {
				y.r[i] -= float64(length * (float64(y.c*v) + float64(y.s[i]*y.ksp[i])))
			}
			if err := y.direct(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// direct projects the residual (z = P^-1 (r - mu s), r = r - mu s, db = db + mu) and sets the next direction.
func (y *system) direct(ctx context.Context) error {
	if err := y.pre.solve(ctx, y.z, y.h, y.c, y.s, y.r); err != nil {
		return err
	}
	if y.bordered {
		mu := vmath.Dot(y.s, y.z) / y.weight
		vmath.Axpy(-mu, y.border, y.z)
		vmath.Axpy(-mu, y.s, y.r)
		y.db += mu
	}
	before := y.rz
	y.rz = vmath.Dot(y.r, y.z)
	for i, v := range y.z {
		y.p[i] = v + float64(y.rz/before*y.p[i])
		y.sp[i] = y.s[i] * y.p[i]
	}
	return nil
}

// done reports that the stopping rule is met.
func (y *system) done() bool {
	worst := 0.0
	for i, v := range y.r {
		worst = max(worst, math.Abs(v*y.s[i]))
	}
	return worst <= y.bound || !(y.rz > 0)
}
