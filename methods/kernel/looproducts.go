package kernel

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/frame"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// A partialLOO is a [looProblem] with a partial factor of K and K's own diagonal in the place of K:
//
//	M = Q + D,   Q = V'V = C'A,   D = c I + diag(K - Q),   c = n lambda,
//
// where C (r x n) are the pivots' rows of K, J J' = C's pivot columns, V = J^-1 C and A = J^-T V. With U U' = I + V D^-1 V' and
// T = U^-1 V D^-1 (r x n),
//
//	M^-1 = D^-1 - T'T,   V M^-1 = U^-T T,
//
// so that the errors e, their weights q and sigma_i = q_i e_i, and G of the looProblem cost products of r x n matrices:
//
//	V G = U^-T (T S D^-1 - (T S T') T) - (V h alpha' + V alpha h')/2,   h = M^-1 q,  S = diag(sigma),
//	G_ii = sigma_i/D_i^2 - 2 sigma_i/D_i |t_i|^2 + t_i'(T S T')t_i - h_i alpha_i,   t_i column i of T.
//
// The diagonal of M does not change with the bandwidths, so with G0 = G - diag(G), for the present pivots exactly,
//
//	dE = <G0, dQ> = 2 <J^-T V G0, dC> - <J^-T (V G0 V') J^-1, dK of the pivots>.
type partialLOO struct {
	*looProblem
	o       *operator
	pivots  []int // chosen at the start of a search
	partial *cholesky.Partial
	tall    []float64 // r x n: T
	work    []float64 // r x n

	warn        func(rank int, off float64) // off: of the error, relative
	rest, norms []float64                   // D and |t_i|^2
}

// mostLOORank bounds the rank by the time of an evaluation, 5 n r^2 multiply-adds, and by a part of n.
func mostLOORank(n int) int { return min(max(n/8, 256), int(6e4/math.Sqrt(float64(n)))) }

const (
	// looSlack is the margin of a rank, beyond enoughRank's, at which what is left of K counts for little in M.
	looSlack = 0.003
	// leastLOORank is what a search starts with: bandwidths that grow need more than those at the start.
	leastLOORank = 256
	// leastPivot is the diagonal at which a pivot is left out, for J is inverted.
	leastPivot = 1e-9
)

// choose takes the pivots at theta, unless K has less at least and at most so many, which stand until the next choice, so that E is smooth.
func (p *partialLOO) choose(theta []float64, least, most int) error {
	c := float64(float64(p.n) * p.lambda)
	return p.pick(theta, most, func(end cholesky.End) bool {
		return end.Rank >= least && end.Trace <= looSlack*c*float64(end.Rank)
	})
}

// pick takes the pivots at theta until they are enough, or most.
func (p *partialLOO) pick(theta []float64, most int, enough func(cholesky.End) bool) error {
	p.bandwidths(theta)
	o, err := newOperator(p.ctx, p.x, p.d, p.gamma, false, false)
	if err != nil {
		return err
	}
	p.release()
	partial, err := cholesky.NewPartial(p.ctx, o.diagonal(), o.rows, enough, most)
	if err != nil {
		return err
	}
	p.pivots = partial.Pivots
	return nil
}

// release gives the memory of the last evaluation back.
func (p *partialLOO) release() { p.partial, p.tall, p.work = nil, nil, nil }

// prepare makes the operator and the partial factor at theta.
func (p *partialLOO) prepare(theta []float64) error {
	p.bandwidths(theta)
	o, err := newOperator(p.ctx, p.x, p.d, p.gamma, false, false)
	if err != nil {
		return err
	}
	for _, v := range o.squares {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return errNotPositive
		}
	}
	p.o = o
	p.partial, err = cholesky.PartialAmong(p.ctx, o.diagonal(), o.rows, p.pivots, leastPivot)
	return err
}

// slope returns E and writes its gradient.
func (p *partialLOO) slope(gradient []float64) (float64, error) {
	n, r, v := p.n, p.partial.Rank, p.partial.V
	if cap(p.tall) < r*n {
		p.tall, p.work = make([]float64, r*n), make([]float64, r*n)
	}
	t, work := p.tall[:r*n], p.work[:r*n]
	upper, err := p.woodbury(t, work)
	if err != nil {
		return 0, err
	}
	sigma := make([]float64, n)
	e, err := p.errors(t, sigma)
	if err != nil {
		return 0, err
	}
	d, norms, h := p.rest, p.norms, p.line
	if err := p.inverse(h, p.q, t, d); err != nil {
		return 0, err
	}
	// V G0, in work.
	inner := make([]float64, r*r)
	root := make([]float64, n)
	for i, s := range sigma {
		root[i] = math.Sqrt(s)
	}
	if err := scaleColumns(p.ctx, work, t, root); err != nil {
		return 0, err
	}
	if err := cholesky.Gram(p.ctx, inner, work, r, n); err != nil {
		return 0, err
	}
	if err := p.multiply(work, inner, t, r); err != nil { // (T S T') T
		return 0, err
	}
	g := columnDots(t, work, n)
	for i := range g {
		w := sigma[i] / d[i]
		g[i] += float64(w/d[i]) - float64(2*w*norms[i]) - float64(h[i]*p.alpha[i])
		root[i] = w
	}
	for k := range r {
		row := work[k*n : (k+1)*n]
		for i, s := range t[k*n : (k+1)*n] {
			row[i] = float64(s*root[i]) - row[i]
		}
	}
	if err := p.upperTimes(t, upper, work, r); err != nil { // T is no longer needed
		return 0, err
	}
	err = frame.Blocks(p.ctx, r, rowsAtOnce, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			row, vk := t[k*n:(k+1)*n], v[k*n:(k+1)*n]
			vmath.Axpy(-vmath.Dot(vk, h)/2, p.alpha, row)
			vmath.Axpy(-vmath.Dot(vk, p.alpha)/2, h, row)
			for i, u := range vk {
				row[i] -= float64(u * g[i])
			}
		}
	})
	if err != nil {
		return 0, err
	}
	return e, p.chain(gradient, t, work)
}

// errors returns E from T and sets alpha, q, sigma, D and the squared norms of T's columns.
func (p *partialLOO) errors(t, sigma []float64) (float64, error) {
	n, e := p.n, 0.0
	p.rest, p.norms = make([]float64, n), columnDots(t, t, n)
	for i := range n {
		p.rest[i] = p.dAt(i)
	}
	if err := p.inverse(p.alpha, p.y, t, p.rest); err != nil {
		return 0, err
	}
	for i, a := range p.alpha {
		diag := 1/p.rest[i] - p.norms[i] // of M^-1
		error := a / diag
		e += error * error / float64(n)
		p.q[i] = 2 * error / (float64(n) * diag)
		sigma[i] = p.q[i] * error
	}
	return e, nil
}

// errorAlone returns E only.
func (p *partialLOO) errorAlone(theta []float64) float64 {
	return p.evaluate(nil, func() error { return p.prepare(theta) }, func([]float64) (float64, error) {
		size := p.partial.Rank * p.n
		t := make([]float64, size)
		if _, err := p.woodbury(t, make([]float64, size)); err != nil {
			return 0, err
		}
		return p.errors(t, make([]float64, p.n))
	})
}

// dAt is the element i of D.
func (p *partialLOO) dAt(i int) float64 { return float64(float64(p.n)*p.lambda) + p.partial.Left[i] }

// woodbury sets t to T and returns the inverse of U. work has room for as much.
func (p *partialLOO) woodbury(t, work []float64) ([]float64, error) {
	n, r, v := p.n, p.partial.Rank, p.partial.V
	root := make([]float64, n)
	for i := range root {
		root[i] = 1 / math.Sqrt(p.dAt(i))
	}
	if err := scaleColumns(p.ctx, work, v, root); err != nil {
		return nil, err
	}
	h := make([]float64, r*r)
	if err := cholesky.Gram(p.ctx, h, work, r, n); err != nil {
		return nil, err
	}
	for k := range r {
		h[k*r+k]++
	}
	solver := cholesky.New(r)
	if err := factor(p.ctx, solver, h); err != nil {
		return nil, err
	}
	inverse, err := lowerInverse(p.ctx, h, r)
	if err != nil {
		return nil, err
	}
	for i := range root {
		root[i] *= root[i]
	}
	if err := scaleColumns(p.ctx, work, v, root); err != nil {
		return nil, err
	}
	return inverse, p.lowerTimes(t, inverse, work, r)
}

// inverse sets dst to M^-1 x.
func (p *partialLOO) inverse(dst, x, t, d []float64) error {
	n, r := p.n, p.partial.Rank
	small, part := make([]float64, r), make([]float64, n)
	for i, v := range x {
		dst[i] = v / d[i]
	}
	return frame.Blocks(p.ctx, r, rowsAtOnce, func(lo, hi int) {
		vmath.MatVec(small[lo:hi], t[lo*n:hi*n], hi-lo, n, x)
		vmath.MatTVec(part, t[lo*n:hi*n], hi-lo, n, small[lo:hi])
		vmath.Axpy(-1, part, dst)
	})
}

// chain adds dE from vg = V G0 (r x n), which it replaces.
func (p *partialLOO) chain(gradient, vg, work []float64) error {
	n, r, d := p.n, p.partial.Rank, p.d
	pivots := p.partial.Pivots
	j, between := make([]float64, r*r), make([]float64, r*r)
	for k, at := range pivots {
		for q := range k + 1 {
			j[k*r+q] = p.partial.V[q*n+at]
		}
	}
	inverse, err := lowerInverse(p.ctx, j, r)
	if err != nil {
		return err
	}
	if err := cholesky.Symmetric(p.ctx, between, vg, p.partial.V, r, n); err != nil { // V G0 V'
		return err
	}
	if err := p.upperTimes(work, inverse, vg, r); err != nil { // J^-T V G0
		return err
	}
	// J^-T N J^-1 = J^-T (J^-T N)' for the symmetric N, in j.
	small := *p
	small.looProblem = &looProblem{ctx: p.ctx, n: r}
	if err := small.upperTimes(j, inverse, between, r); err != nil {
		return err
	}
	for a := range r {
		for b := range a {
			j[a*r+b], j[b*r+a] = j[b*r+a], j[a*r+b]
		}
	}
	if err := small.upperTimes(between, inverse, j, r); err != nil {
		return err
	}
	// The sum of w (x_p - x_i)^2 for w = 2 (J^-T V G0) o C, less (J^-T N J^-1) o K at the pivots.
	rows, columns, mixed := make([]float64, r), make([]float64, n), make([]float64, rowsAtOnce*d)
	slope := make([]float64, d)
	c := make([]float64, rowsAtOnce*n)
	err = frame.Blocks(p.ctx, r, rowsAtOnce, func(lo, hi int) {
		c := c[:(hi-lo)*n]
		p.o.rows(c, pivots[lo:hi])
		for k := lo; k < hi; k++ {
			row, b := c[(k-lo)*n:(k-lo+1)*n], work[k*n:(k+1)*n]
			for q, at := range pivots {
				between[k*r+q] *= row[at]
			}
			for i, v := range row {
				row[i] = 2 * v * b[i]
			}
			for q, at := range pivots {
				row[at] -= between[k*r+q]
			}
			rows[k] = vmath.Sum(row)
			vmath.Axpy(1, row, columns)
		}
		vmath.MatMul(mixed[:(hi-lo)*d], c, hi-lo, n, p.x, d)
		for k := lo; k < hi; k++ {
			for f := range d {
				x := p.x[pivots[k]*d+f]
				slope[f] += float64(x * (float64(x*rows[k]) - float64(2*mixed[(k-lo)*d+f])))
			}
		}
	})
	if err != nil {
		return err
	}
	for i, w := range columns {
		for f := range d {
			x := p.x[i*d+f]
			slope[f] += float64(x * float64(x*w))
		}
	}
	for f, g := range p.group {
		gradient[g] -= float64(slope[f] * p.gamma[f])
	}
	return nil
}

// lowerTimes sets dst to a b for the lower triangle a (r x r) and b (r x n), upperTimes to a'b, multiply to a b for the full a.
func (p *partialLOO) lowerTimes(dst, a, b []float64, r int) error {
	return p.blocks(dst, b, r, func(_, hi int) (int, int) { return 0, hi }, func(i, k int) float64 { return a[i*r+k] })
}

func (p *partialLOO) upperTimes(dst, a, b []float64, r int) error {
	return p.blocks(dst, b, r, func(lo, _ int) (int, int) { return lo, r }, func(i, k int) float64 { return a[k*r+i] })
}

func (p *partialLOO) multiply(dst, a, b []float64, r int) error {
	return p.blocks(dst, b, r, func(_, _ int) (int, int) { return 0, r }, func(i, k int) float64 { return a[i*r+k] })
}

// blocks sets dst (r x n) to the product of the r x r matrix of the given elements with b, by blocks of rows, of which only the columns of span
// are not zero.
func (p *partialLOO) blocks(dst, b []float64, r int, span func(lo, hi int) (from, to int), element func(i, k int) float64) error {
	n := p.n
	part := make([]float64, rowsAtOnce*r)
	return frame.Blocks(p.ctx, r, rowsAtOnce, func(lo, hi int) {
		from, to := span(lo, hi)
		w := to - from
		for i := lo; i < hi; i++ {
			for k := range w {
				part[(i-lo)*w+k] = element(i, from+k)
			}
		}
		vmath.MatMul(dst[lo*n:hi*n], part[:(hi-lo)*w], hi-lo, w, b[from*n:to*n], n)
	})
}

// lowerInverse returns the inverse of the lower triangle of l (r x r).
func lowerInverse(ctx context.Context, l []float64, r int) ([]float64, error) {
	inverse := make([]float64, r*r)
	err := frame.Blocks(ctx, r, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := inverse[i*r : i*r+i+1]
			row[i] = 1
			for k := range i {
				vmath.Axpy(-l[i*r+k], inverse[k*r:k*r+k+1], row[:k+1])
			}
			floats.Scale(1/l[i*r+i], row)
		}
	})
	return inverse, err
}

// scaleColumns sets dst to a (rows of len(by)) with column i times by[i].
func scaleColumns(ctx context.Context, dst, a, by []float64) error {
	n := len(by)
	return frame.Blocks(ctx, len(a)/n, rowsAtOnce, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			floats.MulTo(dst[k*n:(k+1)*n], a[k*n:(k+1)*n], by)
		}
	})
}

// columnDots returns the inner products of the columns of a with those of b, both of rows of n.
func columnDots(a, b []float64, n int) []float64 {
	out := make([]float64, n)
	for lo := 0; lo < len(a); lo += n {
		u := b[lo : lo+n]
		for i, v := range a[lo : lo+n] {
			out[i] += float64(v * u[i])
		}
	}
	return out
}

// value returns E and writes its gradient; see looProblem.value.
func (p *partialLOO) value(theta, gradient []float64) float64 {
	return p.evaluate(gradient, func() error { return p.prepare(theta) }, p.slope)
}
