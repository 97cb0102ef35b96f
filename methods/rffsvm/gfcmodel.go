package rffsvm

import (
	"context"
	"fmt"
	"io"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/linear"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A gfcModel is the support vector machine in the learned features,
//
//	x -> B + sum_j (Sin_j sin(Omega_j.x) + Cos_j cos(Omega_j.x)).
//
// It is not changed after the fit.
type gfcModel struct {
	D        int
	B        float64
	Sin, Cos []float64 // one for each frequency
	Omega    []float64 // features x D
}

func newGFCModel(omega *mat.Dense, s linear.Solution) *gfcModel {
	features, d := omega.Dims()
	return &gfcModel{D: d, B: s.B, Sin: s.W[:features], Cos: s.W[features:], Omega: omega.RawMatrix().Data}
}

// Score writes the decision values to out.
func (m *gfcModel) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	features, most := len(m.Sin), min(blockRows, len(out))
	sines, cosines, half := make([]float64, features*most), make([]float64, features*most), make([]float64, most)
	return fitting.ScoreBlocks(ctx, x, m.D, 1, blockRows, out, func(rows, out []float64) {
		h := len(out)
		s, c := sines[:features*h], cosines[:features*h]
		vmath.MatMulT(s, m.Omega, features, m.D, rows, h)
		vmath.SinCos(s, c, s)
		vmath.MatTVec(out, s, features, h, m.Sin)
		vmath.MatTVec(half[:h], c, features, h, m.Cos)
		floats.Add(out, half[:h])
		floats.AddConst(m.B, out)
	})
}

// Save implements registry.Saver.
func (m *gfcModel) Save(w io.Writer) error { return fitting.Save(w, "gfc", m) }

func loadGFC(r io.Reader) (registry.Model, error) { return fitting.Load(r, "gfc", (*gfcModel).check) }

func (m *gfcModel) check() error {
	features := len(m.Sin)
	if m.D < 1 || features < 1 || len(m.Cos) != features || len(m.Omega)/features != m.D || len(m.Omega)%features != 0 {
		return fmt.Errorf("%d and %d weights, %d frequencies of %d features do not fit", features, len(m.Cos),
			len(m.Omega), m.D)
	}
	return nil
}
