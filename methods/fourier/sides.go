package fourier

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/frame"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// gramSide is the square loss, factor |Psi w - y|^2, by G = 2 factor Psi'Psi and q = 2 factor Psi'y: the image is the gradient G w - q.
type gramSide struct {
	width   int
	gram    []float64 // width x width; once it has been turned, block after block, the width x d columns of one
	q       []float64 // outputs x width
	squares []float64 // of each output: factor y.y
}

func (s *gramSide) images() int { return s.width }

func (s *gramSide) zero(image []float64, c int) {
	for k, v := range s.q[c*s.width : (c+1)*s.width] {
		image[k] = -v
	}
}

func (s *gramSide) gradient(dst []float64, p *point, which []int, at, d int) {
	for i, c := range which {
		copy(dst[i*d:(i+1)*d], p.image[c*s.width+at:c*s.width+at+d])
	}
}

func (s *gramSide) move(p *point, which []int, delta []float64, at, d int) {
	columns := s.gram[at*s.width : (at+d)*s.width]
	part := make([]float64, len(which)*s.width)
	if len(which) == 1 {
		vmath.MatVec(part, columns, s.width, d, delta)
	} else { // the larger matrix first, which is not copied
		vmath.MatMulT(part, columns, s.width, d, delta, len(which))
	}
	for i, c := range which {
		image := p.image[c*s.width : (c+1)*s.width]
		for k := range image {
			image[k] += part[k*len(which)+i]
		}
	}
}

func (s *gramSide) shift(p *point, c int, delta []float64, at int) {
	s.move(p, []int{c}, delta, at, len(delta))
}

// patience is large, as sweeps of products with several outputs are fast and seldom need help.
func (s *gramSide) patience() int { return 100 }

func (s *gramSide) sweepWork(width int) float64 { return float64(width) * float64(width) }

func (s *gramSide) stepWork(columns int) float64 {
	a := float64(columns)
	return a * a * a / 6
}

func (s *gramSide) moved(*point, int) {}

// value is w.(G w - 2 q)/2 + factor y.y.
func (s *gramSide) value(c int, w, image []float64) float64 {
	return (vmath.Dot(w, image)-vmath.Dot(w, s.q[c*s.width:(c+1)*s.width]))/2 + s.squares[c]
}

// dual is of v = 2 factor (Psi w - y) scaled by t: v.v = 4 factor loss and v.y = w.q - 2 factor y.y.
func (s *gramSide) dual(c int, p *point, lam float64, l *lasso) float64 {
	w, image := p.w[c*s.width:(c+1)*s.width], l.imageOf(p, c)
	t := shrunk(lam, l.largest(image))
	return -float64(t*t*s.value(c, w, image)) - float64(t*(vmath.Dot(w, s.q[c*s.width:(c+1)*s.width])-2*s.squares[c]))
}

// shrunk is the scale that takes a dual point of the given largest block norm into the feasible set.
func shrunk(lam, largest float64) float64 {
	if largest <= lam {
		return 1
	}
	return lam / largest
}

// largest is the largest norm of a block of one output's gradient.
func (l *lasso) largest(g []float64) float64 {
	most := 0.0
	for j, t := range l.blocks {
		part := g[l.at[j] : l.at[j]+t.n]
		most = max(most, norm(part))
	}
	return most
}

// rowSide is any smooth loss, by the fitted values: the image is Psi w.
type rowSide struct {
	loss loss
	n    int
	psi  []float64 // width x n
	y    []float64 // outputs x n
	v    []float64 // outputs x n: loss' at the images
}

func (s *rowSide) images() int { return s.n }

func (s *rowSide) zero(image []float64, c int) { clear(image) }

func (s *rowSide) gradient(dst []float64, p *point, which []int, at, d int) {
	psi := s.psi[at*s.n : (at+d)*s.n]
	if len(which) == 1 {
		vmath.MatVec(dst, psi, d, s.n, s.v[which[0]*s.n:(which[0]+1)*s.n])
		return
	}
	v := make([]float64, 0, len(which)*s.n)
	for _, c := range which {
		v = append(v, s.v[c*s.n:(c+1)*s.n]...)
	}
	part := make([]float64, len(dst))
	vmath.MatMulT(part, psi, d, s.n, v, len(which)) // the larger matrix first, which is not copied
	for i := range which {
		for k := range d {
			dst[i*d+k] = part[k*len(which)+i]
		}
	}
}

func (s *rowSide) move(p *point, which []int, delta []float64, at, d int) {
	part := make([]float64, len(which)*s.n)
	if psi := s.psi[at*s.n : (at+d)*s.n]; len(which) == 1 {
		vmath.MatTVec(part, psi, d, s.n, delta)
	} else {
		vmath.MatMul(part, delta, len(which), d, psi, s.n)
	}
	for i, c := range which {
		vmath.Axpy(1, part[i*s.n:(i+1)*s.n], p.image[c*s.n:(c+1)*s.n])
	}
	for _, c := range which {
		s.moved(p, c)
	}
}

func (s *rowSide) shift(p *point, c int, delta []float64, at int) {
	part := make([]float64, s.n)
	vmath.MatTVec(part, s.psi[at*s.n:(at+len(delta))*s.n], len(delta), s.n, delta)
	vmath.Axpy(1, part, p.image[c*s.n:(c+1)*s.n])
}

func (s *rowSide) patience() int { return 10 }

func (s *rowSide) sweepWork(width int) float64 { return 2 * float64(s.n) * float64(width) }

func (s *rowSide) stepWork(columns int) float64 {
	n, a := float64(s.n), float64(columns)
	m := min(n, a)
	return float64(n*a*m/2) + float64(m*m*m/6)
}

// moved brings loss' up to the image of output c.
func (s *rowSide) moved(p *point, c int) {
	s.loss.derivative(s.v[c*s.n:(c+1)*s.n], p.image[c*s.n:(c+1)*s.n], s.y[c*s.n:(c+1)*s.n])
}

func (s *rowSide) value(c int, _, image []float64) float64 {
	return s.loss.value(image, s.y[c*s.n:(c+1)*s.n])
}

func (s *rowSide) dual(c int, p *point, lam float64, l *lasso) float64 {
	g, v := make([]float64, l.width), append([]float64(nil), s.v[c*s.n:(c+1)*s.n]...)
	vmath.MatVec(g, s.psi, l.width, s.n, v)
	scaleAll(shrunk(lam, l.largest(g)), v)
	return -s.loss.conjugate(v, s.y[c*s.n:(c+1)*s.n])
}

// newLasso prepares the group lasso of p at sigma. The square loss works with Psi'Psi unless there are far more columns than rows.
func newLasso(ctx context.Context, p *problem, sigma []float64, of loss) (*lasso, error) {
	l := &lasso{outputs: p.outputs, width: p.width}
	for _, q := range p.parts {
		l.at = append(l.at, q.at)
	}
	var err error
	if s, ok := of.(square); ok && byGram(p.n, p.width) {
		err = l.useGram(ctx, p, sigma, s)
	} else {
		err = l.useRows(ctx, p, sigma, of)
	}
	if err != nil {
		return nil, err
	}
	zero := l.newPoint()
	l.start(&zero)
	g := make([]float64, l.outputs*l.width)
	for j, t := range l.blocks {
		which := frame.Upto(l.outputs)
		l.side.gradient(g[:l.outputs*t.n], &zero, which, l.at[j], t.n)
		for c := range which {
			part := g[c*t.n : (c+1)*t.n]
			l.top = max(l.top, norm(part))
		}
	}
	if l.top <= roundingOf*l.slopes(p, of) {
		l.top = 0
	}
	return l, nil
}

// roundingOf is how small a gradient at w = 0 is that only rounding keeps from zero, relative to the sum of the slopes that it is made
// of: rows whose features are equal and whose targets are not may leave nothing.
const roundingOf = 1e-13

// slopes is the largest sum over the rows of |loss'(0)|, of one output.
func (l *lasso) slopes(p *problem, of loss) float64 {
	most, v, zero := 0.0, make([]float64, p.n), make([]float64, p.n)
	for c := range p.outputs {
		of.derivative(v, zero, p.y[c*p.n:(c+1)*p.n])
		sum := 0.0
		for _, u := range v {
			sum += math.Abs(u)
		}
		most = max(most, sum)
	}
	return most
}

// byGram reports whether products with Psi'Psi cost less than two with Psi.
func byGram(n, width int) bool { return width <= 2*n }

// start brings the side up to the images of p.
func (l *lasso) start(p *point) {
	for c := range l.outputs {
		l.side.moved(p, c)
	}
}

// useGram makes the matrix of the products and turns it to the bases of its blocks.
func (l *lasso) useGram(ctx context.Context, p *problem, sigma []float64, of square) error {
	width := p.width
	s := &gramSide{width: width, gram: make([]float64, width*width), q: make([]float64, p.outputs*width), squares: make([]float64, p.outputs)}
	l.side, l.kappa = s, 1
	if err := p.products(ctx, p.newWork(p.n, false), sigma, s.gram, s.q); err != nil {
		return err
	}
	vmath.Mirror(s.gram, width)
	if of.factor != 0.5 {
		scaleAll(2*of.factor, s.gram)
		scaleAll(2*of.factor, s.q)
	}
	for c := range s.squares {
		y := p.y[c*p.n : (c+1)*p.n]
		s.squares[c] = of.factor * vmath.Dot(y, y)
	}
	for _, q := range p.parts {
		corner := make([]float64, q.count*q.count)
		for i := range q.count {
			copy(corner[i*q.count:], s.gram[(q.at+i)*width+q.at:(q.at+i)*width+q.at+q.count])
		}
		t, err := newTridiagonal(ctx, corner, q.count)
		if err != nil {
			return err
		}
		l.blocks = append(l.blocks, t)
	}
	s.q = l.turn(s.q)
	return l.turnGram(ctx, s.gram)
}

// turnGram replaces blocks G_kj by Q_k' G_kj Q_j, and puts the columns of one block after those of another.
func (l *lasso) turnGram(ctx context.Context, gram []float64) error {
	for j, t := range l.blocks {
		strip := gram[l.at[j]*l.width : (l.at[j]+t.n)*l.width] // rows G_j., that is the columns G_.j turned over
		left := make([]float64, len(strip))
		vmath.MatMul(left, transposed(t.q, t.n, t.n), t.n, t.n, strip, l.width)
		columns := transposed(left, t.n, l.width) // width x d: G_.j Q_j
		for k, u := range l.blocks {
			if err := ctx.Err(); err != nil {
				return err
			}
			vmath.MatMul(strip[l.at[k]*t.n:(l.at[k]+u.n)*t.n], transposed(u.q, u.n, u.n), u.n, u.n, columns[l.at[k]*t.n:(l.at[k]+u.n)*t.n], t.n)
		}
	}
	return nil
}

// useRows embeds all rows and turns the columns to the bases of their blocks.
func (l *lasso) useRows(ctx context.Context, p *problem, sigma []float64, of loss) error {
	s := &rowSide{loss: of, n: p.n, psi: make([]float64, p.width*p.n), y: p.y, v: make([]float64, p.outputs*p.n)}
	l.side, l.kappa = s, of.curvature()
	block := p.newWork(p.n, false)
	err := frame.Blocks(ctx, p.n, rowsAtOnce, func(lo, hi int) {
		block.embed(p.a[lo*p.inputs:hi*p.inputs], sigma)
		for k := range p.width {
			copy(s.psi[k*p.n+lo:k*p.n+hi], block.psi[k*(hi-lo):(k+1)*(hi-lo)])
		}
	})
	if err != nil {
		return err
	}
	for _, q := range p.parts {
		columns := s.psi[q.at*p.n : (q.at+q.count)*p.n]
		gram := make([]float64, q.count*q.count)
		if err := cholesky.Gram(ctx, gram, columns, q.count, p.n); err != nil {
			return err
		}
		t, err := newTridiagonal(ctx, gram, q.count)
		if err != nil {
			return err
		}
		turned := make([]float64, len(columns))
		vmath.MatMul(turned, transposed(t.q, t.n, t.n), t.n, t.n, columns, p.n)
		copy(columns, turned)
		l.blocks = append(l.blocks, t)
	}
	return nil
}
