package fourier

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// solveDirectly solves the system of p by Cholesky's factorisation, of rows or of columns, whichever are fewer. With Z
// = D^1/2 X (tau M)^1/2 on the active blocks, the solution is z = (tau M)^1/2 y of the ridge regression
//
//	y = (Z'Z + I)^-1 Z's = Z'(Z Z' + I)^-1 s,   s = D^1/2 r.
func (l *lasso) solveDirectly(ctx context.Context, p *point) error {
	rank := l.activeRank(p)
	m := (l.order(p) + 7) &^ 7 // vmath.Factor wants eights
	a, u, ones, roots := grown(&l.matrix, m*m), grown(&l.factor, m*(m+8)), make([]float64, m), make([]float64, l.n)
	clear(a)
	clear(u)
	for i := range ones {
		ones[i] = 1
	}
	for i, d := range p.second {
		roots[i] = math.Sqrt(d)
	}
	if l.grams && rank <= l.n {
		l.scaledGram(p, a, m)
	} else if err := l.addProducts(ctx, p, a, m, rank, roots); err != nil {
		return err
	}
	right := make([]float64, m)
	if rank > l.n {
		for i, root := range roots {
			right[i] = root * (p.fit[i] - p.f[i])
		}
	} else {
		for i, d := range p.second {
			p.out[i] = d * (p.fit[i] - p.f[i])
		}
		l.gradients([]*point{p}, false, func(p *point) (g, v []float64) { return p.R, p.out })
		for j, at := range l.placed(p) {
			copy(right[at:], l.blocks[j].of(p.R))
		}
		l.root(p, right, 1)
	}
	for i, v := range right {
		u[i*(m+8)+m] = v
	}
	clear(p.X)
	if !vmath.Factor(u, a, m, 1, ones) {
		return nil // numbers overflow; z = 0 is a step downhill
	}
	vmath.Back(right, u, m, 0)
	if rank > l.n {
		for i, root := range roots {
			p.out[i] = root * right[i]
		}
		l.gradients([]*point{p}, false, func(p *point) (g, v []float64) { return p.R, p.out })
		l.metric(p, p.X, p.R, true)
		return nil
	}
	l.root(p, right, 1)
	for j, at := range l.placed(p) {
		copy(l.blocks[j].of(p.X), right[at:])
	}
	return nil
}

// placed goes through the active blocks j of p, with the places of their first columns among the columns of active
// blocks.
func (l *lasso) placed(p *point) iter.Seq2[int, int] {
	return func(yield func(j, at int) bool) {
		at := 0
		for j, b := range l.blocks {
			if p.active[j] {
				if !yield(j, at) {
					return
				}
				at += b.rank
			}
		}
	}
}

// root multiplies z by (tau M)^1/2. z has a row for each column of an active block; a row has h elements.
func (l *lasso) root(p *point, z []float64, h int) {
	part := make([]float64, h)
	for j, at := range l.placed(p) {
		b := l.blocks[j]
		w, own := b.of(p.w), z[at*h:(at+b.rank)*h]
		along, across := math.Sqrt(p.tau), 1/math.Sqrt(1/p.tau+p.lambda/norm(w))
		vmath.MatTVec(part, own, b.rank, h, w)
		floats.Scale(across, own)
		for k, v := range w {
			vmath.Axpy((along-across)*v/vmath.Dot(w, w), part, own[k*h:(k+1)*h])
		}
	}
}

// addProducts adds Z'Z, or Z Z' where Z has fewer rows than columns, to the upper triangle of a (m x m).
func (l *lasso) addProducts(ctx context.Context, p *point, a []float64, m, rank int, roots []float64) error {
	high, tall := min(l.n, rowsAtOnce), m
	if rank > l.n {
		high, tall = l.n, rank
	}
	block := grown(&l.columnsZ, tall*high)
	return fitting.Blocks(ctx, l.n, high, func(lo, hi int) {
		h := hi - lo
		z := block[:tall*h]
		clear(z[rank*h:])
		for j, at := range l.placed(p) {
			l.blocks[j].copyRows(z[at*h:], lo, hi)
		}
		for row := range slices.Chunk(z[:rank*h], h) {
			for i, root := range roots[lo:hi] {
				row[i] *= root
			}
		}
		l.root(p, z, h)
		if rank <= l.n {
			gramAdd(ctx, a, z, m, h)
			return
		}
		turned := grown(&l.rowsZ, m*rank)
		clear(turned[h*rank:])
		vmath.Transpose(turned, rank, z, h, rank, h)
		gramAdd(ctx, a, turned, m, rank)
	})
}

// grown makes x a slice of n elements, whose values have no meaning.
func grown(x *[]float64, n int) []float64 {
	*x = slices.Grow((*x)[:0], n)[:n]
	return *x
}

// scaledGram sets a (m x m) to Z'Z, of the products X'X and a constant D.
func (l *lasso) scaledGram(p *point, a []float64, m int) {
	for j, at := range l.placed(p) {
		for k, to := range l.placed(p) {
			c := l.blocks[k].rank
			for r := range l.blocks[j].rank {
				copy(a[(at+r)*m+to:], l.blocks[j].gram[k][r*c:(r+1)*c])
			}
		}
	}
	floats.Scale(p.second[0], a)
	l.root(p, a, m)
	copy(a, vmath.Transposed(a, m, m))
	l.root(p, a, m)
}
