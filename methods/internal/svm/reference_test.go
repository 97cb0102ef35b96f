package svm

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/internal/testenv"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A part is the training or test part of a split.
type part struct {
	x *mat.Dense
	y []float64
}

// standardisedSplit returns the parts of split seed of the published protocol (30 % test rows),
// standardised with the statistics of the first.
func standardisedSplit(t testing.TB, name string, seed uint32) (train, test part) {
	t.Helper()
	entry, err := datasets.Builtin().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	set, err := datasets.Store{Dir: testenv.Mirror(t)}.Load(t.Context(), entry)
	if err != nil {
		t.Fatal(err)
	}
	split, err := harness.NewSplit(set.Task, set.Y, seed, 0.3, 5)
	if err != nil {
		t.Fatal(err)
	}
	scale := datasets.FitStandardiser(set.X, split.Train)
	cut := func(rows []int) part {
		p := part{x: new(mat.Dense), y: make([]float64, len(rows))}
		scale.Apply(p.x, set.X, rows)
		for i, row := range rows {
			p.y[i] = set.Y[row]
		}
		return p
	}
	return cut(split.Train), cut(split.Test)
}

// kernelFunction returns the linear kernel, or for "rbf" exp(-gamma ||a-b||^2).
func kernelFunction(name string, gamma float64) func(a, b []float64) float64 {
	if name == "linear" {
		return floats.Dot
	}
	return func(a, b []float64) float64 {
		d := floats.Distance(a, b, 2)
		return math.Exp(-gamma * d * d)
	}
}

func gramOf[F Float](x *mat.Dense, k func(a, b []float64) float64) *Gram[F] {
	n, _ := x.Dims()
	g := NewGram[F](n)
	for i := range n {
		row := g.At(i)
		for j := range n {
			row[j] = F(k(x.RawRowView(min(i, j)), x.RawRowView(max(i, j))))
		}
	}
	return g
}

// onDemand hides that a matrix is in memory.
type onDemand[F Float] struct{ *Gram[F] }

func (onDemand[F]) Stored() (*Gram[F], bool) { return nil, false }
