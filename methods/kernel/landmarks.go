package kernel

import (
	"context"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// A cover is the Gaussian kernel exp(-gamma |x-z|^2) of n rows x with m of these rows, the landmarks z: K_nm (n x m),
// and of the landmarks with themselves: K_mm. K_nm is made in strips of rows, which are kept
// or made again: see fitting.Held.
type cover struct {
	n, m, d         int
	z               []float64 // the landmarks, m x d
	gamma           []float64 // the kernel coefficient, d times
	scaled, squares []float64 // of the rows: see scaleRows
	zs, zSquares    []float64 // of the landmarks

	factor []float64 // L with K_mm + jitter m I = L L', m x m
	solver *solve.Factorizer

	keep, made bool
	strips     []float64 // all strips, or one; made by each
}

// drawLandmarks returns m rows of x (n x d), drawn without replacement, or all rows in their order if m >= n.
func drawLandmarks(env registry.Env, x []float64, d, m int) []float64 {
	n := len(x) / d
	if m >= n {
		return slices.Clone(x)
	}
	z := make([]float64, 0, m*d)
	for _, i := range env.Rand().Permutation(n)[:m] {
		z = append(z, x[i*d:(i+1)*d]...)
	}
	return z
}

// newCover prepares the kernel of the rows x with the landmarks z, and factors K_mm.
func newCover(ctx context.Context, x, z []float64, d int, gamma float64) (*cover, error) {
	c := bareCover(x, z, d, gamma)
	return c, c.factorize(ctx)
}

// bareCover is newCover without the factor of K_mm.
func bareCover(x, z []float64, d int, gamma float64) *cover {
	c := &cover{n: len(x) / d, m: len(z) / d, d: d, z: z, gamma: slices.Repeat([]float64{gamma}, d)}
	c.scaled, c.squares = scaleRows(x, d, c.gamma)
	c.zs, c.zSquares = scaleRows(z, d, c.gamma)
	c.keep = fitting.Held(c.n, d, c.m, rowsAtOnce, fitting.Many) == c.n
	return c
}

// factorize factors K_mm.
func (c *cover) factorize(ctx context.Context) error {
	c.factor, c.solver = make([]float64, c.m*c.m), solve.NewFactorizer(c.m)
	return factorPositive(ctx, c.solver, c.factor, c.m, c.zSquares, func() (float64, error) {
		return float64(c.m), square(ctx, c.factor, c.zs, c.zSquares, c.d)
	})
}

// coverBytes is the memory of a cover.
func coverBytes(n, m, d int) int64 {
	strips := int64(m) * int64(fitting.Held(n, d, m, rowsAtOnce, fitting.Many))
	return 8*(strips+int64(n+2*m)*int64(d+1)+int64(m)*int64(m)) + solve.FactorBytes(m)
}

// each calls do with every strip of K_nm: the rows lo .. hi-1, row-major. do must not change the strip.
func (c *cover) each(ctx context.Context, do func(lo, hi int, k []float64) error) error {
	rows := min(c.n, rowsAtOnce)
	if c.keep {
		rows = c.n
	}
	if len(c.strips) < rows*c.m {
		c.strips = make([]float64, rows*c.m)
	}
	for lo := 0; lo < c.n; lo += rowsAtOnce {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+rowsAtOnce, c.n)
		strip := c.strips[:(hi-lo)*c.m]
		if c.keep {
			strip = c.strips[lo*c.m : hi*c.m]
		}
		if !c.made {
			gaussian(strip, c.scaled[lo*c.d:hi*c.d], c.squares[lo:hi], c.zs, c.zSquares, c.d)
		}
		if err := do(lo, hi, strip); err != nil {
			return err
		}
	}
	c.made = c.keep
	return nil
}

// project sets each dst (m) to K_nm'y for a vector y (n) of ys.
func (c *cover) project(ctx context.Context, dst, ys [][]float64) error {
	part := make([]float64, c.m)
	for _, v := range dst {
		clear(v)
	}
	return c.each(ctx, func(lo, hi int, k []float64) error {
		for j, y := range ys {
			vmath.MatTVec(part, k, hi-lo, c.m, y[lo:hi])
			vmath.Axpy(1, part, dst[j])
		}
		return nil
	})
}

// values sets each dst (n) to K_nm v for a vector v (m) of vs.
func (c *cover) values(ctx context.Context, dst, vs [][]float64) error {
	return c.each(ctx, func(lo, hi int, k []float64) error {
		for j, v := range vs {
			vmath.RowDots(dst[j][lo:hi], k, c.m, hi-lo, c.m, v)
		}
		return nil
	})
}

// normal sets each dst (m) to K_nm'W K_nm v for a vector v (m) of vs, W = diag(w) of the weights w (n), or I where
// these are nil. The bits of a product do not depend on the other vectors.
func (c *cover) normal(ctx context.Context, dst, vs, weights [][]float64) error {
	count := len(vs)
	side, sums := make([]float64, count*c.m), make([]float64, count*c.m)
	for j, v := range vs {
		clear(dst[j])
		copy(side[j*c.m:], v)
	}
	f, turned := make([]float64, rowsAtOnce*count), make([]float64, rowsAtOnce*count)
	return c.each(ctx, func(lo, hi int, k []float64) error {
		h := hi - lo
		vmath.MatMulT(f[:h*count], k, h, c.m, side, count)
		for i := range h {
			for j := range count {
				turned[j*h+i] = f[i*count+j]
				if w := weights[j]; w != nil {
					turned[j*h+i] *= w[lo+i]
				}
			}
		}
		vmath.MatMul(sums, turned[:count*h], count, h, k, c.m)
		for j := range vs {
			vmath.Axpy(1, sums[j*c.m:(j+1)*c.m], dst[j])
		}
		return nil
	})
}

// machineOf returns a machine on the landmarks, without coefficients.
func (c *cover) machineOf(outputs int) *machine {
	return &machine{N: c.m, D: c.d, Outputs: outputs, X: c.z, Gamma: c.gamma}
}
