// Package fits is for tests of methods: it fits and scores in one line each, compares gradients with differences, and
// has the data that the published experiments learned from: one split of a catalogue set, standardised. It reads what
// published programs predict (published.go, traces.go, real.go), has samples for methods that grow trees, with the
// impurity of a split by its definition (trees.go), and takes saved models apart by the documented layout of package
// fitting and without its code (saved.go).
//
// It is imported by tests only; methods themselves know no data set.
package fits

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// A T is a test, a benchmark or a property.
type T interface {
	must.T
	Context() context.Context
}

// Scores returns the scores of data's rows by a model.
func Scores(t T, m registry.Model, data registry.Data) []float64 {
	t.Helper()
	out := make([]float64, data.X.RawMatrix().Rows*data.Shape().Outputs())
	must.Do(t, m.Score(t.Context(), data.X, out))
	return out
}

// Fit returns a method's model of data.
func Fit(t T, spec registry.Spec, seed uint32, data registry.Data, setting string) registry.Model {
	t.Helper()
	return must.Get(spec.Fit(t.Context(), registry.Env{Seed: seed}, data, json.RawMessage(setting)))(t)
}

// FitAndScore returns the scores of data's rows by a method's model of data.
func FitAndScore(t T, spec registry.Spec, seed uint32, data registry.Data, setting string) []float64 {
	t.Helper()
	return Scores(t, Fit(t, spec, seed, data, setting), data)
}

// Gradient compares a gradient with central differences, within a share of 1 and of the difference.
func Gradient(t must.T, what string, f func(x, gradient []float64) float64, at []float64, share float64) {
	t.Helper()
	const step = 1e-5
	gradient, unused := make([]float64, len(at)), make([]float64, len(at))
	f(at, gradient)
	for j := range at {
		up, down := slices.Clone(at), slices.Clone(at)
		up[j] += step
		down[j] -= step
		if slope := (f(up, unused) - f(down, unused)) / (2 * step); math.Abs(slope-gradient[j]) > share*(1+
			math.Abs(slope)) {
			t.Errorf("%s: derivative %d is %v, differences give %v", what, j, gradient[j], slope)
		}
	}
}
