package mkl

import (
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/internal/testenv"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A problem is one split of the published protocol (30 % test rows) of a real set.
type problem struct {
	set   *datasets.Set
	split harness.Split
}

func realProblem(t testing.TB, name string, seed uint32) problem {
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
	return problem{set, split}
}

// parts returns the rows fit and check of the set, standardised with the statistics of fit.
func (p problem) parts(fit, check []int) (train, test registry.Data) {
	scale := datasets.FitStandardiser(p.set.X, fit)
	part := func(rows []int) registry.Data {
		d := registry.Data{Task: p.set.Task, Classes: p.set.Classes, X: new(mat.Dense), Y: make([]float64, len(rows))}
		scale.Apply(d.X, p.set.X, rows)
		for i, row := range rows {
			d.Y[i] = p.set.Y[row]
		}
		return d
	}
	return part(fit), part(check)
}

// folds calls do with the training and validation part of each fold.
func (p problem) folds(do func(train, valid registry.Data)) {
	for _, fold := range p.split.Folds {
		held := make(map[int]bool, len(fold))
		var fit, check []int
		for _, i := range fold {
			held[i] = true
			check = append(check, p.split.Train[i])
		}
		for i, row := range p.split.Train {
			if !held[i] {
				fit = append(fit, row)
			}
		}
		do(p.parts(fit, check))
	}
}

func correct(t testing.TB, m registry.Model, d registry.Data) int {
	t.Helper()
	scores := make([]float64, len(d.Y))
	if err := m.Score(t.Context(), d.X, scores); err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, y := range d.Y {
		if (scores[i] >= 0) == (y > 0) {
			right++
		}
	}
	return right
}
