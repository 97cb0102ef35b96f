package classic

import (
	"context"
	"fmt"
	"io"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/saved"
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
	if err := fitting.CheckScoring(x, m.D, m.Outputs, len(out)); err != nil {
		return err
	}
	rows, n := fitting.Rows(x), x.RawMatrix().Rows
	err := fitting.Blocks(ctx, n, blockRows, func(lo, hi int) {
		part := out[lo*m.Outputs : hi*m.Outputs]
		vmath.MatMulT(part, rows[lo*m.D:hi*m.D], hi-lo, m.D, m.W, m.Outputs)
		for i := range part {
			part[i] += m.B[i%m.Outputs]
		}
	})
	if err != nil {
		return err
	}
	return fitting.CheckFinite("score", out, m.Outputs)
}

// Save implements registry.Saver.
func (m *linear) Save(w io.Writer) error { return saved.Write(w, "linear", m) }

func (m *linear) check() error {
	if m.D < 1 || m.Outputs < 1 || len(m.W) != m.D*m.Outputs || len(m.B) != m.Outputs {
		return fmt.Errorf("%d weights and %d intercepts do not fit %d features and %d outputs", len(m.W), len(m.B), m.D, m.Outputs)
	}
	return nil
}

func loadLinear(r io.Reader) (registry.Model, error) { return saved.Read(r, "linear", (*linear).check) }
