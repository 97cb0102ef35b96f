package rfm

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A model is a trained machine: score c of z is Bias_c + sum_i Coef_ci exp(-|z - x_i|_Metric / Bandwidth). It is not
// changed after the fit.
type model struct {
	N, D, Outputs int
	X             []float64 // N x D
	Metric        []float64 // D x D, symmetric
	Bandwidth     float64
	Coef          []float64 // Outputs x N
	Bias          []float64 // Outputs

	rows func() rows // X under the metric, computed by the first Score
}

// ready returns m with what scoring needs besides the fields that are saved.
func (m *model) ready() *model {
	m.rows = sync.OnceValue(func() rows { return under(m.X, m.D, m.Metric) })
	return m
}

// Score writes n x Outputs scores.
func (m *model) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	r := m.rows()
	k, f := make([]float64, rowsAtOnce*m.N), make([]float64, rowsAtOnce)
	return fitting.ScoreBlocks(ctx, x, m.D, m.Outputs, rowsAtOnce, out, func(rows, out []float64) {
		h := len(rows) / m.D
		r.kernel(k[:h*m.N], nil, under(rows, m.D, m.Metric), m.Bandwidth)
		for c := range m.Outputs {
			vmath.MatVec(f[:h], k[:h*m.N], h, m.N, m.Coef[c*m.N:(c+1)*m.N])
			for i, v := range f[:h] {
				out[i*m.Outputs+c] = v + m.Bias[c]
			}
		}
	})
}

// Save implements registry.Saver.
func (m *model) Save(w io.Writer) error { return fitting.Save(w, "recursive feature machine", m) }

func load(r io.Reader) (registry.Model, error) {
	m, err := fitting.Load(r, "recursive feature machine", (*model).check)
	if err != nil {
		return nil, err
	}
	return m.ready(), nil
}

func (m *model) check() error {
	if m.N < 1 || m.D < 1 || m.Outputs < 1 || len(m.X)/m.D != m.N || len(m.X)%m.D != 0 || len(m.Metric) != m.D*m.D ||
		len(m.Bias) != m.Outputs || len(m.Coef) != m.N*m.Outputs || !(m.Bandwidth > 0) {
		return fmt.Errorf("n=%d d=%d outputs=%d bandwidth=%v do not fit %d features, a metric of %d elements, %d "+
			"coefficients, %d intercepts",
			m.N, m.D, m.Outputs, m.Bandwidth, len(m.X), len(m.Metric), len(m.Coef), len(m.Bias))
	}
	return nil
}
