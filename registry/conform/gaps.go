package conform

import (
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/registry"
)

// gaps checks what [registry.Spec.Gaps] declares: that data with missing values gives models with finite scores, also where a row has
// nothing else and a column two values, that a gap is not read as a zero, and that paths and saved models hold with gaps too.
func (s suite) gaps(t *testing.T) {
	if !s.spec.Gaps {
		t.Skip("the method takes no missing values")
	}
	zeros, d := easy(s.task, 80, 4), easy(s.task, 80, 4)
	for i := range 80 {
		for j := range 4 {
			if i == 5 || j == 3 && i > 1 || j == i%7 {
				zeros.X.Set(i, j, 0)
				d.X.Set(i, j, math.NaN())
			}
		}
	}
	env, settings, told := registry.Env{Seed: seed}, s.few(t, d, 3), false
	for i, raw := range settings {
		m := s.fit(t, d, raw)
		want := score(t, m, d)
		told = told || !slices.Equal(want, score(t, s.fit(t, zeros, raw), zeros))
		if err := s.spec.FitAll(t.Context(), env, d, settings, func(k int, m registry.Model) error {
			if k == i {
				equal(t, "the path's model with gaps", score(t, m, d), want)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		s.savedScores(t, "gaps", m, d, want)
	}
	if !told {
		t.Error("with gaps and with zeros in their place the models score the same: a gap should not be read as a zero")
	}
}
