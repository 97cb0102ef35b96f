package conform

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// awkward tests that unusual data gives a model or an error; a panic fails the test by itself.
func (s suite) awkward(t *testing.T) {
	for _, c := range toydata.AwkwardData(s.task, seed) {
		t.Run(c.Name, func(t *testing.T) {
			for _, raw := range s.few(t, c.Data, 2) {
				m, err := s.spec.Fit(context.Background(), registry.Env{Seed: seed}, c.Data, raw)
				switch {
				case err == nil:
					score(t, m, c.Data)
				case c.Learnable:
					t.Errorf("fit with %s: %v", raw, err)
				}
			}
		})
	}
}

// refusals tests that data that is no training set gives an error, from a single fit and from a grid's.
func (s suite) refusals(t *testing.T) {
	wrong := map[registry.Task][]float64{
		registry.Binary:     {0, 2, math.NaN(), math.Inf(-1)},
		registry.Multiclass: {-1, 3, 0.5, math.NaN(), math.Inf(1)},
		registry.Regression: {math.NaN(), math.Inf(1)},
	}
	changes := map[string]func(d *registry.Data){
		"too few targets":   func(d *registry.Data) { d.Y = d.Y[:len(d.Y)-1] },
		"too many targets":  func(d *registry.Data) { d.Y = append(d.Y, d.Y[0]) },
		"no targets":        func(d *registry.Data) { d.Y = nil },
		"no rows":           func(d *registry.Data) { d.X, d.Y = new(mat.Dense), nil },
		"no matrix":         func(d *registry.Data) { d.X = nil },
		"+Inf in a feature": func(d *registry.Data) { d.X.Set(0, 0, math.Inf(1)) },
		"-Inf in a feature": func(d *registry.Data) { d.X.Set(11, 1, math.Inf(-1)) },
		"another task":      func(d *registry.Data) { d.Task = 0 },
	}
	if !s.spec.Gaps {
		changes["NaN in a feature"] = func(d *registry.Data) { d.X.Set(3, 1, math.NaN()) }
	}
	for _, y := range wrong[s.task] {
		changes[fmt.Sprintf("target %v", y)] = func(d *registry.Data) { d.Y[5] = y }
	}
	for name, change := range changes {
		d := easy(s.task, 12, 2)
		raws := s.few(t, d, 2)
		change(&d)
		if m, err := s.spec.Fit(context.Background(), registry.Env{Seed: seed}, d, raws[0]); err == nil {
			t.Errorf("%s: a fit gives the model %v and no error", name, m)
		}
		err := s.spec.FitAll(context.Background(), registry.Env{Seed: seed}, d, raws, func(int, registry.Model) error {
			return nil
		})
		if err == nil {
			t.Errorf("%s: fits of a grid give no error", name)
		}
	}
}
