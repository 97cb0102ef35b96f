package external_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/npy"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkOverhead is a fit and a score of a method that does next to nothing, in another process and
// in this one, for small data and for 8 MB: what the pipe and the copy of the matrix cost.
func BenchmarkOverhead(b *testing.B) {
	there := load(b, plugin(b, "ridge"), external.Options{}).Spec()
	for _, shape := range [][2]int{{160, 13}, {100_000, 10}} {
		d := sample(shape[0], shape[1])
		for _, where := range []struct {
			name string
			spec registry.Spec
		}{{"here", ridge()}, {"there", there}} {
			b.Run(fmt.Sprintf("%dx%d/%s", shape[0], shape[1], where.name), func(b *testing.B) {
				ctx, out := b.Context(), make([]float64, shape[0])
				for b.Loop() {
					m, err := where.spec.Fit(ctx, registry.Env{}, d, nil)
					if err == nil {
						err = m.Score(ctx, d.X, out)
					}
					must.Do(b, err)
				}
			})
		}
	}
}

// TestOverhead: a small fit and its score in another process take less than 2 ms of processor time more
// than here, both processes counted.
func TestOverhead(t *testing.T) {
	if os.Getenv("BENCH_FIGURES") == "" {
		t.Skip("a figure, which busy cores change; BENCH_FIGURES=1 measures it")
	}
	there := load(t, plugin(t, "ridge"), external.Options{}).Spec()
	d, out := sample(160, 13), make([]float64, 160)
	const fits = 300
	took := func(s registry.Spec) float64 {
		elsewhere := 0.0
		env := registry.Env{Used: func(seconds float64, _ int64) { elsewhere += seconds }}
		return processes.CPUTimeOf(func() {
			for range fits {
				m, err := s.Fit(t.Context(), env, d, nil)
				if err == nil {
					err = m.Score(t.Context(), d.X, out)
				}
				must.Do(t, err)
			}
		})/fits + elsewhere/fits
	}
	warm, inHere, inThere := took(there), took(ridge()), took(there)
	t.Logf("a fit takes %.0f microseconds of processor time here, %.0f there (%.0f at first)", 1e6*inHere, 1e6*inThere,
		1e6*warm)
	if inThere-inHere > 2e-3 {
		t.Errorf("a fit and a score take %.2g s here and %.2g s in another process", inHere, inThere)
	}
}

// gridInPython fits and scores LightGBM's grid without bench, in the way of the example, and prints
// the seconds of processor time of each pass.
//
//go:embed testdata/grid.py
var gridInPython string

// TestLightGBMGrid measures the processor time of a LightGBM grid through bench, in both processes,
// beside that of the same calls from Python, in turns, and compares the least of each. Five per cent are
// for a quiet machine: set BENCH_FIGURES to run it.
func TestLightGBMGrid(t *testing.T) {
	if os.Getenv("BENCH_FIGURES") == "" {
		t.Skip("a figure of a quiet machine: set BENCH_FIGURES=1")
	}
	p := example(t, "lightgbm_plugin.py")
	learn, valid := sample(1500, 20), sample(400, 20)
	settings := must.Get(p.Spec().Settings(learn.Shape(), p.Spec().DefaultGrid(), nil))(t)
	dir := t.TempDir()
	for name, v := range map[string]any{"x.npy": learn.X, "y.npy": learn.Y, "v.npy": valid.X} {
		writeArray(t, filepath.Join(dir, name), v)
	}
	const rounds = 5
	least := [2]float64{math.Inf(1), math.Inf(1)}
	for range 3 {
		least[0] = min(least[0], slices.Min(inPython(t, dir, rounds)))
		for range rounds {
			least[1] = min(least[1], throughBench(t, p.Spec(), learn, valid.X, settings))
		}
	}
	t.Logf("%.3f s in Python, %.3f s through bench: ratio %.3f", least[0], least[1], least[1]/least[0])
	if least[1] > 1.05*least[0] {
		t.Errorf("a grid takes %.3f s in Python and %.3f s through bench", least[0], least[1])
	}
}

func inPython(t *testing.T, dir string, rounds int) []float64 {
	t.Helper()
	c := exec.Command(python(t), "-c", gridInPython, strconv.Itoa(rounds))
	c.Dir = dir
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
	out := must.Get(c.Output())(t)
	var seconds []float64
	for _, line := range strings.Fields(string(out)) {
		s := must.Get(strconv.ParseFloat(line, 64))(t)
		seconds = append(seconds, s)
	}
	return seconds
}

func throughBench(t *testing.T, s registry.Spec, learn registry.Data, valid *mat.Dense,
	settings []json.RawMessage) float64 {
	t.Helper()
	rows, _ := valid.Dims()
	out, elsewhere := make([]float64, rows), 0.0
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	env := registry.Env{Seed: 1, Used: func(seconds float64, _ int64) { elsewhere += seconds }}
	here := processes.CPUTimeOf(func() {
		err := s.FitAll(ctx, env, learn, settings, func(_ int, m registry.Model) error {
			return m.Score(ctx, valid, out)
		})
		must.Do(t, err)
	})
	t.Logf("%.3f s in bench itself, %.3f s in the plugin", here, elsewhere)
	return here + elsewhere
}

func writeArray(t *testing.T, file string, v any) {
	t.Helper()
	f, err := os.Create(file)
	if err == nil {
		err = npy.Write(f, v)
	}
	if err == nil {
		err = f.Close()
	}
	must.Do(t, err)
}
