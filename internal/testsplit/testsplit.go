// Package testsplit gives tests of methods the data that the published
// experiments learned from: one split of a catalogue set, standardised.
//
// It is imported by tests only; methods themselves know no data set.
package testsplit

import (
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/internal/testenv"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A Split is one split of the table2 protocol (30 % test rows) with its folds.
type Split struct {
	set   *datasets.Set
	split split.Split
}

// Of returns split seed of a set. It skips or fails as testenv.Mirror does where
// the data is not there.
func Of(t testing.TB, name string, seed uint32) Split {
	t.Helper()
	entry, err := datasets.Builtin().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	set, err := datasets.Store{Dir: testenv.Mirror(t)}.Load(t.Context(), entry)
	if err != nil {
		t.Fatal(err)
	}
	split, err := split.New(set.Task, set.Y, seed, 0.3, 5)
	if err != nil {
		t.Fatal(err)
	}
	return Split{set, split}
}

// Load returns the two parts of split seed, standardised with the statistics of
// the first.
func Load(t testing.TB, name string, seed uint32) (train, test registry.Data) {
	t.Helper()
	return Of(t, name, seed).Whole()
}

// Whole returns the training and test part, standardised by the first.
func (s Split) Whole() (train, test registry.Data) { return s.parts(s.split.Train, s.split.Test) }

// Folds calls do with the training and validation part of each fold, standardised
// by the first, until it returns false.
func (s Split) Folds(do func(train, valid registry.Data) bool) {
	for _, fold := range s.split.Folds {
		held := make(map[int]bool, len(fold))
		var fit, check []int
		for _, i := range fold {
			held[i] = true
			check = append(check, s.split.Train[i])
		}
		for i, row := range s.split.Train {
			if !held[i] {
				fit = append(fit, row)
			}
		}
		if !do(s.parts(fit, check)) {
			return
		}
	}
}

func (s Split) parts(fit, check []int) (learn, score registry.Data) {
	scale := datasets.FitStandardiser(s.set.X, fit)
	part := func(rows []int) registry.Data {
		d := registry.Data{Task: s.set.Task, Classes: s.set.Classes, X: new(mat.Dense), Y: make([]float64, len(rows))}
		scale.Apply(d.X, s.set.X, rows)
		for i, row := range rows {
			d.Y[i] = s.set.Y[row]
		}
		return d
	}
	return part(fit), part(check)
}

// Correct returns how many rows of a binary problem m labels rightly.
func Correct(t testing.TB, m registry.Model, d registry.Data) int {
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
