package solve

import (
	"context"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// Conjugate solves systems A x = b side by side, each with a symmetric positive definite matrix A, by conjugate
// gradients with a preconditioner P (Hestenes and Stiefel 1952; Nocedal and Wright, Numerical Optimization, Algorithm
// 5.3). From x = 0, r = b and p = 0 a turn is
//
//	1  z = P^-1 r
//	2  p = z + (r.z / r.z of the turn before) p
//	3  a = r.z / p.A p,  x = x + a p,  r = r - a A p
//
// apply makes A p of several systems at a time, since they may share the reading of a matrix.
//
// Stopping rule: a system drops out after line 2 if it is Done, or if rounding leaves no r.z > 0; and before line 3 if
// p has no curvature p.A p > 0.
func Conjugate[S System](ctx context.Context, systems []S, apply func([]S) error) error {
	for _, s := range systems {
		c := s.state()
		c.Turn, c.RZ = 0, math.Inf(1)
		clear(c.X)
		clear(c.P)
	}
	for {
		for _, s := range systems {
			c := s.state()
			before := c.RZ
			var err error
			if c.RZ, err = s.Precondition(ctx); err != nil {
				return err
			}
			for i, v := range c.Z {
				c.P[i] = v + float64(c.RZ/before*c.P[i])
			}
		}
		systems = slices.DeleteFunc(slices.Clone(systems), func(s S) bool { return s.Done() || !(s.state().RZ > 0) })
		if len(systems) == 0 {
			return nil
		}
		if err := apply(systems); err != nil {
			return err
		}
		systems = slices.DeleteFunc(systems, func(s S) bool {
			c, bend := s.state(), s.Curvature()
			if bend > 0 {
				s.Move(c.RZ / bend)
				c.Turn++
			}
			return !(bend > 0)
		})
	}
}

// A System is a system of [Conjugate]: a type that embeds CG, and has a method Done that is its stopping rule. It may
// replace the other methods.
type System interface {
	state() *CG
	Precondition(ctx context.Context) (rz float64, err error) // line 1: sets Z and returns r.z
	Curvature() float64                                       // p.A p
	Move(a float64)                                           // line 3
	Done() bool
}

// CG holds the vectors of Conjugate and what a method Done needs. The caller has set R to b.
type CG struct {
	X, R []float64 // the solution, and the residual b - A x
	Z, P []float64 // P^-1 r, and the direction
	AP   []float64 // A p, which apply sets
	RZ   float64   // r.z
	Turn int       // turns so far
}

// NewCG makes the vectors of a system of n equations without a preconditioner: Z is R.
func NewCG(n int) CG {
	c := CG{X: make([]float64, n), R: make([]float64, n), P: make([]float64, n), AP: make([]float64, n)}
	c.Z = c.R
	return c
}

func (c *CG) state() *CG { return c }

// Precondition is line 1 with the identity as P, where Z is R.
func (c *CG) Precondition(context.Context) (rz float64, err error) { return vmath.Dot(c.R, c.Z), nil }

// Curvature returns p.A p.
func (c *CG) Curvature() float64 { return vmath.Dot(c.P, c.AP) }

// Move is line 3.
func (c *CG) Move(a float64) {
	vmath.Axpy(a, c.P, c.X)
	vmath.Axpy(-a, c.AP, c.R)
}
