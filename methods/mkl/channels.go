package mkl

import (
	"context"
	"fmt"
	"io"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// channels are consecutive groups of features, each a block or a single feature. Channel j has a Gaussian kernel,
// exp(-Gamma_j |x_j - x_j'|^2).
type channels struct {
	Sizes []int
	Gamma []float64
}

// newChannels sets each Gamma to one over the mean squared distance of two rows of s in the group. This distance
// follows from the variances. A group without variance gets 1.
func newChannels(s *sample, sizes []int) channels {
	c := channels{Sizes: sizes}
	at := 0
	for _, size := range sizes {
		spread := 0.0
		for j := at; j < at+size; j++ {
			mean := 0.0
			for i := range s.n {
				mean += s.x[i*s.d+j] / float64(s.n)
			}
			for i := range s.n {
				v := s.x[i*s.d+j] - mean
				spread += 2 * v * v / float64(max(1, s.n-1))
			}
		}
		if !(spread > 0) {
			spread = 1
		}
		c.Gamma = append(c.Gamma, 1/spread)
		at += size
	}
	return c
}

// channelWork computes kernel values of one channel at a time between given rows and the rows x.
type channelWork struct {
	channels
	x        []float64 // n x d
	n, d     int
	from, to int
	gamma    float64
	part     []float64 // n x (to-from)
	own      []float64 // of the given rows
	squares  []float64
}

func newChannelWork(c channels, x []float64, n, d int) *channelWork {
	return &channelWork{channels: c, x: x, n: n, d: d, squares: make([]float64, n)}
}

// load prepares for kernel values of channel j.
func (w *channelWork) load(j int) {
	w.from = 0
	for _, size := range w.Sizes[:j] {
		w.from += size
	}
	w.to, w.gamma = w.from+w.Sizes[j], w.Gamma[j]
	w.part = w.part[:0]
	for i := range w.n {
		row := w.x[i*w.d+w.from : i*w.d+w.to]
		w.part = append(w.part, row...)
		w.squares[i] = square(row)
	}
}

// rows writes the channel's kernel values between each row of x and all rows.
func (w *channelWork) rows(dst, x []float64) {
	h, size := len(x)/w.d, w.to-w.from
	w.own = w.own[:0]
	for i := range h {
		w.own = append(w.own, x[i*w.d+w.from:i*w.d+w.to]...)
	}
	vmath.MatMulT(dst, w.own, h, size, w.part, w.n)
	for i := range h {
		line := dst[i*w.n : (i+1)*w.n]
		vmath.Gaussian(line, line, w.squares, square(w.own[i*size:(i+1)*size]), w.gamma)
	}
}

// A sumMachine is a model of GMKL: score c of x is Bias_c + sum_i Coef_ci sum_j Weight_cj k_j(x, x_i). It is not
// changed after the fit.
type sumMachine struct {
	N, D, Outputs int
	Channels      channels
	X             []float64 // N x D
	Weight        []float64 // Outputs x channels
	Coef          []float64 // Outputs x N
	Bias          []float64 // Outputs
}

// Score writes n x Outputs scores.
func (m *sumMachine) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	if err := fitting.CheckScoring(x, m.D, m.Outputs, len(out)); err != nil {
		return err
	}
	for i := range out {
		out[i] = m.Bias[i%m.Outputs]
	}
	r, rows := len(m.Channels.Sizes), fitting.Rows(x)
	const together = 16 // rows, whose kernel values stay in the second-level cache
	lines, f := make([]float64, together*m.N), make([]float64, together)
	work := newChannelWork(m.Channels, m.X, m.N, m.D)
	for j := range r {
		used := false
		for c := range m.Outputs {
			used = used || m.Weight[c*r+j] != 0
		}
		if !used {
			continue
		}
		work.load(j)
		err := fitting.Blocks(ctx, len(rows)/m.D, together, func(lo, hi int) {
			h := hi - lo
			work.rows(lines[:h*m.N], rows[lo*m.D:hi*m.D])
			for c := range m.Outputs {
				vmath.MatVec(f[:h], lines[:h*m.N], h, m.N, m.Coef[c*m.N:(c+1)*m.N])
				for i, v := range f[:h] {
					out[(lo+i)*m.Outputs+c] += float64(m.Weight[c*r+j] * v)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return fitting.CheckFinite("score", out, m.Outputs)
}

// Save implements registry.Saver.
func (m *sumMachine) Save(w io.Writer) error { return fitting.Save(w, "sum of kernels", m) }

func loadSum(r io.Reader) (registry.Model, error) {
	return fitting.Load(r, "sum of kernels", (*sumMachine).check)
}

func (m *sumMachine) check() error {
	kernels, width := len(m.Channels.Sizes), 0
	for _, size := range m.Channels.Sizes {
		if size < 1 || size > m.D-width {
			return fmt.Errorf("a group of %d features after %d of %d", size, width, m.D)
		}
		width += size
	}
	if m.N < 1 || m.D < 1 || m.Outputs < 1 || width != m.D || len(m.Channels.Gamma) != kernels || len(m.X)/m.D != m.N ||
		len(m.X)%m.D != 0 ||
		len(m.Bias) != m.Outputs || len(m.Weight) != m.Outputs*kernels || len(m.Coef) != m.Outputs*m.N {
		return fmt.Errorf("n=%d d=%d outputs=%d do not fit %d features, %d weights, %d coefficients, %d intercepts",
			m.N, m.D, m.Outputs, len(m.X), len(m.Weight), len(m.Coef), len(m.Bias))
	}
	return nil
}
