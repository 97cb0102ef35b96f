package rfrboost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A model is the layers, and the linear model on top of each representation. There is one more linear model than
// layers.
type model struct {
	D, Outputs int
	Rounds     []round
	Tops       [][]float64 // W, Outputs x D, and then b
	Asked      int         // rounds of the setting; rounds after the last layer change nothing
}

// A round is a layer: Phi + Step (S f + Shift)' W, with the W below it.
type round struct {
	Deep, Wide layer
	S          []float64 // Outputs x features
	Shift      []float64
	Step       float64
}

// rescale turns predictions of standardised targets into the unit of the targets. The layers do not change: h falls
// as W grows.
func (m *model) rescale(mean, deviation float64) {
	for _, top := range m.Tops {
		for i := range top {
			top[i] *= deviation
		}
		for c := m.Outputs * m.D; c < len(top); c++ {
			top[c] += mean
		}
	}
	for _, r := range m.Rounds {
		for _, part := range [][]float64{r.S, r.Shift} {
			for i := range part {
				part[i] /= deviation
			}
		}
	}
}

// A staged is a model that implements registry.Stager.
type staged struct{ *model }

// first returns the model of the first rounds.
func (m *model) first(rounds int) registry.Model {
	out := *m
	out.Asked = rounds
	out.Rounds = m.Rounds[:min(rounds, len(m.Rounds))]
	out.Tops = m.Tops[:len(out.Rounds)+1]
	return staged{&out}
}

// Rounds returns the number of rounds that were asked for.
func (m staged) Rounds() int { return m.Asked }

const blockRows = 256

// Score implements registry.Model.
func (m staged) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	return m.score(ctx, x, []int{m.Asked}, [][]float64{out})
}

// ScoreStages implements registry.Stager.
func (m staged) ScoreStages(ctx context.Context, x *mat.Dense, at []int,
	yield func(t int, scores []float64) error) error {
	if err := fitting.CheckStages(at, 0, m.Asked); err != nil {
		return err
	}
	outs := make([][]float64, len(at))
	for i := range outs {
		outs[i] = make([]float64, x.RawMatrix().Rows*m.Outputs)
	}
	if err := m.score(ctx, x, at, outs); err != nil {
		return err
	}
	for i, t := range at {
		if err := yield(t, outs[i]); err != nil {
			return err
		}
	}
	return nil
}

// score writes the scores of the first at[i] rounds to outs[i].
func (m *model) score(ctx context.Context, x *mat.Dense, at []int, outs [][]float64) error {
	for _, out := range outs {
		if err := fitting.CheckScoring(x, m.D, m.Outputs, len(out)); err != nil {
			return err
		}
	}
	rows := fitting.Rows(x)
	err := fitting.Blocks(ctx, x.RawMatrix().Rows, blockRows, func(lo, hi int) {
		block := rows[lo*m.D : hi*m.D]
		phi := slices.Clone(block)
		for t := 0; t <= len(m.Rounds); t++ {
			for i, stage := range at {
				if stage == t || t == len(m.Rounds) && stage > t {
					m.top(outs[i][lo*m.Outputs:hi*m.Outputs], phi, t)
				}
			}
			if t < len(m.Rounds) {
				m.Rounds[t].add(phi, block, m.Tops[t][:m.Outputs*m.D], m.D, m.Outputs)
			}
		}
	})
	if err != nil {
		return err
	}
	for _, out := range outs {
		if err := fitting.CheckFinite("score", out, m.Outputs); err != nil {
			return err
		}
	}
	return nil
}

// top writes the scores of the linear model on representation t.
func (m *model) top(out, phi []float64, t int) {
	w := m.Tops[t]
	vmath.MatMulT(out, phi, len(phi)/m.D, m.D, w[:m.Outputs*m.D], m.Outputs)
	for i := range out {
		out[i] += w[m.Outputs*m.D+i%m.Outputs]
	}
}

// add adds the layer to the representations phi of the rows x.
func (r *round) add(phi, x, w []float64, d, outputs int) {
	n, p := len(x)/d, len(r.Deep.B)+len(r.Wide.B)
	f, h := make([]float64, p*n), make([]float64, outputs*n)
	r.Deep.features(f[:len(r.Deep.B)*n], phi, d)
	r.Wide.features(f[len(r.Deep.B)*n:], x, d)
	vmath.MatMul(h, r.S, outputs, p, f, n)
	for at := range h {
		h[at] += r.Shift[at/n]
	}
	addLayer(phi, h, w, r.Step, outputs, d)
}

// Save implements registry.Saver.
func (m staged) Save(w io.Writer) error { return fitting.Save(w, "rfrboost", m.model) }

func load(r io.Reader) (registry.Model, error) {
	m, err := fitting.Load(r, "rfrboost", (*model).check)
	if err != nil {
		return nil, err
	}
	return staged{m}, nil
}

func (m *model) check() error {
	switch {
	case m.D < 1 || m.Outputs < 1 || m.Asked < len(m.Rounds):
		return fmt.Errorf("%d features, %d outputs, %d of %d rounds", m.D, m.Outputs, len(m.Rounds), m.Asked)
	case len(m.Tops) != len(m.Rounds)+1:
		return fmt.Errorf("%d linear models for %d rounds", len(m.Tops), len(m.Rounds))
	}
	for _, top := range m.Tops {
		if len(top) != m.Outputs*(m.D+1) {
			return errors.New("a linear model of another size")
		}
	}
	for i := range m.Rounds {
		r := &m.Rounds[i]
		deep, wide := len(r.Deep.B), len(r.Wide.B)
		if len(r.Deep.A) != deep*m.D || len(r.Wide.A) != wide*m.D || len(r.S) != m.Outputs*(deep+wide) ||
			len(r.Shift) != m.Outputs {
			return fmt.Errorf("round %d: a layer of another size", i)
		}
	}
	return nil
}
