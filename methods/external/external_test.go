package external_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/methods/external/serve"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/mat"
)

// TestMain makes the test program a plugin too: under PLUGIN_TEST it answers the protocol, well or badly.
func TestMain(m *testing.M) {
	switch name := os.Getenv("PLUGIN_TEST"); name {
	case "":
		os.Exit(m.Run())
	case "ridge":
		os.Exit(serve.Main(ridge()))
	default:
		os.Exit(misbehave(name))
	}
}

// plugin writes a script that runs this test program as the plugin called name.
func plugin(t testing.TB, name string) string {
	t.Helper()
	self := must.Get(os.Executable())(t)
	file := filepath.Join(t.TempDir(), name+".sh")
	text := fmt.Sprintf("PLUGIN_TEST=%s exec '%s'\n", name, self)
	must.Do(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

// readSelf lets the plugin read this test's program, which it is.
func readSelf(o external.Options) external.Options {
	if self, err := os.Executable(); err == nil {
		o.AllowRead = append(o.AllowRead, self)
	}
	return o
}

// load loads a plugin that is closed at the end of the test.
func load(t testing.TB, file string, o external.Options) *external.Plugin {
	t.Helper()
	p := must.Get(external.Load(context.Background(), file, readSelf(o)))(t)
	t.Cleanup(p.Close)
	return p
}

type ridgeParams struct {
	Lambda float64 `json:"lambda" range:"(0,)" means:"penalty on the squared weights"`
}

// ridge is a method of each task: least squares on targets, or on +1 and -1 of each class.
func ridge() registry.Spec {
	spec := registry.Spec{Name: "Ridge", Version: "3", Summary: "ridge regression",
		Tasks: registry.Binary | registry.Multiclass | registry.Regression, Source: "this test"}
	return registry.Define(spec, ridgeParams{1}, registry.Grid{{Name: "lambda", Values: registry.Powers(10, -2, 2)}},
		fitRidge)
}

func fitRidge(_ context.Context, _ registry.Env, train registry.Data, p ridgeParams) (registry.Model, error) {
	n, d := train.X.Dims()
	k := train.Shape().Outputs()
	targets, gram, right, w := mat.NewDense(n, k, nil), mat.NewDense(d, d, nil), mat.NewDense(d, k, nil),
		mat.NewDense(d, k, nil)
	for i, y := range train.Y {
		for c := range k {
			switch {
			case k == 1:
				targets.Set(i, 0, y)
			case y == float64(c):
				targets.Set(i, c, 1)
			}
		}
	}
	if train.Task == registry.Multiclass { // classes along a line need a curve
		return nearest(train), nil
	}
	gram.Mul(train.X.T(), train.X)
	for j := range d {
		gram.Set(j, j, gram.At(j, j)+p.Lambda)
	}
	right.Mul(train.X.T(), targets)
	if err := w.Solve(gram, right); err != nil && !errors.As(err, new(mat.Condition)) {
		return nil, err
	}
	return registry.ScoreFunc(func(_ context.Context, x *mat.Dense, out []float64) error {
		rows, _ := x.Dims()
		mat.NewDense(rows, k, out).Mul(x, w)
		return nil
	}), nil
}

// nearest scores a class by the distance to its mean.
func nearest(train registry.Data) registry.Model {
	_, d := train.X.Dims()
	means, counts := mat.NewDense(train.Classes, d, nil), make([]float64, train.Classes)
	for i, y := range train.Y {
		counts[int(y)]++
		for j, v := range train.X.RawRowView(i) {
			means.Set(int(y), j, means.At(int(y), j)+v)
		}
	}
	return registry.ScoreFunc(func(_ context.Context, x *mat.Dense, out []float64) error {
		rows, _ := x.Dims()
		for i := range rows {
			for c := range train.Classes {
				far := 0.0
				for j, v := range x.RawRowView(i) {
					gap := v - means.At(c, j)/max(1, counts[c])
					far += gap * gap
				}
				out[i*train.Classes+c] = -far
			}
		}
		return nil
	})
}

var env = registry.Env{Seed: 1}

// sample is a training set that a ridge can learn.
func sample(n, d int) registry.Data {
	draws := rng.New(5)
	data := registry.Data{Task: registry.Binary, Classes: 2, X: mat.NewDense(n, d, nil), Y: make([]float64, n)}
	draws.Norms(data.X.RawMatrix().Data)
	for i := range n {
		data.Y[i] = float64(2*(i%2) - 1)
		data.X.Set(i, 0, data.X.At(i, 0)+data.Y[i])
	}
	return data
}
