package kernel

import (
	"context"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// An operator is a [MatVec] of the kernel matrix K (n x n) of a set of rows, Gaussian or Gaussian plus linear. It
// computes the lower triangle of K in tiles, by blocked products of the rows. It multiplies the vectors with each tile
// and, off the diagonal, with the transpose of the tile. The first product keeps as many tiles as fit into
// matrixLimit bytes. Every later product computes the tiles that were not kept again.
type operator struct {
	n, d    int
	x       []float64 // n x d
	scaled  []float64 // x times the roots of the kernel coefficients
	squares []float64 // of the rows of scaled
	linear  bool

	room       int64       // bytes of memory for further tiles
	tiles      [][]float64 // the tiles that are kept, in the order of a product
	tile, dots []float64
	in, out    []float64 // the vectors of a product, side by side
	turned     []float64
}

const tileHigh, tileWide = 128, 1024 // a tile and its rows stay in the second cache

// matrixLimit is the most memory in bytes of kept tiles. Those of 32,600 rows fit. A product reads a tile in a third to
// a seventh of the time that computing it takes.
const matrixLimit = 4 << 30

// operatorBytes is the memory of an operator of n rows of d features, and of a product with the given number of
// vectors.
func operatorBytes(n, d, vectors int) int64 {
	return 8*(int64(n)*int64(d+1+2*vectors)+2*tileHigh*tileWide+int64(vectors)*(tileHigh+tileWide)) +
		min(matrixLimit, 4*int64(n)*int64(n)+4*int64(n)*tileHigh)
}

// newOperator makes the operator of the rows x with the kernel coefficients gamma.
func newOperator(x []float64, d int, gamma []float64, linear bool) *operator {
	o := &operator{n: len(x) / d, d: d, x: x, linear: linear, room: matrixLimit}
	o.scaled, o.squares = scaleRows(x, d, gamma)
	o.tile, o.dots = make([]float64, tileHigh*tileWide), make([]float64, tileHigh*tileWide)
	return o
}

// largest returns the largest element of K, which is on the diagonal.
func (o *operator) largest() float64 {
	most := 0.0
	for i := 0; o.linear && i < o.n; i++ {
		most = max(most, vmath.Dot(o.x[i*o.d:(i+1)*o.d], o.x[i*o.d:(i+1)*o.d]))
	}
	return 1 + most
}

// rows writes the rows of K with the given numbers.
func (o *operator) rows(dst []float64, at []int) {
	d := o.d
	scaled, squares, plain := make([]float64, len(at)*d), make([]float64, len(at)), make([]float64, len(at)*d)
	for i, row := range at {
		copy(scaled[i*d:(i+1)*d], o.scaled[row*d:(row+1)*d])
		copy(plain[i*d:(i+1)*d], o.x[row*d:(row+1)*d])
		squares[i] = o.squares[row]
	}
	o.block(dst, make([]float64, len(dst)), scaled, squares, plain, 0, o.n)
}

// block writes to dst the kernel of the given rows with rows `from` .. from+w-1 of the set. scaled and plain are the
// given rows with and without the roots of the kernel coefficients. dots is workspace of the size of dst.
func (o *operator) block(dst, dots, scaled, squares, plain []float64, from, w int) {
	d := o.d
	gaussian(dst, scaled, squares, o.scaled[from*d:(from+w)*d], o.squares[from:from+w], d)
	if o.linear {
		vmath.MatMulT(dots[:len(dst)], plain, len(squares), d, o.x[from*d:(from+w)*d], w)
		vmath.Axpy(1, dots[:len(dst)], dst)
	}
}

// Mul implements MatVec.
func (o *operator) Mul(ctx context.Context, dst, src [][]float64) error {
	n, c := o.n, len(src)
	if len(o.in) < n*c {
		o.in, o.out, o.turned = make([]float64, n*c), make([]float64, n*c), make([]float64, c*(tileHigh+tileWide))
	}
	in, out := o.in[:n*c], o.out[:n*c]
	clear(out)
	for j, v := range src {
		for i, e := range v {
			in[i*c+j] = e
		}
	}
	at := 0
	for lo := 0; lo < n; lo += tileHigh {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := min(tileHigh, n-lo)
		for from := 0; from < lo; from += tileWide {
			w := min(tileWide, lo-from)
			o.add(out, in, o.tileAt(at, h, w, lo, from), h, w, lo, from, c)
			at++
		}
		o.add(out, in, o.tileAt(at, h, h, lo, lo), h, h, lo, lo, c)
		at++
	}
	for j, v := range dst {
		for i := range v {
			v[i] = out[i*c+j]
		}
	}
	return nil
}

// tileAt returns tile number `at` in the order of a product. The tile has h rows from row lo and w columns from column
// `from`. The columns lie before the rows or are the same.
func (o *operator) tileAt(at, h, w, lo, from int) []float64 {
	if at < len(o.tiles) {
		return o.tiles[at]
	}
	tile := o.tile[:h*w]
	if bytes := 8 * int64(len(tile)); at == len(o.tiles) && bytes <= o.room {
		tile = make([]float64, h*w)
		o.tiles, o.room = append(o.tiles, tile), o.room-bytes
	}
	o.block(tile, o.dots, o.scaled[lo*o.d:(lo+h)*o.d], o.squares[lo:lo+h], o.x[lo*o.d:(lo+h)*o.d], from, w)
	return tile
}

// add adds to out the product of a tile with the rows of in that belong to its columns. For a tile off the diagonal,
// add also adds the product of its transpose with the rows of in that belong to its rows.
func (o *operator) add(out, in, tile []float64, h, w, lo, from, c int) {
	sums := o.turned[:h*c]
	vmath.MatMul(sums, tile, h, w, in[from*c:(from+w)*c], c)
	vmath.Axpy(1, sums, out[lo*c:(lo+h)*c])
	if from == lo {
		return
	}
	turned, sums := o.turned[:c*h], o.turned[c*h:c*h+c*w]
	for i := range h {
		for j := range c {
			turned[j*h+i] = in[(lo+i)*c+j]
		}
	}
	vmath.MatMul(sums, turned, c, h, tile, w)
	for i := range w {
		for j := range c {
			out[(from+i)*c+j] += sums[j*w+i]
		}
	}
}
