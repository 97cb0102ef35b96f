package kernel

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/frame"
	"github.com/kernelboosting/bench/methods/internal/vector"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// A preconditioner solves with
//
//	P = c I + S V'V S,   S = diag(s),
//
// for the first r rows of a pivoted factor V of the kernel: by the identity of Woodbury,
//
//	P^-1 x = (x - S V' H^-1 V S x) / c,   H = c I + V S^2 V'  (r x r).
type preconditioner struct {
	n, r   int
	c      float64
	v      []float64 // r x n
	s      []float64
	h      []float64 // the factor of H
	solver *cholesky.Factorizer

	border []float64 // P^-1 s
	weight float64   // s'P^-1 s
	small  []float64
	long   []float64
}

func newPreconditioner(v []float64, n int, c float64) *preconditioner {
	r := len(v) / n
	return &preconditioner{n: n, r: r, c: c, v: v, s: make([]float64, n), h: make([]float64, r*r), solver: cholesky.New(r),
		border: make([]float64, n), small: make([]float64, r), long: make([]float64, n)}
}

// weigh sets S and factors H. scaled has room for r x n.
func (p *preconditioner) weigh(ctx context.Context, s, scaled []float64) error {
	copy(p.s, s)
	scaled = scaled[:p.r*p.n]
	err := frame.Blocks(ctx, p.r, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			floats.MulTo(scaled[i*p.n:(i+1)*p.n], p.v[i*p.n:(i+1)*p.n], s)
		}
	})
	if err != nil {
		return err
	}
	if err := cholesky.Gram(ctx, p.h, scaled, p.r, p.n); err != nil {
		return err
	}
	for i := range p.r {
		p.h[i*p.r+i] += p.c
	}
	if err := factor(ctx, p.solver, p.h); err != nil {
		return err
	}
	if err := p.solve(ctx, p.border, p.s); err != nil {
		return err
	}
	p.weight = vmath.Dot(p.s, p.border)
	return nil
}

// solve sets dst to P^-1 x.
func (p *preconditioner) solve(ctx context.Context, dst, x []float64) error {
	floats.MulTo(p.long, p.s, x)
	if err := p.down(ctx, p.small, p.long); err != nil {
		return err
	}
	if err := p.solver.Solve(ctx, p.h, p.small); err != nil {
		return err
	}
	if err := p.up(ctx, p.long, p.small); err != nil {
		return err
	}
	for i, v := range p.long {
		dst[i] = (x[i] - float64(p.s[i]*v)) / p.c
	}
	return nil
}

// down sets dst (r) to V x, up sets dst (n) to V'u.
func (p *preconditioner) down(ctx context.Context, dst, x []float64) error {
	return frame.Blocks(ctx, p.r, rowsAtOnce, func(lo, hi int) { vmath.MatVec(dst[lo:hi], p.v[lo*p.n:hi*p.n], hi-lo, p.n, x) })
}

func (p *preconditioner) up(ctx context.Context, dst, u []float64) error {
	clear(dst)
	part := make([]float64, p.n)
	return frame.Blocks(ctx, p.r, rowsAtOnce, func(lo, hi int) {
		vmath.MatTVec(part, p.v[lo*p.n:hi*p.n], hi-lo, p.n, u[lo:hi])
		vmath.Axpy(1, part, dst)
	})
}

// A start is the solution for the kernel V'V in the place of K, by Newton's method:
//
//	min over u, b  sum_i L(y_i, f_i) + c/2 |u|^2,   f = V'u + b.
//
// At the minimum u = V alpha and c alpha = -L'(f). A step is halved until the objective falls.
type start struct {
	p    *preconditioner
	loss loss
	u, f []float64
	b    float64
}

const (
	startSteps = 50
	startTol   = 1e-2 // largest change of a training score, relative to the largest, at which the start is good enough
)

// descend takes Newton's steps until tol, and leaves the preconditioner with the weights of the last.
func (t *start) descend(ctx context.Context, scaled []float64, tol float64) error {
	p, n := t.p, t.p.n
	g, s, df, f := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	du, vw, du2, u := make([]float64, p.r), make([]float64, p.r), make([]float64, p.r), make([]float64, p.r)
	value := t.loss.value(t.f) + float64(p.c/2*vmath.Dot(t.u, t.u))
	for range startSteps {
		t.loss.slopes(t.f, g, s)
		if err := p.weigh(ctx, s, scaled); err != nil {
			return err
		}
		// H du + V w db = -(V g + c u),  (V w)'du + sum(w) db = -sum(g)
		if err := p.down(ctx, du, g); err != nil {
			return err
		}
		for i := range du {
			du[i] = -du[i] - float64(p.c*t.u[i])
		}
		if err := p.solver.Solve(ctx, p.h, du); err != nil {
			return err
		}
		db := 0.0
		if t.loss.intercept() {
			floats.MulTo(df, s, s)
			if err := p.down(ctx, vw, df); err != nil {
				return err
			}
			copy(du2, vw)
			if err := p.solver.Solve(ctx, p.h, du2); err != nil {
				return err
			}
			db = (-vmath.Sum(g) - vmath.Dot(vw, du)) / float64(p.c*p.weight)
			vmath.Axpy(-db, du2, du)
		}
		if err := p.up(ctx, df, du); err != nil {
			return err
		}
		floats.AddConst(db, df)
		step, moved := 1.0, false
		for range 40 {
			for i, v := range du {
				u[i] = t.u[i] + float64(step*v)
			}
			for i, v := range df {
				f[i] = t.f[i] + float64(step*v)
			}
			if v := t.loss.value(f) + float64(p.c/2*vmath.Dot(u, u)); v <= value+float64(1e-12*math.Abs(value)) {
				value, moved = v, true
				break
			}
			step /= 2
		}
		if !moved {
			return nil
		}
		copy(t.u, u)
		copy(t.f, f)
		t.b += float64(step * db)
		if vector.MaxAbs(df)*step <= tol*max(1, vector.MaxAbs(f)) || t.loss.quadratic() {
			return nil
		}
	}
	return nil
}
