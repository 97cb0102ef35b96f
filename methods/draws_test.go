package methods_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
)

// TestDrawsOfFrequencies: every method whose parameters name draws of frequencies takes all of them, learns with each, and saves it. The
// usual draw is left out of settings, whose keys are those of before the parameter.
func TestDrawsOfFrequencies(t *testing.T) {
	train, seen := toydata.Easy(registry.Binary, 120, 4, 1), 0
	train.Blocks = []registry.Block{{From: 0, To: 2}, {From: 2, To: 4}} // a single feature has nothing to be orthogonal to
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
		plain, err := canonical(s, `{}`)
		if err != nil {
			t.Fatal(err)
		}
		if named, err := canonical(s, `{"draw":"independent","pairs":false}`); err != nil || !bytes.Equal(plain, named) || bytes.Contains(plain, []byte("draw")) {
			t.Errorf("%s: the usual draw is written as %s, and %s if it is named: %v", s.Name, plain, named, err)
		}
		if _, err := canonical(s, `{"draw":"qmc"}`); err == nil || !strings.Contains(err.Error(), "independent, orthogonal or structured") {
			t.Errorf("%s: another draw: %v", s.Name, err)
		}
		usual := map[string]bool{}
		for _, setting := range []string{`{}`, `{"draw":"orthogonal"}`, `{"draw":"structured"}`, `{"pairs":true}`, `{"draw":"orthogonal","pairs":true}`} {
			m, err := s.Fit(t.Context(), registry.Env{Seed: 1}, train, []byte(setting))
			if err != nil {
				t.Fatalf("%s %s: %v", s.Name, setting, err)
			}
			scores, right := make([]float64, 120), 0
			if err := m.Score(t.Context(), train.X, scores); err != nil {
				t.Fatal(err)
			}
			for i, v := range scores {
				if v*train.Y[i] > 0 {
					right++
				}
			}
			if right < 100 {
				t.Errorf("%s %s: %d of 120 training rows are right", s.Name, setting, right)
			}
			var saved bytes.Buffer
			if err := m.(registry.Saver).Save(&saved); err != nil {
				t.Fatal(err)
			}
			if usual[saved.String()] {
				t.Errorf("%s %s gives the model of another draw", s.Name, setting)
			}
			usual[saved.String()] = true
		}
	}
	if seen != 10 {
		t.Errorf("%d methods have draws, not RKS, EERF, LKRF and seven on embeddings", seen)
	}
	rff, _ := methods.All().Lookup("RFF-SKL")
	if _, err := canonical(rff, `{"kernel":"chi2","draw":"orthogonal"}`); err == nil || !strings.Contains(err.Error(), "only the Gaussian kernel") {
		t.Errorf("another kernel: %v", err)
	}
}
