package kernel

import (
	"context"

	"github.com/kernelboosting/bench/methods/internal/frame"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// An operator is the kernel matrix K (n x n) of a set of rows, Gaussian or Gaussian plus linear, as rows and as products with vectors. Its
// elements are computed when they are asked for; where that is little memory, those below the diagonal are kept.
type operator struct {
	n, d    int
	x       []float64 // n x d
	scaled  []float64 // x times the roots of the bandwidths
	squares []float64 // of the rows of scaled
	linear  bool

	kept       bool
	tiles      []float64 // all tiles, in order, if kept
	tile, dots []float64
	turned     []float64
	in, out    []float64 // the vectors of a product, side by side
}

const (
	tileHigh, tileWide = 128, 1024
	// keptRows is the largest n whose tiles are kept: 8 n^2 / 2 bytes are 150 MB.
	keptRows = 6000
)

// operatorBytes is what an operator of n rows of d features holds, and what a product with so many vectors takes.
func operatorBytes(n, d, vectors int) int64 {
	total := 8 * (int64(n)*int64(d+1+2*vectors) + 2*tileHigh*tileWide + int64(vectors)*(tileHigh+tileWide))
	if n <= keptRows {
		total += 4*int64(n)*int64(n) + 4*int64(n)*tileHigh
	}
	return total
}

// newOperator makes the operator of the rows x with the bandwidths gamma, with its elements if keep is set.
func newOperator(ctx context.Context, x []float64, d int, gamma []float64, linear, keep bool) (*operator, error) {
	o := &operator{n: len(x) / d, d: d, x: x, linear: linear}
	o.scaled, o.squares = scaleRows(x, d, gamma)
	o.tile, o.dots = make([]float64, tileHigh*tileWide), make([]float64, tileHigh*tileWide)
	if !keep {
		return o, nil
	}
	size := 0
	o.each(func(h, w, lo, from int) error { size += h * w; return nil })
	o.tiles = make([]float64, size)
	at := 0
	err := o.each(func(h, w, lo, from int) error {
		o.block(o.tiles[at:at+h*w], o.scaled[lo*d:(lo+h)*d], o.squares[lo:lo+h], x[lo*d:(lo+h)*d], from, w)
		at += h * w
		return ctx.Err()
	})
	o.kept = true
	return o, err
}

// each calls do for the tiles of the lower triangle, in order: h rows from lo, w columns from from. The columns lie before the rows, or are
// the same.
func (o *operator) each(do func(h, w, lo, from int) error) error {
	for lo := 0; lo < o.n; lo += tileHigh {
		h := min(tileHigh, o.n-lo)
		for from := 0; from < lo; from += tileWide {
			if err := do(h, min(tileWide, lo-from), lo, from); err != nil {
				return err
			}
		}
		if err := do(h, h, lo, lo); err != nil {
			return err
		}
	}
	return nil
}

// block writes the kernel of the given rows, scaled and plain, with the w rows of the set from from on.
func (o *operator) block(dst, scaled, squares, plain []float64, from, w int) {
	d := o.d
	gaussian(dst, scaled, squares, o.scaled[from*d:(from+w)*d], o.squares[from:from+w], d)
	if o.linear {
		if len(o.dots) < len(dst) {
			o.dots = make([]float64, len(dst))
		}
		dots := o.dots[:len(dst)]
		vmath.MatMulT(dots, plain, len(squares), d, o.x[from*d:(from+w)*d], w)
		vmath.Axpy(1, dots, dst)
	}
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
	o.block(dst, scaled, squares, plain, 0, o.n)
}

// diagonal returns the diagonal of K.
func (o *operator) diagonal() []float64 {
	diag := make([]float64, o.n)
	for i := range diag {
		diag[i] = 1
		if o.linear {
			diag[i] += vmath.Dot(o.x[i*o.d:(i+1)*o.d], o.x[i*o.d:(i+1)*o.d])
		}
	}
	return diag
}

// multiply sets each of outs to K times the one of ins. A product has the same bits in whatever company it is made.
func (o *operator) multiply(ctx context.Context, outs, ins [][]float64) error {
	n, c := o.n, len(ins)
	if len(o.in) < n*c {
		o.in, o.out = make([]float64, n*c), make([]float64, n*c)
	}
	in, out := o.in[:n*c], o.out[:n*c]
	clear(out)
	for j, v := range ins {
		for i, e := range v {
			in[i*c+j] = e
		}
	}
	if len(o.turned) < c*(tileHigh+tileWide) {
		o.turned = make([]float64, c*(tileHigh+tileWide))
	}
	at := 0
	err := o.each(func(h, w, lo, from int) error {
		tile := o.tile[:h*w]
		if o.kept {
			tile = o.tiles[at : at+h*w]
			at += h * w
		} else {
			o.block(tile, o.scaled[lo*o.d:(lo+h)*o.d], o.squares[lo:lo+h], o.x[lo*o.d:(lo+h)*o.d], from, w)
		}
		o.add(out, in, tile, h, w, lo, from, c)
		return ctx.Err()
	})
	for j, v := range outs {
		for i := range v {
			v[i] = out[i*c+j]
		}
	}
	return err
}

// add adds to out the products of a tile with the rows of in at its columns, and off the diagonal of its transpose with those at its rows.
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

// products is multiply for the vectors that the unfinished solutions ask for, until all are finished.
func products(ctx context.Context, o *operator, all []*solution) error {
	for {
		var asking []*solution
		var ins, outs [][]float64
		for _, s := range all {
			if s.ask != nil {
				asking, ins, outs = append(asking, s), append(ins, s.ask), append(outs, s.product)
			}
		}
		if len(asking) == 0 {
			return nil
		}
		const most = 24 // columns that products of matrices take at a time
		for lo := 0; lo < len(ins); lo += most {
			hi := min(lo+most, len(ins))
			if err := o.multiply(ctx, outs[lo:hi], ins[lo:hi]); err != nil {
				return err
			}
		}
		err := frame.Blocks(ctx, len(asking), 1, func(i, _ int) { asking[i].take(ctx) })
		if err != nil {
			return err
		}
	}
}
