package fourier

import (
	"context"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/frame"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A polish takes Newton's steps between the sweeps of a group lasso. Sweeps find out which blocks are zero; but they are slow where the loss bends
// far less than its bound kappa, and where columns of several blocks nearly agree. On the blocks that are not zero P is smooth, and a step goes along
//
//	(A + lambda M) delta = -(g + lambda w/|w|),   A = Psi'H Psi,  M_j = (I - w_j w_j'/|w_j|^2) / |w_j|,
//
// with H = diag((1-theta) h + theta kappa), h the second derivative of the loss, as far as P falls. Where it would take
// blocks beyond zero it goes towards where they are zero and the others best. theta falls after whole steps and rises after short ones. Of each output a step is taken when the sweeps since the last one have cost about as much.
type polish struct {
	*lasso
	lambda float64
	work   []float64 // of each output: what its sweeps have cost, in multiply-adds
	sweeps []int     // since its last step
	theta  []float64
}

const (
	firstTheta = 0.1
	leastTheta = 1e-6
	lessTheta  = 0.2 // times, after a whole step
	moreTheta  = 10  // times, after one of less than a quarter
	zeroSteps  = 3   // of the others, once a block is zero
	denseRate  = 12  // multiply-adds of a product of matrices in the time of one of a sweep
)

func (l *lasso) newPolish(lambda float64) *polish {
	h := &polish{lasso: l, lambda: lambda, work: make([]float64, l.outputs), sweeps: make([]int, l.outputs), theta: make([]float64, l.outputs)}
	for c := range h.theta {
		h.theta[c] = firstTheta
	}
	return h
}

// after is told of a sweep over the outputs of which. It moves those whose step is due, and reports whether there were any.
func (h *polish) after(ctx context.Context, p *point, which []int) (moved bool, err error) {
	for _, c := range which {
		h.work[c] += h.side.sweepWork(h.width)
		h.sweeps[c]++
		if h.sweeps[c] < h.side.patience() {
			continue
		}
		blocks := h.nonzero(p.w[c*h.width : (c+1)*h.width])
		if a := h.columns(blocks); a == 0 || h.work[c] < h.side.stepWork(a)/denseRate {
			continue
		}
		if err := h.step(ctx, p, c, blocks); err != nil {
			return moved, err
		}
		h.work[c], h.sweeps[c], moved = 0, 0, true
	}
	return moved, nil
}

// nonzero returns the blocks that are not.
func (l *lasso) nonzero(w []float64) (blocks []int) {
	for j, t := range l.blocks {
		if norm(w[l.at[j]:l.at[j]+t.n]) > 0 {
			blocks = append(blocks, j)
		}
	}
	return blocks
}

// columns is the number of columns of blocks.
func (l *lasso) columns(blocks []int) (n int) {
	for _, j := range blocks {
		n += l.blocks[j].n
	}
	return n
}

// norm is |x|.
func norm(x []float64) float64 { return math.Sqrt(vmath.Dot(x, x)) }

// step moves output c along Newton's direction. If blocks would get beyond zero, it goes towards where they are zero and the others best;
// and if P does not fall on that way, they stay and the others move alone.
func (h *polish) step(ctx context.Context, p *point, c int, blocks []int) error {
	t := 0.0
	for t == 0 && len(blocks) > 0 {
		s := h.part(p, c, blocks)
		delta, err := h.side.newton(ctx, p, c, s, h.theta[c])
		if err != nil || delta == nil {
			return err
		}
		others := s.stopAtZero(delta)
		if len(others) > 0 && len(others) < len(blocks) {
			if err := h.afterZero(ctx, p, c, s, others, delta); err != nil {
				return err
			}
		}
		t = h.along(p, c, s, delta)
		if len(others) == len(blocks) {
			break
		}
		blocks = others
	}
	h.theta[c] = nextTheta(h.theta[c], t)
	return nil
}

// nextTheta follows a step that was taken to the part t.
func nextTheta(theta, t float64) float64 {
	switch {
	case t == 1:
		return max(leastTheta, lessTheta*theta)
	case t < 0.25:
		return min(1, moreTheta*theta)
	}
	return theta
}

// part returns what a step of blocks of output c of p is about.
func (h *polish) part(p *point, c int, blocks []int) *smoothPart {
	return &smoothPart{lasso: h.lasso, lambda: h.lambda, which: blocks, columns: h.columns(blocks), w: p.w[c*h.width : (c+1)*h.width]}
}

// afterZero replaces delta by the way to where all but the others of the blocks of s are zero, and these after a few steps from there.
func (h *polish) afterZero(ctx context.Context, p *point, c int, s *smoothPart, others []int, delta []float64) error {
	q := point{w: append([]float64(nil), p.w...), image: append([]float64(nil), p.image...)}
	at := 0
	for _, j := range s.which {
		d := delta[at : at+h.blocks[j].n]
		if !slices.Contains(others, j) {
			clear(q.w[c*h.width+h.at[j] : c*h.width+h.at[j]+len(d)])
			h.side.shift(&q, c, d, h.at[j])
		}
		at += len(d)
	}
	h.side.moved(&q, c)
	defer h.side.moved(p, c)
	rest, theta := h.part(&q, c, others), h.theta[c]
	for range zeroSteps {
		way, err := h.side.newton(ctx, &q, c, rest, theta)
		if err != nil {
			return err
		}
		if way == nil || len(rest.stopAtZero(way)) < len(others) {
			break
		}
		theta = nextTheta(theta, h.along(&q, c, rest, way))
	}
	at = 0
	for _, j := range s.which {
		w := s.part(s.w, j)
		for k, v := range s.part(rest.w, j) {
			delta[at+k] = v - w[k]
		}
		at += len(w)
	}
	return nil
}

// stopAtZero ends the way of blocks that delta would take beyond zero there, and returns the others.
func (s *smoothPart) stopAtZero(delta []float64) (others []int) {
	at := 0
	for _, j := range s.which {
		w, d := s.part(s.w, j), delta[at:at+s.blocks[j].n]
		if vmath.Dot(w, w)+vmath.Dot(w, d) > 0 {
			others = append(others, j)
		} else {
			for k, v := range w {
				d[k] = -v
			}
		}
		at += len(d)
	}
	return others
}

// along moves output c by t delta for the first t of 1, 1/2, .. with which P falls, and returns it, or 0 if there is none.
func (l *lasso) along(p *point, c int, s *smoothPart, delta []float64) float64 {
	q := point{w: make([]float64, len(p.w)), image: make([]float64, len(p.image))}
	at := 0
	for _, j := range s.which {
		d := delta[at : at+l.blocks[j].n]
		copy(q.w[c*l.width+l.at[j]:], d)
		l.side.shift(&q, c, d, l.at[j])
		at += len(d)
	}
	w, image := p.w[c*l.width:(c+1)*l.width], l.imageOf(p, c)
	before := l.primal(c, w, image, s.lambda)
	dw, di := q.w[c*l.width:(c+1)*l.width], l.imageOf(&q, c)
	newW, newImage := make([]float64, l.width), make([]float64, len(image))
	for t := 1.0; t > 1e-3; t /= 2 {
		copy(newW, w)
		copy(newImage, image)
		vmath.Axpy(t, dw, newW)
		vmath.Axpy(t, di, newImage)
		if l.primal(c, newW, newImage, s.lambda) < before {
			copy(w, newW)
			copy(image, newImage)
			l.side.moved(p, c)
			return t
		}
	}
	return 0
}

// A smoothPart is what a step of one output is about.
type smoothPart struct {
	*lasso
	lambda  float64
	which   []int // the blocks that are not zero
	columns int   // of them
	w       []float64
}

// part returns block j of x, which has all of them.
func (s *smoothPart) part(x []float64, j int) []float64 { return x[s.at[j] : s.at[j]+s.blocks[j].n] }

// slope returns g + lambda w/|w| of the blocks, of a gradient g of all.
func (s *smoothPart) slope(g []float64) []float64 {
	out := make([]float64, 0, s.columns)
	for _, j := range s.which {
		w, g := s.part(s.w, j), s.part(g, j)
		size := norm(w)
		for k, v := range w {
			out = append(out, g[k]+float64(s.lambda*v)/size)
		}
	}
	return out
}

// solve returns -(a + lambda M)^-1 r, or nil where that matrix is singular. a is columns x columns, not kept.
func (s *smoothPart) solve(ctx context.Context, a, r []float64) ([]float64, error) {
	at := 0
	for _, j := range s.which {
		w := s.part(s.w, j)
		size := norm(w)
		for k, v := range w {
			line := a[(at+k)*s.columns+at : (at+k)*s.columns+at+len(w)]
			vmath.Axpy(-s.lambda*v/(size*size*size), w, line)
			line[k] += s.lambda / size
		}
		at += len(w)
	}
	f := cholesky.New(s.columns)
	if err := f.Factor(ctx, a); err != nil {
		return nil, ctx.Err()
	}
	scaleAll(-1, r)
	return r, f.Solve(ctx, a, r)
}

// newton returns the direction of a step by the matrix of products, which is the Hessian: theta has no part in it.
func (s *gramSide) newton(ctx context.Context, p *point, c int, of *smoothPart, _ float64) ([]float64, error) {
	a, col := make([]float64, of.columns*of.columns), 0
	for _, j := range of.which {
		d, row := of.blocks[j].n, 0
		strip := s.gram[of.at[j]*s.width : (of.at[j]+d)*s.width]
		for _, i := range of.which {
			for k := range of.blocks[i].n {
				copy(a[row*of.columns+col:row*of.columns+col+d], strip[(of.at[i]+k)*d:(of.at[i]+k+1)*d])
				row++
			}
		}
		col += d
	}
	return of.solve(ctx, a, of.slope(p.image[c*s.width:(c+1)*s.width]))
}

// newton returns the direction of a step by the weighted columns, H^1/2 Psi.
func (s *rowSide) newton(ctx context.Context, p *point, c int, of *smoothPart, theta float64) ([]float64, error) {
	f, y := p.image[c*s.n:(c+1)*s.n], s.y[c*s.n:(c+1)*s.n]
	root, g := make([]float64, s.n), make([]float64, of.width)
	s.loss.second(root, f, y)
	kappa := s.loss.curvature()
	for i, h := range root {
		root[i] = math.Sqrt(h + float64(theta*(kappa-h)))
	}
	for _, j := range of.which {
		vmath.MatVec(of.part(g, j), s.psi[of.at[j]*s.n:(of.at[j]+of.blocks[j].n)*s.n], of.blocks[j].n, s.n, s.v[c*s.n:(c+1)*s.n])
	}
	r := of.slope(g)
	if of.columns > s.n {
		return of.solveWide(ctx, s.psi, root, r)
	}
	a, part := make([]float64, of.columns*of.columns), make([]float64, of.columns*min(s.n, rowsAtOnce))
	err := frame.Blocks(ctx, s.n, rowsAtOnce, func(lo, hi int) {
		line := part[:0]
		for _, j := range of.which {
			for k := range of.blocks[j].n {
				for i, v := range s.psi[(of.at[j]+k)*s.n+lo : (of.at[j]+k)*s.n+hi] {
					line = append(line, float64(root[lo+i]*v))
				}
			}
		}
		gramAdd(ctx, a, line, of.columns, hi-lo)
	})
	if err != nil {
		return nil, err
	}
	vmath.Mirror(a, of.columns)
	return of.solve(ctx, a, r)
}
