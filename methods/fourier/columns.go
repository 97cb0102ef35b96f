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
	*channel
	sigma    []float64
	work     *work
	from     int         // its first column of Psi, of width columns
	at, rank int         // its columns of X
	q        []float64   // Q_j', rank x width
	xT       []float64   // X_j', rank x n, if it is held
	values   []float64   // X_j' of the values, where rows have equal values
	gram     [][]float64 // X_j'X_k of each block k
}

// rankTol is the relative size below which a pivot of Psi_j'Psi_j is taken to be rounding alone.
const rankTol = 1e-14

// newColumns embeds the rows at sigma. X is held, unless the caller needs no more than its rows once. If grams is set,
// it also computes X'X, unless a product of a vector with X'X costs more than one with X and one with X'. The columns
// take the memory of last, which is nil or no longer needed.
func newColumns(ctx context.Context, p *problem, sigma []float64, held, grams bool, last *columns) (*columns, error) {
	m := &columns{n: p.n, width: p.width, alone: p.outputs == 1}
	for j, q := range p.parts {
		b, err := newBasis(ctx, p.channel(j), sigma)
		if err == nil && held {
			var room []float64
			if last != nil {
				room = last.blocks[j].xT
			}
			b.xT, err = b.all(ctx, room, p.n, b.copyRows)
			b.values, b.work = nil, nil
		}
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
	b, gram := &basis{channel: c, sigma: sigma, work: c.newWork(c.n, false)}, make([]float64, c.width*c.width)
	err := fitting.Blocks(ctx, c.n, rowsAtOnce, func(lo, hi int) {
		psi := b.psi(lo, hi)
		for row := range slices.Chunk(psi, hi-lo) {
			if c.which != nil {
				floats.Mul(row, c.roots[lo:hi])
			}
		}
		gramAdd(ctx, gram, psi, c.width, hi-lo)
	})
	if err != nil {
		return nil, err
	}
	vmath.Mirror(gram, c.width)
	if b.q, err = rowSpace(ctx, gram, c.width); err != nil {
		return nil, err
	}
	if b.rank = len(b.q) / c.width; c.which != nil {
		b.values, err = b.all(ctx, nil, c.n, b.multiply)
	}
	return b, err
}

// psi embeds the values lo .. hi-1, at most rowsAtOnce, column by column.
func (b *basis) psi(lo, hi int) []float64 {
	b.work.embed(b.channel.values[lo*b.inputs:hi*b.inputs], b.sigma)
	return b.work.psi[:b.width*(hi-lo)]
}

// multiply writes X_j of the values lo .. hi-1 to dst, rank x (hi-lo).
func (b *basis) multiply(dst []float64, lo, hi int) {
	vmath.MatMul(dst[:b.rank*(hi-lo)], b.q, b.rank, b.width, b.psi(lo, hi), hi-lo)
}

// all returns the matrix (rank x n) whose blocks write writes, in the memory of room if it is large enough.
func (b *basis) all(ctx context.Context, room []float64, n int,
	write func(dst []float64, lo, hi int)) ([]float64, error) {
	x, part := grown(&room, b.rank*n), make([]float64, b.rank*min(n, rowsAtOnce))
	return x, fitting.Blocks(ctx, n, rowsAtOnce, func(lo, hi int) {
		write(part, lo, hi)
		for k := range b.rank {
			copy(x[k*n+lo:], part[k*(hi-lo):(k+1)*(hi-lo)])
		}
	})
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
	if b.xT == nil && b.which == nil {
		b.multiply(dst, lo, hi)
		return
	}
	n := len(b.xT) / max(1, b.rank)
	for k := range b.rank {
		row := dst[k*(hi-lo) : (k+1)*(hi-lo)]
		if b.xT != nil {
			copy(row, b.xT[k*n+lo:])
			continue
		}
		for i, v := range b.which[lo:hi] {
			row[i] = b.values[k*b.n+int(v)]
		}
	}
}

// rowSpace returns, as rows, an orthonormal basis of the row space of Psi from a = Psi'Psi (count x count). The basis
// is the pivoted Cholesky factor of a, made orthonormal by Gram and Schmidt's method. If the basis has more than three
// quarters of the count rows, rowSpace returns the identity instead.
func rowSpace(ctx context.Context, a []float64, count int) (q []float64, err error) {
	diag := make([]float64, count)
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
// transpose of a. One of them may be nil. The bits of a product depend neither on that nor on the other vectors.
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
		if a == nil {
			m.multiplyTurned(turned, rows, cols, k)
			break
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

// multiplyTurned is multiplyOperands by the transpose of a alone, some of the rows of a at a time.
func (m *columns) multiplyTurned(turned []float64, rows, cols, k int) {
	for lo := 0; lo < rows; lo += rowsAtOnce {
		h := min(rowsAtOnce, rows-lo)
		part := m.product[:k*h]
		clear(part)
		vmath.MatMulAdd(part, h, m.operands, cols, k, cols, turned[lo:], rows, h)
		for c, out := range m.outs {
			floats.Add(out[lo:lo+h], part[c*h:(c+1)*h])
		}
	}
}

// addProducts is multiplyOperands for one vector at a time.
func (m *columns) addProducts(a, turned []float64, rows, cols int) {
	if a == nil && rows < few {
		a = vmath.Transposed(turned, cols, rows)
	}
	if turned == nil && cols < few {
		turned = vmath.Transposed(a, rows, cols)
	}
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
		case a == nil:
			vmath.MatTVec(m.product[:rows], turned, cols, rows, in)
			vmath.Axpy(1, m.product[:rows], out)
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
		vmath.MatVec(b.of(x), b.q, b.rank, b.width, w[b.from:b.from+b.width])
	}
	return x
}

// expand is the inverse of reduce.
func (m *columns) expand(x []float64) []float64 {
	w := make([]float64, m.width)
	for _, b := range m.blocks {
		vmath.MatTVec(w[b.from:b.from+b.width], b.q, b.rank, b.width, b.of(x))
	}
	return w
}
