package rffsvm

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/linear"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A pbrffModel is the support vector machine in the random features,
//
//	x -> B + sum_m Weight_m cos(Omega_m.x - Phase_m),
//
// where m numbers the LK features. Weight_m is the weight of a landmark times the weight of one of its features. The
// pbrffModel is not changed after the fit.
type pbrffModel struct {
	recent *recent

	D      int
	B      float64
	Weight []float64 // LK
	Phase  []float64 // LK
	Omega  []float64 // LK x D
}

func newPBRFFModel(r *representation, s linear.Solution) *pbrffModel {
	m := &pbrffModel{recent: r.recent, D: r.d, B: s.B, Weight: make([]float64, len(r.q)), Phase: r.phase,
		Omega: r.omega}
	for l, w := range s.W {
		floats.ScaleTo(m.Weight[l*r.k:(l+1)*r.k], w, r.q[l*r.k:(l+1)*r.k])
	}
	return m
}

// Score writes the decision values to out.
func (m *pbrffModel) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	var scratch []float64
	block := 0
	return fitting.ScoreBlocks(ctx, x, m.D, 1, blockRows, out, func(rows, out []float64) {
		z := m.recent.cosines(m, block, rows, &scratch)
		block++
		vmath.MatTVec(out, z, len(m.Weight), len(out), m.Weight)
		floats.AddConst(m.B, out)
	})
}

// A recent keeps the cosines of the rows that the models of one kernel scored last, since all models of a grid score
// the same rows. A recent recognises rows by their values. A nil recent keeps nothing.
type recent struct {
	mu     sync.Mutex
	blocks []scored
}

type scored struct {
	rows    []float64
	cosines []float64 // LK x rows
}

// recentBytes is the most memory that the kept cosines take.
const recentBytes = 32 << 20

// cosines returns the LK x rows matrix of the cosines of a block of rows. The matrix may lie in scratch. The caller
// must not change it.
func (r *recent) cosines(m *pbrffModel, block int, rows []float64, scratch *[]float64) []float64 {
	features := len(m.Weight)
	size := features * (len(rows) / m.D)
	if r == nil || (block+1)*features*blockRows*8 > recentBytes {
		if len(*scratch) < size {
			*scratch = make([]float64, size)
		}
		m.project((*scratch)[:size], rows)
		return (*scratch)[:size]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.blocks) <= block {
		r.blocks = append(r.blocks, scored{})
	}
	kept := &r.blocks[block]
	if kept.rows == nil || !slices.Equal(kept.rows, rows) {
		*kept = scored{slices.Clone(rows), make([]float64, size)}
		m.project(kept.cosines, rows)
	}
	return kept.cosines
}

// project computes the cosines of rows.
func (m *pbrffModel) project(cosines, rows []float64) {
	vmath.Pack(rows, len(rows)/m.D, m.D).Cosines(cosines, m.Omega, m.Phase)
}

// Save implements registry.Saver.
func (m *pbrffModel) Save(w io.Writer) error { return fitting.Save(w, "pbrff", m) }

func loadPBRFF(r io.Reader) (registry.Model, error) {
	return fitting.Load(r, "pbrff", (*pbrffModel).check)
}

func (m *pbrffModel) check() error {
	features := len(m.Weight)
	if m.D < 1 || features < 1 || len(m.Phase) != features || len(m.Omega)/features != m.D ||
		len(m.Omega)%features != 0 {
		return fmt.Errorf("%d weights, %d phases, %d frequencies of %d features do not fit", features, len(m.Phase),
			len(m.Omega), m.D)
	}
	return nil
}
