package fourier

import (
	"context"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// columns is the matrix of the group lasso, X = [Psi_1 Q_1 .. Psi_r Q_r]. Psi is the embedding of all rows, and the columns of
// Q_j are an orthonormal basis of the row space of Psi_j. X has fewer columns than Psi: a hundred cosines of one feature have a
// rank of about twenty, or of four where the feature has four values. The optimum is the same, since w_j = Q_j x_j has the norm
// of x_j, and at every optimum the part of the weights that is orthogonal to the row space is zero.
type columns struct {
	n, width int // rows; columns of Psi
	rank     int // columns of X
	blocks   []*basis
	grams    bool // the blocks have gram, their products with all blocks
	alone    bool // multiplyOperands takes one vector at a time

	ins, outs         [][]float64 // of the next product: its vectors, and the vectors to which the products are added
	operands, product []float64   // the vectors side by side, and their products
}

// A basis is the basis Q_j of one block, and the block of X.
type basis struct {
	from, count int         // its columns of Psi
	at, rank    int         // its columns of X
	q           []float64   // Q_j', rank x count
	x, xT       []float64   // X_j, n x rank, and its transpose
	gram        [][]float64 // X_j'X_k of each block k
}

// rankTol is the relative size below which a pivot of Psi_j'Psi_j is taken to be rounding alone.
const rankTol = 1e-14

// newColumns embeds the rows at sigma. If grams is set, it also computes X'X, unless a product of a vector with X'X costs more
// than one with X and one with X'.
func newColumns(ctx context.Context, p *problem, sigma []float64, grams bool) (*columns, error) {
	m := &columns{n: p.n, width: p.width, alone: p.outputs == 1}
	var psi []float64 // Psi_j', count x n
	block := p.newWork(p.n, false)
	for j, q := range p.parts {
		b := &basis{from: q.at, count: q.count, at: m.rank}
		psi = slices.Grow(psi[:0], q.count*p.n)[:q.count*p.n]
		block.embedding = p.only(j)
		err := fitting.Blocks(ctx, p.n, rowsAtOnce, func(lo, hi int) {
			block.embed(p.a[lo*p.inputs:hi*p.inputs], sigma)
			for k := range q.count {
				copy(psi[k*p.n+lo:k*p.n+hi], block.psi[k*(hi-lo):(k+1)*(hi-lo)])
			}
		})
		if err != nil {
			return nil, err
		}
		if b.q, err = rowSpace(ctx, psi, q.count, p.n); err != nil {
			return nil, err
		}
		b.rank = len(b.q) / q.count
		b.xT = make([]float64, b.rank*p.n)
		vmath.MatMul(b.xT, b.q, b.rank, q.count, psi, p.n)
		b.x = vmath.Transposed(b.xT, b.rank, p.n)
		m.rank += b.rank
		m.blocks = append(m.blocks, b)
	}
	m.grams = grams && m.rank <= 2*m.n
	for j, b := range m.blocks {
		b.gram = make([][]float64, len(m.blocks))
		for k, c := range m.blocks[:j+1] {
			if !m.grams || ctx.Err() != nil {
				break
			}
			b.gram[k] = make([]float64, b.rank*c.rank)
			vmath.MatMulT(b.gram[k], b.xT, b.rank, m.n, c.xT, c.rank)
			c.gram[j] = vmath.Transposed(b.gram[k], b.rank, c.rank)
		}
	}
	return m, ctx.Err()
}

// rowSpace returns, as rows, an orthonormal basis of the row space of Psi; psi (count x n) is the transpose of Psi. The basis
// is the pivoted Cholesky factor of Psi'Psi, made orthonormal by Gram and Schmidt's method. If the basis has more than three
// quarters of the count rows, rowSpace returns the identity instead.
func rowSpace(ctx context.Context, psi []float64, count, n int) (q []float64, err error) {
	a, diag := make([]float64, count*count), make([]float64, count)
	if err := cholesky.Gram(ctx, a, psi, count, n); err != nil {
		return nil, err
	}
	for i := range diag {
		diag[i] = a[i*count+i]
	}
	q, err = cholesky.LowRank(ctx, diag, func(dst []float64, i int) { copy(dst, a[i*count:(i+1)*count]) }, rankTol, count)
	if 4*len(q) > 3*count*count {
		q = make([]float64, count*count)
		for k := range count {
			q[k*count+k] = 1
		}
		return q, err
	}
	along, part := make([]float64, count), make([]float64, count)
	for k := range len(q) / count {
		row := q[k*count : (k+1)*count]
		for range 2 { // twice, since for nearly dependent rows rounding spoils the first result
			if k > 0 {
				vmath.MatVec(along[:k], q[:k*count], k, count, row)
				vmath.MatTVec(part, q[:k*count], k, count, along[:k])
				vmath.Axpy(-1, part, row)
			}
			scaleAll(1/norm(row), row)
		}
	}
	return q, err
}

// norm is |x|.
func norm(x []float64) float64 { return math.Sqrt(vmath.Dot(x, x)) }

// of returns the elements that belong to b, of a vector with an element for each column of X.
func (b *basis) of(w []float64) []float64 { return w[b.at : b.at+b.rank] }

// norms returns the norms of the blocks of w.
func (m *columns) norms(w []float64) []float64 {
	sizes := make([]float64, len(m.blocks))
	for j, b := range m.blocks {
		sizes[j] = norm(b.of(w))
	}
	return sizes
}

// addOperand adds the vector in to the next product. The product of in is added to out.
func (m *columns) addOperand(out, in []float64) {
	m.outs, m.ins = append(m.outs, out), append(m.ins, in)
}

// multiplyOperands multiplies a (rows x cols) by the collected vectors and adds each product to its out. The bits of a product do
// not depend on the other vectors.
func (m *columns) multiplyOperands(a []float64, rows, cols int) {
	k := len(m.ins)
	m.product, m.operands = slices.Grow(m.product[:0], rows*k)[:rows*k], m.operands[:0]
	for i, v := range m.ins {
		if m.operands = append(m.operands, v...); m.alone {
			vmath.MatVec(m.product[:rows], a, rows, cols, v)
			vmath.Axpy(1, m.product[:rows], m.outs[i])
		}
	}
	if !m.alone && k > 0 {
		vmath.MatMulT(m.product, a, rows, cols, m.operands, k) // MatMulT copies its second matrix: so the larger one comes first
		for c, out := range m.outs {
			for r := range out {
				out[r] += m.product[r*k+c]
			}
		}
	}
	m.ins, m.outs = m.ins[:0], m.outs[:0]
}

// reduce returns the weights of the columns of X for the given weights of the columns of Psi.
func (m *columns) reduce(w []float64) []float64 {
	x := make([]float64, m.rank)
	for _, b := range m.blocks {
		vmath.MatVec(b.of(x), b.q, b.rank, b.count, w[b.from:b.from+b.count])
	}
	return x
}

// expand is the inverse of reduce.
func (m *columns) expand(x []float64) []float64 {
	w := make([]float64, m.width)
	for _, b := range m.blocks {
		vmath.MatTVec(w[b.from:b.from+b.count], b.q, b.rank, b.count, b.of(x))
	}
	return w
}
