package mfga

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A model is a function for each output. It is not changed after the fit.
type model struct {
	D       int
	Staged  bool
	Outputs []output
}

// A staged model implements registry.Stager: it can also score with fewer columns.
type staged struct{ *model }

// wrapped returns the registry.Model of m, with stages or without.
func (m *model) wrapped() registry.Model {
	if m.Staged {
		return staged{m}
	}
	return m
}

// Score writes the last stage's scores.
func (m *model) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	if err := fitting.CheckScoring(x, m.D, len(m.Outputs), len(out)); err != nil {
		return err
	}
	return m.score(ctx, x, []int{math.MaxInt}, [][]float64{out})
}

// score writes to outs[k] the scores of the last stage of at most at[k] columns.
func (m *model) score(ctx context.Context, x *mat.Dense, at []int, outs [][]float64) error {
	rows, outputs := fitting.Rows(x), len(m.Outputs)
	column := make([]float64, blockRows)
	for c := range m.Outputs {
		s := m.Outputs[c].scorer(m.D)
		err := fitting.Blocks(ctx, x.RawMatrix().Rows, blockRows, func(lo, hi int) {
			s.read(rows[lo*m.D : hi*m.D])
			for k, t := range at {
				s.write(column[:hi-lo], s.stage(t))
				for i, v := range column[:hi-lo] {
					outs[k][(lo+i)*outputs+c] = v
				}
			}
		})
		if err != nil {
			return err
		}
	}
	for _, out := range outs {
		if err := fitting.CheckFinite("score", out, outputs); err != nil {
			return err
		}
	}
	return nil
}

// Rounds returns the number of columns. Stage t is the last solution on at most t columns.
func (m staged) Rounds() int {
	most := 0
	for i := range m.Outputs {
		most = max(most, m.Outputs[i].width())
	}
	return most
}

// ScoreStages computes the columns once for all stages.
func (m staged) ScoreStages(ctx context.Context, x *mat.Dense, at []int,
	yield func(t int, scores []float64) error) error {
	if err := fitting.CheckStages(at, 0, m.Rounds()); err != nil {
		return err
	}
	outs := make([][]float64, len(at))
	for k := range outs {
		outs[k] = make([]float64, x.RawMatrix().Rows*len(m.Outputs))
		if err := fitting.CheckScoring(x, m.D, len(m.Outputs), len(outs[k])); err != nil {
			return err
		}
	}
	if err := m.score(ctx, x, at, outs); err != nil {
		return err
	}
	for k, t := range at {
		if err := yield(t, outs[k]); err != nil {
			return err
		}
	}
	return nil
}

// Save implements registry.Saver.
func (m *model) Save(w io.Writer) error { return fitting.Save(w, "mfga", m) }

func load(r io.Reader) (registry.Model, error) {
	m, err := fitting.Load(r, "mfga", (*model).check)
	if err != nil {
		return nil, err
	}
	return m.wrapped(), nil
}

func (m *model) check() error {
	if m.D < 1 || m.D == math.MaxInt || len(m.Outputs) < 1 {
		return fmt.Errorf("%d outputs of %d features are no model", len(m.Outputs), m.D)
	}
	for i := range m.Outputs {
		if err := m.Outputs[i].check(m.D); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}
