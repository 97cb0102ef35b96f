package classic

import (
	"context"
	"fmt"
	"io"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// blockRows is how many rows are worked on at a time.
const blockRows = 256

// A linear model scores W x + b.
type linear struct {
	D, Outputs int
	W          []float64 // Outputs x D
	B          []float64
}

// Score implements registry.Model.
func (m *linear) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	return fitting.ScoreBlocks(ctx, x, m.D, m.Outputs, blockRows, out, func(rows, out []float64) {
		vmath.MatMulT(out, rows, len(rows)/m.D, m.D, m.W, m.Outputs)
		for i := range out {
			out[i] += m.B[i%m.Outputs]
		}
	})
}

// Save implements registry.Saver.
func (m *linear) Save(w io.Writer) error { return fitting.Save(w, "linear", m) }

func (m *linear) check() error {
	if m.D < 1 || m.Outputs < 1 || len(m.W) != m.D*m.Outputs || len(m.B) != m.Outputs {
		return fmt.Errorf("%d weights and %d intercepts do not fit %d features and %d outputs", len(m.W), len(m.B), m.D,
			m.Outputs)
	}
	return nil
}

func loadLinear(r io.Reader) (registry.Model, error) {
	return fitting.Load(r, "linear", (*linear).check)
}
