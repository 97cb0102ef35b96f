package methods_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
)

// TestDrawsOfFrequencies: every method whose parameters name draws of frequencies takes all of them, learns with each,
// and saves it. The usual draw is left out of settings, whose keys are those of before the parameter.
func TestDrawsOfFrequencies(t *testing.T) {
	train, seen := toydata.Easy(registry.Binary, 120, 4, 1), 0
	// a single feature has nothing to be orthogonal to
	train.Blocks = []registry.Block{{From: 0, To: 2}, {From: 2, To: 4}}
	canonical := func(s registry.Spec, setting string) ([]byte, error) {
		settings, err := s.Settings(train.Shape(), nil, []byte(setting))
		if err != nil {
			return nil, err
		}
		return settings[0], nil
	}
	for _, s := range methods.All().All() {
		if !slices.ContainsFunc(s.Parameters(), func(p registry.Parameter) bool { return p.Name == "draw" }) {
			continue
		}
		seen++
		plain := must.Get(canonical(s, `{}`))(t)
		if named, err := canonical(s, `{"draw":"independent","pairs":false}`); err != nil ||
			!bytes.Equal(plain, named) || bytes.Contains(plain, []byte("draw")) {
			t.Errorf("%s: the usual draw is written as %s, and %s if it is named: %v", s.Name, plain, named, err)
		}
		must.Say(t, must.Err(canonical(s, `{"draw":"qmc"}`)), "independent, orthogonal or structured")
		usual := map[string]bool{}
		for _, setting := range []string{`{}`, `{"draw":"orthogonal"}`, `{"draw":"structured"}`, `{"pairs":true}`,
			`{"draw":"orthogonal","pairs":true}`} {
			m, err := s.Fit(t.Context(), registry.Env{Seed: 1}, train, []byte(setting))
			if err != nil {
				t.Fatalf("%s %s: %v", s.Name, setting, err)
			}
			scores, right := make([]float64, 120), 0
			must.Do(t, m.Score(t.Context(), train.X, scores))
			for i, v := range scores {
				if v*train.Y[i] > 0 {
					right++
				}
			}
			if right < 100 {
				t.Errorf("%s %s: %d of 120 training rows are right", s.Name, setting, right)
			}
			var saved bytes.Buffer
			must.Do(t, m.(registry.Saver).Save(&saved))
			if usual[saved.String()] {
				t.Errorf("%s %s gives the model of another draw", s.Name, setting)
			}
			usual[saved.String()] = true
		}
	}
	must.Be(t, seen, 10)
	rff, _ := methods.All().Lookup("RFF-SKL")
	must.Say(t, must.Err(canonical(rff, `{"kernel":"chi2","draw":"orthogonal"}`)), "only the Gaussian kernel")
}
