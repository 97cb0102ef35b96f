package kernel

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A machine is a trained model: score c of x is
//
//	Bias_c + sum_i Coef_ci ( exp(-sum_j Gamma_cj (x_j - x_ij)^2) + [Linear] x.x_i ),
//
// c = 1..Outputs. It is not changed after the fit.
type machine struct {
	N, D, Outputs int
	Linear        bool
	X             []float64 // N x D
	Gamma         []float64 // Outputs x D, or D if all outputs have one kernel
	Coef          []float64 // Outputs x N
	Bias          []float64 // Outputs

	indexed sync.Once   // by the first Score
	scaled  [][]float64 // of each kernel: the rows times sqrt(Gamma)
	squares [][]float64 // of each kernel: the squared norms of the scaled rows
}

// index computes scaled and squares, which scoring needs and the saved form does not have.
func (m *machine) index() {
	kernels := len(m.Gamma) / m.D
	m.scaled, m.squares = make([][]float64, kernels), make([][]float64, kernels)
	for k := range kernels {
		m.scaled[k], m.squares[k] = scaleRows(m.X, m.D, m.Gamma[k*m.D:(k+1)*m.D])
	}
}

// scaleRows returns the rows with column j times sqrt(gamma_j), and the squared norms of these rows.
func scaleRows(x []float64, d int, gamma []float64) (scaled, squares []float64) {
	n := len(x) / d
	scaled, squares = make([]float64, len(x)), make([]float64, n)
	root := make([]float64, d)
	for j, g := range gamma {
		root[j] = math.Sqrt(g)
	}
	for i := range n {
		sum := 0.0
		for j, r := range root {
			v := r * x[i*d+j]
			scaled[i*d+j] = v
			sum = math.FMA(v, v, sum)
		}
		squares[i] = sum
	}
	return scaled, squares
}

// gaussian writes the kernel matrix exp(-|a_i - b_j|^2) of m scaled rows a and n scaled rows b.
func gaussian(dst, a, squaresA []float64, b, squaresB []float64, d int) {
	m, n := len(squaresA), len(squaresB)
	vmath.MatMulT(dst, a, m, d, b, n)
	for i := range m {
		row := dst[i*n : (i+1)*n]
		vmath.Gaussian(row, row, squaresB, squaresA[i], 1)
	}
}

// square writes the kernel matrix of a set of rows with itself.
func square(ctx context.Context, dst, a, squares []float64, d int) error {
	n := len(squares)
	return fitting.Blocks(ctx, n, rowsAtOnce, func(lo, hi int) {
		gaussian(dst[lo*n:hi*n], a[lo*d:hi*d], squares[lo:hi],
			a, squares, d)
	})
}

// rowsAtOnce is the height of a strip of the kernel matrix.
const rowsAtOnce = 64

// Score writes n x Outputs scores.
func (m *machine) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	m.indexed.Do(m.index)
	dots, values, f := make([]float64, rowsAtOnce*m.N), make([]float64, rowsAtOnce*m.N), make([]float64, rowsAtOnce)
	return fitting.ScoreBlocks(ctx, x, m.D, m.Outputs, rowsAtOnce, out, func(rows, out []float64) {
		d, h := m.D, len(rows)/m.D
		if m.Linear {
			vmath.MatMulT(dots[:h*m.N], rows, h, d, m.X, m.N)
		}
		for c := range m.Outputs {
			if k := c % len(m.scaled); c == 0 || len(m.scaled) > 1 {
				scaled, squares := scaleRows(rows, d, m.Gamma[k*d:(k+1)*d])
				gaussian(values[:h*m.N], scaled, squares, m.scaled[k], m.squares[k], d)
				if m.Linear {
					vmath.Axpy(1, dots[:h*m.N], values[:h*m.N])
				}
			}
			vmath.MatVec(f[:h], values[:h*m.N], h, m.N, m.Coef[c*m.N:(c+1)*m.N])
			for i, v := range f[:h] {
				out[i*m.Outputs+c] = v + m.Bias[c]
			}
		}
	})
}

// Save implements registry.Saver.
func (m *machine) Save(w io.Writer) error { return fitting.Save(w, "kernel machine", m) }

func load(r io.Reader) (registry.Model, error) {
	return fitting.Load(r, "kernel machine", (*machine).check)
}

func (m *machine) check() error {
	if m.N < 1 || m.D < 1 || m.Outputs < 1 || len(m.X)/m.D != m.N || len(m.X)%m.D != 0 || len(m.Bias) != m.Outputs ||
		(len(m.Gamma) != m.D && len(m.Gamma) != m.D*m.Outputs) || len(m.Coef) != m.N*m.Outputs {
		return fmt.Errorf("n=%d d=%d outputs=%d do not fit %d features, %d kernel coefficients, %d coefficients, %d "+
			"intercepts",
			m.N, m.D, m.Outputs, len(m.X), len(m.Gamma), len(m.Coef), len(m.Bias))
	}
	return nil
}
