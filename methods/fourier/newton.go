package fourier

import (
	"context"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

const (
	loosest   = 1e-3  // largest relative residual at which conjugate gradients end
	tightest  = 1e-6  // smallest relative residual that is asked of them
	forcing   = 0.1   // times the root of the relative miss is the residual asked for, between these limits
	mostTurns = 500   // steps of conjugate gradients
	descent   = 1e-4  // Armijo's part of the slope
	shortest  = 1e-6  // the smallest part of a step that is tried
	blur      = 1e-14 // times h(f) is by how much phi may rise, for rounding
)

// newton takes a step at every point: the largest of 1, 1/2, 1/4 .. of Newton's step by which phi falls enough.
func (l *lasso) newton(ctx context.Context, ps []*point, lambda float64) error {
	ss := make([]*system, len(ps))
	for i, p := range ps {
		ss[i] = l.newSystem(p, lambda)
	}
	if err := l.conjugateGradients(ctx, ss); err != nil {
		return err
	}
	l.apply(ss, func(s *system) []float64 { return s.z })
	for _, s := range ss {
		s.aim()
	}
	for t := 1.0; len(ss) > 0 && t >= shortest; t /= 2 {
		if err := ctx.Err(); err != nil {
			return err
		}
		some := make([]*point, len(ss))
		for i, s := range ss {
			some[i] = s.point
			copy(s.f, s.start)
			vmath.Axpy(t, s.out, s.f)
		}
		l.slopes(some)
		l.proximal(some, lambda)
		ss = slices.DeleteFunc(ss, func(s *system) bool { return s.phi <= s.before+float64(descent*t*s.slope)+float64(blur*s.loss) })
	}
	l.refit(ps)
	return nil
}

// A system is that of Newton's step of one point, (I + D^1/2 X tau M X' D^1/2) z = D^1/2 (X w - f).
type system struct {
	*point
	root        []float64 // D^1/2
	use         []bool
	shrunk      []float64 // of each block: r of M
	z, rest, to []float64 // solution, residual and direction of conjugate gradients
	square      float64   // of the residual
	enough      float64   // square at which they end
	in, out     []float64 // of X tau M X' D^1/2: X'.. and, in the end, the step in f

	start         []float64 // f and phi before the step, and the slope of phi along it
	before, slope float64
}

func (l *lasso) newSystem(p *point, lambda float64) *system {
	vector := func() []float64 { return make([]float64, l.n) }
	s := &system{point: p, root: vector(), use: l.used(p.w), shrunk: make([]float64, len(l.blocks)), z: vector(), rest: vector(), out: vector(),
		in: make([]float64, l.rank), start: slices.Clone(p.f), before: p.phi}
	l.loss.second(s.root, p.f, p.y)
	for i, h := range s.root {
		s.root[i] = math.Sqrt(h)
		s.rest[i] = s.root[i] * (p.fit[i] - p.f[i])
	}
	for j, b := range l.blocks {
		s.shrunk[j] = p.tau * lambda / (norm(b.part(p.w)) + float64(p.tau*lambda))
	}
	s.to, s.square = slices.Clone(s.rest), vmath.Dot(s.rest, s.rest)
	tol := min(loosest, max(tightest, forcing*math.Sqrt(p.miss()/p.fitLoss)))
	s.enough = tol * tol * s.square
	p.waited++
	return s
}

// apply sets out of every system to X tau M X' D^1/2 x.
func (l *lasso) apply(ss []*system, x func(s *system) []float64) {
	ins, outs, use := make([][]float64, len(ss)), make([][]float64, len(ss)), make([][]bool, len(ss))
	for i, s := range ss {
		for k, v := range x(s) {
			s.out[k] = s.root[k] * v
		}
		ins[i], outs[i], use[i] = s.in, s.out, s.use
	}
	l.gradients(ins, outs, use)
	for _, s := range ss {
		for j, b := range l.blocks {
			if s.use[j] {
				s.bend(b.part(s.in), b.part(s.w), s.shrunk[j])
			}
		}
	}
	l.fits(outs, ins, use)
}

// bend replaces u by tau M u in a block.
func (s *system) bend(u, w []float64, r float64) {
	along := r * vmath.Dot(w, u) / vmath.Dot(w, w)
	for k, v := range w {
		u[k] = s.tau * (float64((1-r)*u[k]) + float64(along*v))
	}
}

// conjugateGradients solves the systems (Hestenes and Stiefel), each to its own tolerance.
func (l *lasso) conjugateGradients(ctx context.Context, ss []*system) error {
	left := slices.Clone(ss)
	for range mostTurns {
		left = slices.DeleteFunc(left, func(s *system) bool { return s.square <= s.enough })
		if len(left) == 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		l.apply(left, func(s *system) []float64 { return s.to })
		for _, s := range left {
			for i, v := range s.root {
				s.out[i] = s.to[i] + float64(v*s.out[i])
			}
			length := s.square / vmath.Dot(s.to, s.out)
			vmath.Axpy(length, s.to, s.z)
			vmath.Axpy(-length, s.out, s.rest)
			before := s.square
			s.square = vmath.Dot(s.rest, s.rest)
			for i, v := range s.rest {
				s.to[i] = v + float64(s.square/before*s.to[i])
			}
		}
	}
	return nil
}

// aim makes out, which is X tau M X' dv, the step df = X w - f - X tau M X' dv, and notes the slope of phi along it.
func (s *system) aim() {
	for i, v := range s.out {
		rest := s.fit[i] - s.f[i]
		s.out[i] = rest - v
		s.slope -= float64(s.root[i]*s.root[i]) * float64(rest*s.out[i])
	}
}
