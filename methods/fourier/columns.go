package fourier

import (
	"context"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// columns is the matrix of the group lasso, X = [Psi_1 Q_1 .. Psi_r Q_r]. Psi is the embedding of all rows, and the
// columns of Q_j are an orthonormal basis of the row space of Psi_j. X has fewer columns than Psi: a hundred cosines of
// one feature have a rank of about twenty, or of four where the feature has four values. The optimum is the same, since
// w_j = Q_j x_j has the norm of x_j, and at every optimum the part of the weights that is orthogonal to the row space
// is zero.
type columns struct {
	n, width int // rows; columns of Psi
	rank     int // columns of X
	blocks   []*basis
	grams    bool // the blocks have gram, their products with all blocks
	alone    bool // multiplyOperands takes one vector at a time

	ins, outs         [][]float64 // of the next product: its vectors, and the vectors to which the products are added
	operands, product []float64   // the vectors side by side, and their products
	block             []float64   // of rows
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

// newColumns embeds the rows at sigma. If grams is set, it also computes X'X, unless a product of a vector with X'X
// costs more than one with X and one with X'.
func newColumns(ctx context.Context, p *problem, sigma []float64, grams bool) (*columns, error) {
	m := &columns{n: p.n, width: p.width, alone: p.outputs == 1}
	for j, q := range p.parts {
		b, err := newBasis(ctx, p.channel(j), sigma)
		if err != nil {
			return nil, err
		}
		b.from, b.at = q.at, m.rank
		m.rank += b.rank
		m.blocks = append(m.blocks, b)
	}
	if m.grams = grams && m.rank <= 2*m.n; m.grams {
		return m, m.multiplyBlocks(ctx)
	}
	return m, nil
}

// newBasis embeds the values of a channel. The product Psi_j'Psi_j of all rows is that of the values, each times the
// root of the number of rows that have it.
func newBasis(ctx context.Context, c *channel, sigma []float64) (*basis, error) {
	psi, m := make([]float64, c.width*c.n), c.n
	block := c.newWork(m, false)
	err := fitting.Blocks(ctx, m, rowsAtOnce, func(lo, hi int) {
		block.embed(c.values[lo*c.inputs:hi*c.inputs], sigma)
		for k := range c.width {
			copy(psi[k*m+lo:k*m+hi], block.psi[k*(hi-lo):(k+1)*(hi-lo)])
		}
	})
	if err != nil {
		return nil, err
	}
	weighted := psi
	if c.which != nil {
		weighted = slices.Clone(psi)
		for k := range c.width {
			for i, root := range c.roots {
				weighted[k*m+i] *= root
			}
		}
	}
	b := &basis{count: c.width}
	if b.q, err = rowSpace(ctx, weighted, c.width, m); err != nil {
		return nil, err
	}
	b.rank = len(b.q) / c.width
	b.xT = make([]float64, b.rank*m)
	vmath.MatMul(b.xT, b.q, b.rank, c.width, psi, m)
	if c.which != nil {
		values := b.xT
		b.xT = make([]float64, b.rank*len(c.which))
		for k := range b.rank {
			row := b.xT[k*len(c.which):]
			for i, v := range c.which {
				row[i] = values[k*m+int(v)]
			}
		}
	}
	b.x = vmath.Transposed(b.xT, b.rank, len(b.xT)/max(1, b.rank))
	return b, nil
}

// multiplyBlocks computes X'X.
func (m *columns) multiplyBlocks(ctx context.Context) error {
	all := make([]float64, m.rank*m.rank)
	err := fitting.Blocks(ctx, m.n, rowsAtOnce, func(lo, hi int) { gramAdd(ctx, all, m.rows(lo, hi), m.rank, hi-lo) })
	if err != nil {
		return err
	}
	vmath.Mirror(all, m.rank)
	for _, b := range m.blocks {
		b.gram = make([][]float64, len(m.blocks))
		for k, c := range m.blocks {
			for r := range b.rank {
				b.gram[k] = append(b.gram[k], all[(b.at+r)*m.rank+c.at:][:c.rank]...)
			}
		}
	}
	return nil
}

// rows returns the rows lo .. hi-1 of X, column by column: rank x (hi-lo). The next call overwrites them.
func (m *columns) rows(lo, hi int) []float64 {
	block := grown(&m.block, m.rank*(hi-lo))
	for _, b := range m.blocks {
		b.copyRows(block[b.at*(hi-lo):], lo, hi)
	}
	return block
}

// copyRows writes the rows lo .. hi-1 of X_j to dst, rank x (hi-lo).
func (b *basis) copyRows(dst []float64, lo, hi int) {
	n := len(b.xT) / max(1, b.rank)
	for k := range b.rank {
		copy(dst[k*(hi-lo):(k+1)*(hi-lo)], b.xT[k*n+lo:k*n+hi])
	}
}

// rowSpace returns, as rows, an orthonormal basis of the row space of Psi; psi (count x n) is the transpose of Psi. The
// basis is the pivoted Cholesky factor of Psi'Psi, made orthonormal by Gram and Schmidt's method. If the basis has more
// than three quarters of the count rows, rowSpace returns the identity instead.
func rowSpace(ctx context.Context, psi []float64, count, n int) (q []float64, err error) {
	a, diag := make([]float64, count*count), make([]float64, count)
	if err := solve.Gram(ctx, a, psi, count, n); err != nil {
		return nil, err
	}
	for i := range diag {
		diag[i] = a[i*count+i]
	}
	q, err = solve.LowRank(ctx, diag, func(dst []float64, i int) { copy(dst, a[i*count:(i+1)*count]) }, rankTol,
		count)
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
			floats.Scale(1/norm(row), row)
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

// few is the number of rows or columns below which Axpy or Dot for each of them is faster than RowDots.
const few = 4

// multiplyOperands multiplies a (rows x cols) by the collected vectors and adds each product to its out. turned is the
// transpose of a. The bits of a product do not depend on the other vectors.
func (m *columns) multiplyOperands(a, turned []float64, rows, cols int) {
	k := len(m.ins)
	grown(&m.product, rows*k)
	switch {
	case k == 0:
	case m.alone:
		m.addProducts(a, turned, rows, cols)
	default:
		m.operands = m.operands[:0]
		for _, v := range m.ins {
			m.operands = append(m.operands, v...)
		}
		// MatMulT copies its second matrix: so the larger one comes first
		vmath.MatMulT(m.product, a, rows, cols, m.operands, k)
		for c, out := range m.outs {
			for r := range out {
				out[r] += m.product[r*k+c]
			}
		}
	}
	m.ins, m.outs = m.ins[:0], m.outs[:0]
}

// addProducts is multiplyOperands for one vector at a time.
func (m *columns) addProducts(a, turned []float64, rows, cols int) {
	for i, in := range m.ins {
		out := m.outs[i]
		switch {
		case cols < few:
			for c, v := range in {
				vmath.Axpy(v, turned[c*rows:(c+1)*rows], out)
			}
		case rows < few:
			for r := range out {
				out[r] += vmath.Dot(a[r*cols:(r+1)*cols], in)
			}
		default:
			vmath.RowDots(m.product[:rows], a, cols, rows, cols, in)
			vmath.Axpy(1, m.product[:rows], out)
		}
	}
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
