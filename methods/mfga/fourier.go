package mfga

import (
	"context"

	"github.com/kernelboosting/bench/methods/internal/rff"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/floats"
)

// A fourier holds random Fourier features of the Gaussian kernel of width s on the training rows,
//
//	phi_m(x) = cos(w_m.x + b_m),   w_m ~ N(0, I/s^2),   b_m uniform on [0, 2 pi),
//
// without the usual factor sqrt(2/M), which would only change the meaning of the penalty.
type fourier struct {
	x    []float64 // n x d
	n, d int
	w    []float64 // count x (d + 1): w_m, and then b_m, the weight of a constant feature 1
	u    []float64 // uniform on [0, 1)
}

// drawFourier draws all frequencies, then all phases, and then the given number of uniforms, in the order of the
// reference program.
func drawFourier(random *rng.RandomState, x []float64, d int, width float64, how rff.How, count,
	uniforms int) *fourier {
	f := &fourier{x: x, n: len(x) / d, d: d, w: make([]float64, count*(d+1)), u: make([]float64, uniforms)}
	how.Place(f.w, count, d, d+1, random.Norms, random.Float64)
	for m := range count {
		w := f.w[m*(d+1):][:d+1]
		for j, v := range w[:d] {
			w[j] = v / width
		}
		w[d] = how.Phase(m, random.Float64)
	}
	for j := range f.u {
		f.u[j] = random.Float64()
	}
	return f
}

func (f *fourier) count() int { return len(f.w) / (f.d + 1) }

// frequencies returns w_m and b_m of the listed features, row after row.
func (f *fourier) frequencies(which []int) []float64 {
	out := make([]float64, 0, len(which)*(f.d+1))
	for _, m := range which {
		out = append(out, f.w[m*(f.d+1):(m+1)*(f.d+1)]...)
	}
	return out
}

func (f *fourier) columns(which []int) func(dst []float64, ld, lo, hi int) {
	w, c := f.frequencies(which), newCosines(f.d)
	return func(dst []float64, ld, lo, hi int) {
		values := c.of(f.x[lo*f.d:hi*f.d], w)
		for i := range hi - lo {
			copy(dst[i*ld:], values[i*len(which):(i+1)*len(which)])
		}
	}
}

// featuresAtOnce is how many features are scored at a time.
const featuresAtOnce = 512

// scores returns sum_i t_i phi_m(x_i) for all features m. Only a block of the columns is in memory at a time.
func (f *fourier) scores(ctx context.Context, t []float64) ([]float64, error) {
	out, part, c := make([]float64, f.count()), make([]float64, featuresAtOnce), newCosines(f.d)
	for from := 0; from < len(out); from += featuresAtOnce {
		to := min(from+featuresAtOnce, len(out))
		w := f.w[from*(f.d+1) : to*(f.d+1)]
		for lo := 0; lo < f.n; lo += blockRows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			hi := min(lo+blockRows, f.n)
			vmath.MatTVec(part[:to-from], c.of(f.x[lo*f.d:hi*f.d], w), hi-lo, to-from, t[lo:hi])
			floats.Add(out[from:to], part[:to-from])
		}
	}
	return out, nil
}

// cosines computes blocks of random features, in memory that it keeps.
type cosines struct {
	d            int
	rows, values []float64
}

func newCosines(d int) *cosines { return &cosines{d: d} }

// of returns the rows x features matrix of cos(w.x + b), valid until the next call.
func (c *cosines) of(x, w []float64) []float64 {
	n, m := len(x)/c.d, len(w)/(c.d+1)
	if need := n * (c.d + 1); len(c.rows) < need {
		c.rows = make([]float64, need)
	}
	if len(c.values) < n*m {
		c.values = make([]float64, n*m)
	}
	rows, values := c.rows[:n*(c.d+1)], c.values[:n*m]
	for i := range n {
		copy(rows[i*(c.d+1):], x[i*c.d:(i+1)*c.d])
		rows[(i+1)*(c.d+1)-1] = 1
	}
	vmath.MatMulT(values, rows, n, c.d+1, w, m)
	vmath.Cos(values, values)
	return values
}
