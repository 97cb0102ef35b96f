package pbrff

import (
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"math"

	"github.com/kernelboosting/bench/methods/internal/linear"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A model is the support vector machine in the random features,
//
//	x -> B + sum_m Weight_m cos(Omega_m.x - Phase_m),
//
// m over the LK features: Weight is that of the landmark times that of the feature. Its
// exported fields are its saved form. It is not changed after the fit.
type model struct {
	D      int
	B      float64
	Weight []float64 // LK
	Phase  []float64 // LK
	Omega  []float64 // LK x D
}

func newModel(r *representation, s linear.Solution) *model {
	m := &model{D: r.d, B: s.B, Weight: make([]float64, len(r.q)), Phase: r.phase, Omega: r.omega}
	for l, w := range s.W {
		floats.ScaleTo(m.Weight[l*r.k:(l+1)*r.k], w, r.q[l*r.k:(l+1)*r.k])
	}
	return m
}

// blockRows rows at a time are scored, so that their cosines stay in the cache.
const blockRows = 32

// Score writes the decision values to out.
func (m *model) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	n, d := x.Dims()
	if d != m.D {
		return fmt.Errorf("rows of %d features: the model was trained on %d", d, m.D)
	}
	if len(out) != n {
		return fmt.Errorf("room for %d scores of %d rows", len(out), n)
	}
	rows := compact(x)
	features := len(m.Weight)
	cosines := make([]float64, features*min(blockRows, n))
	for from := 0; from < n; from += blockRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+blockRows, n)
		z := cosines[:(to-from)*features]
		vmath.MatMulT(z, rows[from*d:to*d], to-from, d, m.Omega, features)
		for i := range out[from:to] {
			floats.Sub(z[i*features:(i+1)*features], m.Phase)
		}
		vmath.Cos(z, z)
		for i := range out[from:to] {
			out[from+i] = m.B + vmath.Dot(z[i*features:(i+1)*features], m.Weight)
		}
	}
	for i, s := range out {
		if math.IsNaN(s) {
			return fmt.Errorf("the score of row %d is not a number: a feature is not finite or is too large", i)
		}
	}
	return nil
}

// Save writes the model in encoding/gob.
func (m *model) Save(w io.Writer) error { return gob.NewEncoder(w).Encode(m) }

func load(r io.Reader) (registry.Model, error) {
	m := new(model)
	if err := gob.NewDecoder(r).Decode(m); err != nil {
		return nil, fmt.Errorf("reading a PBRFF model: %w", err)
	}
	features := len(m.Weight)
	if m.D < 1 || features < 1 || len(m.Phase) != features || len(m.Omega)/features != m.D || len(m.Omega)%features != 0 {
		return nil, fmt.Errorf("reading a PBRFF model: %d weights, %d phases, %d frequencies of %d features do not fit",
			features, len(m.Phase), len(m.Omega), m.D)
	}
	return m, nil
}
