package methods

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"

	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/methods/external/serve"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/mat"
)

// TestMain makes the test program a plugin that serves the method which SERVED names.
func TestMain(m *testing.M) {
	if name := os.Getenv("SERVED"); name != "" {
		spec, err := All().Lookup(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(serve.Main(spec))
	}
	os.Exit(m.Run())
}

// served returns a method of this program as one of another process.
func served(t *testing.T, name string) registry.Spec {
	t.Helper()
	self := must.Get(os.Executable())(t)
	file := filepath.Join(t.TempDir(), name+".sh")
	must.Do(t, os.WriteFile(file, fmt.Appendf(nil, "SERVED=%s exec '%s'\n", name, self), 0o644))
	p := must.Get(external.Load(context.Background(), file, external.Options{AllowRead: []string{self}}))(t)
	t.Cleanup(p.Close)
	return p.Spec()
}

// TestServedMethodsConform: paths, stages, saved models and all tasks pass through the pipe, with the
// same canonical settings.
func TestServedMethodsConform(t *testing.T) {
	for _, name := range []string{"GBRFF1", "XGB"} {
		t.Run(name, func(t *testing.T) {
			spec := withoutText(t, name)
			if spec.Tasks&registry.Multiclass != 0 && !testenv.Thorough(t) {
				spec.Tasks = registry.Multiclass
			}
			conform.Run(t, spec)
		})
	}
}

// withoutText is served; the models of another process cannot be looked at.
func withoutText(t *testing.T, name string) registry.Spec {
	s := served(t, name)
	if s.LightGBM {
		t.Fatalf("%s declares LightGBM text", name)
	}
	return s
}

// TestServedMethodsAreTheSameBits: scores and stages of another process are those of this one.
func TestServedMethodsAreTheSameBits(t *testing.T) {
	draws := rng.New(3)
	d := registry.Data{Task: registry.Binary, Classes: 2, X: mat.NewDense(80, 6, nil), Y: make([]float64, 80)}
	draws.Norms(d.X.RawMatrix().Data)
	for i := range d.Y {
		d.Y[i] = math.Copysign(1, d.X.At(i, 0)*d.X.At(i, 1)+0.3)
	}
	for _, name := range []string{"GBRFF2", "XGB", "SVM", "CART"} {
		here := must.Get(All().Lookup(name))(t)
		there := served(t, name)
		settings := must.Get(here.Settings(d.Shape(), here.DefaultGrid(), nil))(t)
		theirs, err := there.Settings(d.Shape(), there.DefaultGrid(), nil)
		if err != nil || fmt.Sprint(theirs) != fmt.Sprint(settings) {
			t.Fatalf("%s: the settings differ: %v", name, err)
		}
		settings = settings[:min(3, len(settings))]
		want, got := scoresOfGrid(t, here, d, settings), scoresOfGrid(t, there, d, settings)
		for i := range want {
			must.Be(t, math.Float64bits(want[i]), math.Float64bits(got[i]), name, i)
		}
	}
}

func scoresOfGrid(t *testing.T, s registry.Spec, d registry.Data, settings []json.RawMessage) []float64 {
	t.Helper()
	all := make([][]float64, len(settings))
	must.Do(t, s.FitAll(t.Context(), registry.Env{Seed: 1}, d, settings, func(i int, m registry.Model) error {
		all[i] = make([]float64, len(d.Y))
		if err := m.Score(t.Context(), d.X, all[i]); err != nil {
			return err
		}
		if stager, ok := m.(registry.Stager); ok {
			return stager.ScoreStages(t.Context(), d.X, []int{1, stager.Rounds()}, func(_ int, scores []float64) error {
				all[i] = append(all[i], scores...)
				return nil
			})
		}
		return nil
	}))
	var out []float64
	for _, each := range all {
		out = append(out, each...)
	}
	return out
}
