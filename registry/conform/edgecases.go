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

// awkward data gives a model or an error; a panic fails the test by itself.
func (s suite) awkward(t *testing.T) {
	constant := easy(s.task, 40, 3)
	for i := range 40 {
		constant.X.Set(i, 1, 0)
	}
	twins := easy(s.task, 40, 2)
	for i := 1; i < 40; i += 2 {
		twins.X.SetRow(i, twins.X.RawRowView(i-1))
	}
	zero := easy(s.task, 40, 2)
	zero.X.Zero()
	single, other := easy(s.task, 40, 2), easy(s.task, 40, 2)
	for i := range single.Y {
		single.Y[i], other.Y[i] = single.Y[0], other.Y[1]
	}
	empty := easy(s.task, 40, 2) // the last class has no row
	for i, y := range empty.Y {
		empty.Y[i] = min(y, 1)
	}
	for _, c := range []struct {
		name string
		data registry.Data
		must bool // a model is asked for
	}{
		{"constant column", constant, true}, {"equal rows, different targets", twins, true},
		{"all inputs zero", zero, false}, {"one class, or a constant target", single, false}, {"the other class alone", other, false},
		{"a class without rows", empty, false},
		{"one row", toydata.Rows(easy(s.task, 40, 2), []int{1}), false}, {"two rows", easy(s.task, 2, 2), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, raw := range s.few(t, c.data, 2) {
				m, err := s.spec.Fit(context.Background(), registry.Env{Seed: seed}, c.data, raw)
				switch {
				case err == nil:
					score(t, m, c.data)
				case c.must:
					t.Errorf("fit with %s: %v", raw, err)
				}
			}
		})
	}
}

// refusals: data that is no training set gives an error, of a single fit and of a grid's.
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
		err := s.spec.FitAll(context.Background(), registry.Env{Seed: seed}, d, raws, func(int, registry.Model) error { return nil })
		if err == nil {
			t.Errorf("%s: fits of a grid give no error", name)
		}
	}
}
