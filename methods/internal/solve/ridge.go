package solve

import (
	"cmp"
	"context"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// A Ridge is ridge regression: for features f (p x n) and K targets r (K x n),
//
//	min over S, s   (1/n) sum_i |r_i - S f_i - s|^2 + rho |S|^2.
//
// Without an intercept s is zero. With one, f and r are centred. Then the minimum is, in closed form,
//
//	S' = (f f' + n rho I)^-1 f r' = f (f'f + n rho I)^-1 r',   s = mean of r - S (mean of f),
//
// by the smaller of two matrices: p x p, the products of the features, or n x n, the products of the rows. Any number
// of penalties rho share it. The zero value is ready for Set.
type Ridge struct {
	// Source writes the features from .. to-1 of the rows lo .. hi-1 to dst, as (to-from) x (hi-lo) numbers. It is
	// needed where Set gets no f. It must not change its numbers between Set or Renew and Solve.
	Source func(dst []float64, from, to, lo, hi int)

	p, n      int
	f, means  []float64
	part      []float64 // of f, from Source: rows of all features
	some      []float64 // some features of all rows
	rows      []float64 // f', where n < p
	intercept bool
	gram      []float64
	targets   []float64 // of one solution after the other, centred
	system    Shifted
}

// RidgeBytes is the memory of a Ridge, besides f and a transposed copy of f where n < p.
func RidgeBytes(p, n int) int64 {
	side := min(p, n)
	return 8*int64(2*side*side+p) + FactorBytes(side)
}

// SourceBytes is the memory that a Ridge takes for the features of its Source.
func SourceBytes(p, n int) int64 { return 8 * int64(p*gramDepth+sourceWidth*n) }

// sourceWidth is how many features of all rows are computed at a time.
const sourceWidth = 4

// Set takes the features, which it keeps and centres. If f is nil, they come from Source, a part at a time and four
// times over, with the same bits. Then n must be at least p.
func (r *Ridge) Set(ctx context.Context, f []float64, p, n int, intercept bool) error {
	r.p, r.n, r.f, r.intercept, r.means = p, n, f, intercept, make([]float64, p)
	side := min(p, n)
	r.gram = slices.Grow(r.gram[:0], side*side)[:side*side]
	return r.Renew(ctx, p)
}

// Renew takes the first features again, of which there are count, since their values have changed. The products of the
// others among themselves stay.
func (r *Ridge) Renew(ctx context.Context, count int) error {
	p, n := r.p, r.n
	if clear(r.means[:count]); r.intercept {
		err := r.columns(ctx, count, func(from, to int, f []float64) {
			for j := from; j < to; j++ {
				r.means[j] = centre(f[(j-from)*n : (j-from+1)*n])
			}
		})
		if err != nil {
			return err
		}
	}
	if n >= p {
		return gramRows(ctx, r.gram, r.strip, p, n, count)
	}
	r.rows = slices.Grow(r.rows[:0], p*n)[:p*n]
	vmath.Transpose(r.rows, p, r.f, n, count, n)
	return Gram(ctx, r.gram, r.rows, n, p)
}

// block computes the centred features from .. to-1 of the rows lo .. hi-1.
func (r *Ridge) block(from, to, lo, hi int) []float64 {
	h := hi - lo
	r.part = vmath.Room(r.part, (to-from)*h)
	r.Source(r.part, from, to, lo, hi)
	for j, mean := range r.means[from:to] {
		floats.AddConst(-mean, r.part[j*h:(j+1)*h])
	}
	return r.part
}

// strip returns the centred features of the rows lo .. hi-1, and how far apart those of two features are.
func (r *Ridge) strip(lo, hi int) ([]float64, int) {
	if r.f != nil {
		return r.f[lo:], r.n
	}
	return r.block(0, r.p, lo, hi), hi - lo
}

// columns calls do for the first count centred features of all rows, some or all of them at a time.
func (r *Ridge) columns(ctx context.Context, count int, do func(from, to int, f []float64)) error {
	if r.f != nil {
		do(0, count, r.f)
		return ctx.Err()
	}
	r.some = vmath.Room(r.some, sourceWidth*r.n)
	for from := 0; from < count; from += sourceWidth {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+sourceWidth, count)
		for lo := 0; lo < r.n; lo += gramDepth {
			hi := min(lo+gramDepth, r.n)
			f := r.block(from, to, lo, hi)
			for j := range to - from {
				copy(r.some[j*r.n+lo:], f[j*(hi-lo):(j+1)*(hi-lo)])
			}
		}
		do(from, to, r.some[:(to-from)*r.n])
	}
	return nil
}

// Solve returns S (K x p), s, and the fitted values S f_i + s (K x n).
func (r *Ridge) Solve(ctx context.Context, targets []float64, k int,
	rho float64) (weights, shift, fitted []float64, err error) {
	p, n, side := r.p, r.n, min(r.p, r.n)
	r.targets, shift = append(r.targets[:0], targets...), make([]float64, k)
	targets = r.targets
	for c := range shift {
		if r.intercept {
			shift[c] = centre(targets[c*n : (c+1)*n])
		}
	}
	if err := r.system.Factor(ctx, r.gram, side, side, 0, rho*float64(n)); err != nil {
		return nil, nil, nil, err
	}
	solve := func(b []float64) {
		for c := 0; c < k && err == nil; c++ {
			err = r.system.Solve(ctx, b[c*side:(c+1)*side])
		}
	}
	if side < p {
		solve(targets)
	}
	weights, fitted = make([]float64, k*p), make([]float64, k*n)
	// one output after the other: a product of matrices would copy f first
	stopped := r.columns(ctx, p, func(from, to int, f []float64) {
		for c := range k {
			vmath.RowDots(weights[c*p+from:c*p+to], f, n, to-from, n, targets[c*n:(c+1)*n])
		}
	})
	if side == p {
		solve(weights)
	}
	if err = cmp.Or(err, stopped, r.fit(ctx, fitted, weights, k)); err != nil {
		return nil, nil, nil, err
	}
	for c, mean := range shift {
		floats.AddConst(mean, fitted[c*n:(c+1)*n])
		shift[c] -= vmath.Dot(weights[c*p:(c+1)*p], r.means)
	}
	return weights, shift, fitted, nil
}

// fit sets fitted to S f_i for the weights S of k outputs.
func (r *Ridge) fit(ctx context.Context, fitted, weights []float64, k int) error {
	high := gramDepth
	if r.f != nil {
		high = r.n
	}
	for lo := 0; lo < r.n; lo += high {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+high, r.n)
		f, _ := r.strip(lo, hi)
		for c := range k {
			vmath.MatTVec(fitted[c*r.n+lo:c*r.n+hi], f, r.p, hi-lo, weights[c*r.p:(c+1)*r.p])
		}
	}
	return nil
}

// centre subtracts the mean of x and returns it.
func centre(x []float64) float64 {
	mean := vmath.Sum(x) / float64(len(x))
	for i := range x {
		x[i] -= mean
	}
	return mean
}

// A Shifted is the system (G + shift diag(0, .., 0, 1, .., 1)) x = b of symmetric matrices G, of any order one after
// the other, by Cholesky's factor. The zero value is ready to use.
type Shifted struct {
	factor []float64
	solver Factorizer
}

// Factor takes the lower triangle of G (n x n), whose rows are ld apart, and the number of zeros in front of the ones.
// It is cholesky.ErrNotPositive if the sum is not positive definite.
func (s *Shifted) Factor(ctx context.Context, g []float64, ld, n, zeros int, shift float64) error {
	s.factor = slices.Grow(s.factor[:0], n*n)[:n*n]
	for i := range n {
		copy(s.factor[i*n:i*n+i+1], g[i*ld:])
		if i >= zeros {
			s.factor[i*n+i] += shift
		}
	}
	s.solver.Resize(n)
	return s.solver.Factor(ctx, s.factor)
}

// Solve replaces b by x.
func (s *Shifted) Solve(ctx context.Context, b []float64) error {
	return s.solver.Solve(ctx, s.factor, b)
}
