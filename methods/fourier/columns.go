package fourier

import (
	"context"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// columns is Psi, the embedding of all rows, as the group lasso sees it: X = [Psi_1 Q_1 .. Psi_r Q_r], where the columns of Q_j are an
// orthonormal basis of the row space of Psi_j. Weights w_j = Q_j x_j have the norm of x_j. At every optimum, the part of the weights that is
// orthogonal to the row space is zero. A hundred cosines of one feature have a rank of twenty, or of four where the feature has four values.
//
// The solver uses columns by two products alone, for any number of outputs at a time: fits (X w) and gradients (X'v).
type columns struct {
	n, width int // rows; columns of Psi
	rank     int // columns of X
	blocks   []basis
	x        []float64 // X', rank x n
	rows     []float64 // X, block after block n x rank, where there are several outputs

	some, product []float64 // of a block: vectors side by side and what comes of them
}

// A basis is the basis Q_j of one block.
type basis struct {
	from, count int       // its columns of Psi
	at, rank    int       // its columns of X
	q           []float64 // Q', rank x count; nil where Q is the identity
}

// rankTol is the relative size below which a pivot of Psi_j'Psi_j is taken to be rounding alone.
const rankTol = 1e-14

func newColumns(ctx context.Context, p *problem, sigma []float64) (*columns, error) {
	m := &columns{n: p.n, width: p.width}
	var psi []float64 // of a block, count x n
	for j, q := range p.parts {
		b := basis{from: q.at, count: q.count, at: m.rank}
		psi = slices.Grow(psi[:0], q.count*p.n)[:q.count*p.n]
		block := p.only(j).newWork(p.n, false)
		err := fitting.Blocks(ctx, p.n, rowsAtOnce, func(lo, hi int) {
			block.embed(p.a[lo*p.inputs:hi*p.inputs], sigma)
			for k := range q.count {
				copy(psi[k*p.n+lo:k*p.n+hi], block.psi[k*(hi-lo):(k+1)*(hi-lo)])
			}
		})
		if err != nil {
			return nil, err
		}
		if b.q, b.rank, err = rowSpace(ctx, psi, q.count, p.n); err != nil {
			return nil, err
		}
		m.rank += b.rank
		m.blocks = append(m.blocks, b)
		if b.q == nil {
			m.x = append(m.x, psi...)
			continue
		}
		m.x = slices.Grow(m.x, b.rank*p.n)[:m.rank*p.n]
		vmath.MatMul(m.of(b), b.q, b.rank, q.count, psi, p.n)
	}
	if p.outputs > 1 {
		m.rows = make([]float64, 0, m.rank*p.n)
		for _, b := range m.blocks {
			m.rows = append(m.rows, transposed(m.of(b), b.rank, p.n)...)
		}
	}
	return m, ctx.Err()
}

// rowSpace returns, as rows, an orthonormal basis of the row space of Psi, whose transpose is psi (count x n), and the rank. Where the basis
// would have more than three quarters of count vectors, it returns nil and count. The basis is made by Gram and Schmidt's method from the
// pivoted Cholesky factor of Psi'Psi.
func rowSpace(ctx context.Context, psi []float64, count, n int) (q []float64, rank int, err error) {
	a, diag := make([]float64, count*count), make([]float64, count)
	if err := cholesky.Gram(ctx, a, psi, count, n); err != nil {
		return nil, 0, err
	}
	for i := range diag {
		diag[i] = a[i*count+i]
	}
	q, err = cholesky.LowRank(ctx, diag, func(dst []float64, i int) { copy(dst, a[i*count:(i+1)*count]) }, rankTol, count)
	rank = len(q) / count
	if err != nil || 4*rank > 3*count {
		return nil, count, err
	}
	for k := range rank {
		row := q[k*count : (k+1)*count]
		for range 2 { // a second time, since rounding spoils the first for nearly dependent rows
			for i := range k {
				before := q[i*count : (i+1)*count]
				vmath.Axpy(-vmath.Dot(row, before), before, row)
			}
			scaleAll(1/norm(row), row)
		}
	}
	return q, rank, nil
}

// norm is |x|.
func norm(x []float64) float64 { return math.Sqrt(vmath.Dot(x, x)) }

// of returns the columns of X that belong to b, rank x n.
func (m *columns) of(b basis) []float64 { return m.x[b.at*m.n : (b.at+b.rank)*m.n] }

// part returns the elements that belong to b, of a vector with an element for each column of X.
func (b basis) part(w []float64) []float64 { return w[b.at : b.at+b.rank] }

// norms returns the sum of the blocks' norms of w, and the largest.
func (m *columns) norms(w []float64) (sum, largest float64) {
	for _, b := range m.blocks {
		size := norm(b.part(w))
		sum += size
		largest = max(largest, size)
	}
	return sum, largest
}

// used tells which blocks of w are not zero.
func (m *columns) used(w []float64) []bool {
	use := make([]bool, len(m.blocks))
	for j, b := range m.blocks {
		use[j] = norm(b.part(w)) > 0
	}
	return use
}

// gradients writes X'v to g for each of the vectors v. It writes block j of vector i only if use[i][j] is set.
func (m *columns) gradients(gs, vs [][]float64, use [][]bool) {
	if len(vs) == 1 {
		for _, s := range m.spans(use[0]) {
			vmath.RowDots(gs[0][s.from:s.to], m.x[s.from*m.n:s.to*m.n], m.n, s.to-s.from, m.n, vs[0])
		}
		return
	}
	for j, b := range m.blocks {
		which := using(use, j)
		m.some = m.some[:0]
		for _, i := range which {
			m.some = append(m.some, vs[i]...)
		}
		out := m.room(b.rank * len(which))
		vmath.MatMulT(out, m.of(b), b.rank, m.n, m.some, len(which)) // the larger matrix first, which is not copied
		for c, i := range which {
			for k := range b.rank {
				gs[i][b.at+k] = out[k*len(which)+c]
			}
		}
	}
}

// fits writes X w to f for each of the vectors w. A block that is not used counts as zero.
func (m *columns) fits(fs, ws [][]float64, use [][]bool) {
	for _, f := range fs {
		clear(f)
	}
	if len(ws) == 1 {
		out := m.room(m.n)
		for _, s := range m.spans(use[0]) {
			vmath.MatTVec(out, m.x[s.from*m.n:s.to*m.n], s.to-s.from, m.n, ws[0][s.from:s.to])
			vmath.Axpy(1, out, fs[0])
		}
		return
	}
	for j, b := range m.blocks {
		which := using(use, j)
		m.some = m.some[:0]
		for _, i := range which {
			m.some = append(m.some, b.part(ws[i])...)
		}
		out := m.room(m.n * len(which))
		vmath.MatMulT(out, m.rows[b.at*m.n:(b.at+b.rank)*m.n], m.n, b.rank, m.some, len(which))
		for c, i := range which {
			for r := range fs[i] {
				fs[i][r] += out[r*len(which)+c]
			}
		}
	}
}

// room returns memory of n elements for a product.
func (m *columns) room(n int) []float64 {
	m.product = slices.Grow(m.product[:0], n)[:n]
	return m.product
}

// using lists the vectors that use block j.
func using(use [][]bool, j int) (which []int) {
	for i := range use {
		if use[i][j] {
			which = append(which, i)
		}
	}
	return which
}

// A span is the columns from .. to-1 of X.
type span struct{ from, to int }

// spans joins adjacent blocks in use.
func (m *columns) spans(use []bool) (all []span) {
	for j, b := range m.blocks {
		switch last := len(all) - 1; {
		case !use[j]:
		case last >= 0 && all[last].to == b.at:
			all[last].to += b.rank
		default:
			all = append(all, span{b.at, b.at + b.rank})
		}
	}
	return all
}

// turned returns the weights of the columns of X for the given weights of the columns of Psi.
func (m *columns) turned(w []float64) []float64 {
	x := make([]float64, m.rank)
	for _, b := range m.blocks {
		if own := w[b.from : b.from+b.count]; b.q == nil {
			copy(b.part(x), own)
		} else {
			vmath.MatVec(b.part(x), b.q, b.rank, b.count, own)
		}
	}
	return x
}

// turnedBack is the inverse of turned.
func (m *columns) turnedBack(x []float64) []float64 {
	w := make([]float64, m.width)
	for _, b := range m.blocks {
		if own := w[b.from : b.from+b.count]; b.q == nil {
			copy(own, b.part(x))
		} else {
			vmath.MatTVec(own, b.q, b.rank, b.count, b.part(x))
		}
	}
	return w
}
