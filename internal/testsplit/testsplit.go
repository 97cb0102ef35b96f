// Package testsplit gives tests of methods the data that the published
// experiments learned from: one split of a catalogue set, standardised.
//
// It is imported by tests only; methods themselves know no data set.
package testsplit

import (
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/internal/testenv"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// Load returns the two parts of split seed of the table2 protocol (30 % test
// rows) of a set, standardised with the statistics of the first. It skips or
// fails as testenv.Mirror does where the data is not there.
func Load(t testing.TB, name string, seed uint32) (train, test registry.Data) {
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
	part := func(rows []int) registry.Data {
		d := registry.Data{Task: set.Task, Classes: set.Classes, X: new(mat.Dense), Y: make([]float64, len(rows))}
		scale.Apply(d.X, set.X, rows)
		for i, row := range rows {
			d.Y[i] = set.Y[row]
		}
		return d
	}
	return part(split.Train), part(split.Test)
}
