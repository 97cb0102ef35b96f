package fourier

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/frame"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A polish takes Newton's steps between the sweeps of a group lasso. Sweeps find out which blocks are zero; but they are slow where the loss bends
// far less than its bound kappa, and where columns of several blocks nearly agree. On the blocks that are not zero P is smooth, and a step goes along
//
//	(A + lambda M) delta = -(g + lambda w/|w|),   A = Psi'H Psi,  M_j = (I - w_j w_j'/|w_j|^2) / |w_j|,
//
// with H = diag((1-theta) h + theta kappa), h the second derivative of the loss, as far as P falls. A block that it would take beyond zero goes
// to zero. theta falls after whole steps and rises after short ones. Of each output a step is taken when the sweeps since the last one have cost about as much.
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
		blocks, a := h.nonzero(p.w[c*h.width : (c+1)*h.width])
		if a == 0 || h.work[c] < h.side.stepWork(a)/denseRate {
			continue
		}
		if err := h.step(ctx, p, c, blocks, a); err != nil {
			return moved, err
		}
		h.work[c], h.sweeps[c], moved = 0, 0, true
	}
	return moved, nil
}

// nonzero returns the blocks that are not, and their columns.
func (l *lasso) nonzero(w []float64) (blocks []int, columns int) {
	for j, t := range l.blocks {
		if norm(w[l.at[j]:l.at[j]+t.n]) > 0 {
			blocks = append(blocks, j)
			columns += t.n
		}
	}
	return blocks, columns
}

// norm is |x|.
func norm(x []float64) float64 { return math.Sqrt(vmath.Dot(x, x)) }

// step moves output c along Newton's direction.
func (h *polish) step(ctx context.Context, p *point, c int, blocks []int, columns int) error {
	s := &smoothPart{lasso: h.lasso, lambda: h.lambda, which: blocks, columns: columns, w: p.w[c*h.width : (c+1)*h.width]}
	delta, err := h.side.newton(ctx, p, c, s, h.theta[c])
	if err != nil || delta == nil {
		return err
	}
	at := 0
	for _, j := range blocks {
		w, d := s.part(s.w, j), delta[at:at+h.blocks[j].n]
		if vmath.Dot(w, w)+vmath.Dot(w, d) <= 0 {
			for k, v := range w {
				d[k] = -v
			}
		}
		at += len(d)
	}
	switch t := h.along(p, c, s, delta); {
	case t == 1:
		h.theta[c] = max(leastTheta, lessTheta*h.theta[c])
	case t < 0.25:
		h.theta[c] = min(1, moreTheta*h.theta[c])
	}
	return nil
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

// newton returns the direction of a step by the matrix of products.
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

// solveWide is solve of a = X'X, where X = diag(root) Psi has fewer rows than columns. A change is delta_j = alpha_j u_j + eta_j with u_j = w_j/|w_j|
// and eta_j orthogonal to it, on which M_j is 1/|w_j|. With x_j = X_j u_j, and X~_j = (|w_j|/lambda)^1/2 X_j (I - u_j u_j'), the change z of X w solves
//
//	S z = sum_j alpha_j x_j - b,   S = I + sum_j X~_j X~_j',   b = sum_j (|w_j|/lambda)^1/2 X~_j r_j,
//
// alpha what remains, x_j.z = -u_j.r_j, and eta_j = -(|w_j|/lambda)^1/2 X~_j'z - (|w_j|/lambda) (r_j - (u_j.r_j) u_j).
func (s *smoothPart) solveWide(ctx context.Context, psi, root, r []float64) ([]float64, error) {
	count, n := len(s.which), len(root)
	tilde, lines, along := s.orthogonal(psi, root, r)
	m := make([]float64, n*n)
	err := frame.Blocks(ctx, s.columns, rowsAtOnce, func(from, to int) {
		gramAdd(ctx, m, transposed(tilde[from*n:to*n], to-from, n), n, to-from)
	})
	if err != nil {
		return nil, err
	}
	vmath.Mirror(m, n)
	for i := range n {
		m[i*n+i]++
	}
	f := cholesky.New(n)
	if err := f.Factor(ctx, m); err != nil {
		return nil, ctx.Err()
	}
	solved := append([]float64(nil), lines...) // S^-1 of each
	for i := range count + 1 {
		if err := f.Solve(ctx, m, solved[i*n:(i+1)*n]); err != nil {
			return nil, err
		}
	}
	z := solved[count*n:]
	products, alpha := make([]float64, count*count), make([]float64, count)
	vmath.MatMulT(products, lines[:count*n], count, n, solved[:count*n], count)
	for i := range alpha {
		alpha[i] = vmath.Dot(lines[i*n:(i+1)*n], z) - along[i]
	}
	few := cholesky.New(count)
	if err := few.Factor(ctx, products); err != nil {
		return nil, ctx.Err()
	}
	if err := few.Solve(ctx, products, alpha); err != nil {
		return nil, err
	}
	scaleAll(-1, z)
	for i, v := range alpha {
		vmath.Axpy(v, solved[i*n:(i+1)*n], z)
	}
	delta, at := make([]float64, s.columns), 0
	vmath.MatVec(delta, tilde, s.columns, n, z)
	for i, j := range s.which {
		w := s.part(s.w, j)
		size := norm(w)
		scale := math.Sqrt(size / s.lambda)
		for k, v := range w {
			eta := -float64(scale*delta[at+k]) - float64(scale*scale*(r[at+k]-float64(along[i]*v)/size))
			delta[at+k] = float64(alpha[i]*v)/size + eta
		}
		at += len(w)
	}
	return delta, ctx.Err()
}

// orthogonal returns the columns of all X~_j; the x_j and after them b, a line of n each; and the u_j.r_j.
func (s *smoothPart) orthogonal(psi, root, r []float64) (tilde, lines, along []float64) {
	n := len(root)
	tilde, lines = make([]float64, s.columns*n), make([]float64, (len(s.which)+1)*n)
	b, at := lines[len(s.which)*n:], 0
	for i, j := range s.which {
		u := append([]float64(nil), s.part(s.w, j)...)
		d, size := len(u), norm(u)
		scaleAll(1/size, u)
		own, columns := lines[i*n:(i+1)*n], psi[s.at[j]*n:(s.at[j]+d)*n]
		vmath.MatTVec(own, columns, d, n, u)
		along = append(along, vmath.Dot(u, r[at:at+d]))
		scale := math.Sqrt(size / s.lambda)
		for k := range d {
			line := tilde[(at+k)*n : (at+k+1)*n]
			for i, v := range columns[k*n : (k+1)*n] {
				line[i] = float64(scale*root[i]) * (v - float64(u[k]*own[i]))
			}
			vmath.Axpy(scale*r[at+k], line, b) // what r_j has along u_j, X~_j makes zero
		}
		for i, v := range root {
			own[i] *= v
		}
		at += d
	}
	return tilde, lines, along
}
