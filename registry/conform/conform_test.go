package conform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

type params struct {
	Shift float64 `json:"shift"`
}

// linear is a model that scores with w, and a saver of its first weight only.
type linear struct {
	w     []float64
	shift float64
}

func (m linear) Score(_ context.Context, x *mat.Dense, out []float64) error {
	for i := range out {
		out[i] = m.shift
		for j, v := range x.RawRowView(i) {
			out[i] += m.w[j] * v
		}
	}
	return nil
}

func centroids(ctx context.Context, env registry.Env, train registry.Data, p params) (registry.Model, error) {
	n, d := train.X.Dims()
	w := make([]float64, d)
	for i := range n {
		for j, v := range train.X.RawRowView(i) {
			w[j] += train.Y[i] * v / float64(n)
		}
	}
	return linear{w, p.Shift}, ctx.Err()
}

func spec(fit registry.FitFunc[params], opts ...registry.Option[params]) registry.Spec {
	return registry.Define(registry.Spec{Name: "m", Version: "1", Tasks: registry.Binary, Source: "this test"},
		params{}, registry.Grid{{Name: "shift", Values: registry.Values(0.0, 0.1)}}, fit, opts...)
}

func TestAGoodMethodPasses(t *testing.T) { Run(t, spec(centroids)) }

type savedWrong struct{ linear }

func (savedWrong) Save(io.Writer) error { return nil }

// savedTwice numbers what it saves.
type savedTwice struct{ linear }

func (savedTwice) Save(w io.Writer) error {
	_, err := fmt.Fprintln(w, "model", calls.Add(1))
	return err
}

type stagedWrong struct{ linear }

func (stagedWrong) Rounds() int { return 3 }
func (m stagedWrong) ScoreStages(ctx context.Context, x *mat.Dense, at []int, yield func(int, []float64) error) error {
	n, _ := x.Dims()
	for _, t := range at {
		if err := yield(t, make([]float64, n)); err != nil {
			return err
		}
	}
	return nil
}

var calls atomic.Int64

// bad methods, each with the check that must catch it.
var bad = map[string]struct {
	spec  func() registry.Spec
	check string
}{
	"learns nothing": {func() registry.Spec {
		return spec(func(context.Context, registry.Env, registry.Data, params) (registry.Model, error) {
			return registry.ScoreFunc(func(_ context.Context, _ *mat.Dense, out []float64) error {
				clear(out)
				return nil
			}), nil
		})
	}, "binary/learns"},
	"writes NaN": {func() registry.Spec {
		return spec(func(context.Context, registry.Env, registry.Data, params) (registry.Model, error) {
			return linear{w: []float64{math.NaN(), 0, 0}}, nil
		})
	}, "binary/learns"},
	"differs from fit to fit": {func() registry.Spec {
		return spec(func(ctx context.Context, env registry.Env, d registry.Data, p params) (registry.Model, error) {
			m, err := centroids(ctx, env, d, p)
			l := m.(linear)
			l.shift += 1e-12 * float64(calls.Add(1))
			return l, err
		})
	}, "binary/same_bits"},
	"depends on the workers": {func() registry.Spec {
		return spec(func(ctx context.Context, env registry.Env, d registry.Data, p params) (registry.Model, error) {
			m, err := centroids(ctx, env, d, p)
			l := m.(linear)
			l.shift += 1e-12 * float64(env.Workers)
			return l, err
		})
	}, "binary/same_bits"},
	"changes its input": {func() registry.Spec {
		return spec(func(ctx context.Context, env registry.Env, d registry.Data, p params) (registry.Model, error) {
			m, err := centroids(ctx, env, d, p)
			d.X.Set(0, 0, 0.5)
			return m, err
		})
	}, "binary/inputs_unchanged"},
	"looks at the batch": {func() registry.Spec {
		return spec(func(ctx context.Context, env registry.Env, d registry.Data, p params) (registry.Model, error) {
			m, err := centroids(ctx, env, d, p)
			return registry.ScoreFunc(func(ctx context.Context, x *mat.Dense, out []float64) error {
				err := m.Score(ctx, x, out)
				for i := range out {
					out[i] += 0.01 * float64(len(out))
				}
				return err
			}), err
		})
	}, "binary/rows_one_by_one"},
	"hides the cancellation": {func() registry.Spec {
		return spec(func(ctx context.Context, env registry.Env, d registry.Data, p params) (registry.Model, error) {
			if n, _ := d.X.Dims(); n == 400 {
				<-ctx.Done()
				return nil, errors.New("gave up")
			}
			return centroids(ctx, env, d, p)
		})
	}, "binary/cancellation"},
	"panics on a constant column": {func() registry.Spec {
		return spec(func(ctx context.Context, env registry.Env, d registry.Data, p params) (registry.Model, error) {
			if _, p := d.X.Dims(); p > 1 && mat.Sum(d.X.Slice(0, 2, 1, 2)) == 0 {
				return nil, errors.New("constant")
			}
			return centroids(ctx, env, d, p)
		})
	}, "binary/awkward_data"},
	"shares too much": {func() registry.Spec {
		return spec(centroids, registry.Path(func(ctx context.Context, env registry.Env, d registry.Data, ps []params, yield func(int, registry.Model) error) error {
			m, err := centroids(ctx, env, d, ps[0])
			for i := range ps {
				if err == nil {
					err = yield(i, m)
				}
			}
			return err
		}))
	}, "binary/path"},
	"stages end elsewhere": {func() registry.Spec {
		return spec(func(ctx context.Context, env registry.Env, d registry.Data, p params) (registry.Model, error) {
			m, err := centroids(ctx, env, d, p)
			return stagedWrong{m.(linear)}, err
		})
	}, "binary/staged"},
	"loads another model": {func() registry.Spec {
		return spec(func(ctx context.Context, env registry.Env, d registry.Data, p params) (registry.Model, error) {
			m, err := centroids(ctx, env, d, p)
			return savedWrong{m.(linear)}, err
		}, registry.Load[params](func(io.Reader) (registry.Model, error) { return linear{w: make([]float64, 9)}, nil }))
	}, "binary/save_and_load"},
	"saves otherwise each time": {func() registry.Spec {
		return spec(func(ctx context.Context, env registry.Env, d registry.Data, p params) (registry.Model, error) {
			m, err := centroids(ctx, env, d, p)
			return savedTwice{m.(linear)}, err
		}, registry.Load[params](func(io.Reader) (registry.Model, error) { return linear{w: make([]float64, 9)}, nil }))
	}, "binary/save_and_load"},
	"declares trees it has not": {func() registry.Spec {
		return spec(centroids, registry.Trees[params]())
	}, "binary/learns"},
	"estimates shrink": {func() registry.Spec {
		return spec(centroids, registry.Cost(func(s registry.Shape, _ params) float64 { return 1e9 / float64(s.N) }))
	}, "binary/estimates"},
}

// TestBadMethod is not a test of its own: TestEachCheckCatches runs it in another
// process and wants it to fail.
func TestBadMethod(t *testing.T) {
	name := os.Getenv("CONFORM_BAD_METHOD")
	if name == "" {
		t.Skip("run by TestEachCheckCatches")
	}
	check := Run
	if bad[name].spec().UsesBlocks() {
		check = Blocks
	}
	check(t, bad[name].spec())
}

// TestEachCheckCatches: a suite that cannot fail proves nothing.
func TestEachCheckCatches(t *testing.T) {
	for name, b := range bad {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := exec.Command(os.Args[0], "-test.run", "^TestBadMethod$")
			c.Env = append(os.Environ(), "CONFORM_BAD_METHOD="+name)
			out, err := c.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: TestBadMethod/"+b.check) {
				t.Errorf("not caught by %s (exit %v):\n%s", b.check, err, out)
			}
		})
	}
}
