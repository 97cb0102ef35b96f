package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
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
	return registry.Define(registry.Spec{Name: "m", Version: "1", Tasks: registry.Binary, Source: "this test",
		Summary: "a test"}, params{}, registry.Grid{{Name: "shift", Values: registry.Values(0.0, 0.1)}}, fit, opts...)
}

// loading is a method whose models are read back by load.
func loading(fit registry.FitFunc[params], load func(io.Reader) (registry.Model, error)) registry.Spec {
	s := spec(fit)
	s.Load = load
	return s
}

// working is centroids that costs 3 ms and holds 8 MB meanwhile, when the collector looks at least once, however busy
// the machine is.
func working(ctx context.Context, env registry.Env, train registry.Data, p params) (registry.Model, error) {
	held := make([]float64, 1<<20)
	for i := range held {
		held[i] = float64(i)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for end := testenv.ThreadCPUTime() + 0.003; testenv.ThreadCPUTime() < end; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	runtime.GC()
	runtime.KeepAlive(held)
	return centroids(ctx, env, train, p)
}

func declares(bytes int64) registry.Option[params] {
	return registry.Memory(func(s registry.Shape, _ params) int64 { return bytes + int64(s.N) })
}

var checked = []Option{Memory(easy(registry.Binary, 1000, 3))}

func TestAGoodMethodPasses(t *testing.T) {
	Run(t, spec(centroids))
	Run(t, spec(working, declares(8<<20)), checked...)
}

// TestARawMethodPasses: one whose parameters are known at run time only.
func TestARawMethodPasses(t *testing.T) {
	Run(t, registry.DefineRaw(registry.Spec{Name: "m", Version: "1", Tasks: registry.Binary, Source: "this test",
		Summary: "a test", Load: loadWell},
		[]registry.Parameter{{Name: "shift", Default: json.RawMessage("0"), Range: "[-1,1]"}},
		registry.Grid{{Name: "shift", Values: registry.Values(0.0, 0.1)}},
		func(ctx context.Context, env registry.Env, train registry.Data, setting json.RawMessage) (registry.Model,
			error) {
			var p params
			if err := json.Unmarshal(setting, &p); err != nil {
				return nil, err
			}
			m, err := centroids(ctx, env, train, p)
			return savedWell{m.(linear)}, err
		}, registry.Memory(func(s registry.Shape, _ json.RawMessage) int64 { return int64(s.N * s.D) })))
}

type savedWell struct{ linear }

func (m savedWell) Save(w io.Writer) error { return json.NewEncoder(w).Encode(append(m.w, m.shift)) }

func (m savedWell) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	if n, d := x.Dims(); d != len(m.w) || n != len(out) {
		return errors.New("rows of other data")
	}
	if err := m.linear.Score(ctx, x, out); err != nil {
		return err
	}
	for _, v := range out {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return errors.New("not a number")
		}
	}
	return nil
}

func loadWell(r io.Reader) (registry.Model, error) {
	var all []float64
	if err := json.NewDecoder(r).Decode(&all); err != nil || len(all) == 0 {
		return nil, errors.Join(err, errors.New("no model"))
	}
	return savedWell{linear{all[:len(all)-1], all[len(all)-1]}}, nil
}

type savedWrong struct{ linear }

func (savedWrong) Save(io.Writer) error { return nil }

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

// savedAnyway scores whatever comes.
type savedAnyway struct{ linear }

func (m savedAnyway) Save(w io.Writer) error { return savedWell(m).Save(w) }

func (m savedAnyway) Score(_ context.Context, x *mat.Dense, out []float64) error {
	n, d := x.Dims()
	for i := range min(n, len(out)) {
		out[i] = m.shift
		for j := range min(d, len(m.w)) {
			out[i] += m.w[j] * x.At(i, j)
		}
	}
	return nil
}

// saving is centroids whose models can be saved.
var saving = with(func(m linear, _ registry.Data) registry.Model { return savedWell{m} })

var calls atomic.Int64

// with returns a method whose models are made of centroids' ones.
func with(change func(m linear, d registry.Data) registry.Model) registry.FitFunc[params] {
	return func(ctx context.Context, env registry.Env, d registry.Data, p params) (registry.Model, error) {
		m, err := centroids(ctx, env, d, p)
		return change(m.(linear), d), err
	}
}

// scoring returns a method whose scores are made of centroids' ones.
func scoring(change func(out []float64, score func())) registry.FitFunc[params] {
	return with(func(m linear, _ registry.Data) registry.Model {
		return registry.ScoreFunc(func(ctx context.Context, x *mat.Dense, out []float64) error {
			change(out, func() { _ = m.Score(ctx, x, out) })
			return nil
		})
	})
}

// bad methods, each with the check that must catch it.
var bad = map[string]struct {
	spec  registry.Spec
	check string
}{
	"does not say what it is": {unsaid(spec(centroids)), "parameters"},
	"scores infinity": {spec(with(func(m linear, _ registry.Data) registry.Model {
		return linear{m.w, math.Inf(1)}
	})), "binary/learns"},
	"writes NaN": {spec(with(func(m linear, _ registry.Data) registry.Model {
		m.w[0] = math.NaN()
		return m
	})), "binary/learns"},
	"learns nothing": {spec(scoring(func(out []float64, _ func()) { clear(out) })), "binary/learns"},
	"forgets a score when others score": {spec(scoring(func(out []float64, score func()) {
		first := out[0]
		if score(); calls.Add(1)%2 == 0 && math.IsNaN(first) && len(out) == 60 {
			out[0] = first
		}
	})), "binary/same_bits"},
	"differs from fit to fit": {spec(with(func(m linear, _ registry.Data) registry.Model {
		return linear{m.w, m.shift + 1e-12*float64(calls.Add(1))}
	})), "binary/same_bits"},
	"changes its input": {spec(with(func(m linear, d registry.Data) registry.Model {
		d.X.Set(0, 0, 0.5)
		return m
	})), "binary/inputs_unchanged"},
	"looks at the batch": {spec(scoring(func(out []float64, score func()) {
		score()
		for i := range out {
			out[i] += 0.01 * float64(len(out))
		}
	})), "binary/rows_one_by_one"},
	"needs more memory": {spec(working, declares(5<<20)), "memory"},
	"needs less memory": {spec(working, declares(16<<20)), "memory"},
	"estimates shrink": {spec(centroids, registry.Memory(func(s registry.Shape, _ params) int64 {
		return 1e9 / int64(s.N)
	})), "binary/estimates"},
	"panics on a broken file": {loading(saving, func(r io.Reader) (registry.Model, error) {
		m, err := loadWell(r)
		if err != nil {
			panic(err)
		}
		return m, nil
	}), "binary/save_and_load"},
	"loads what cannot score": {loading(saving, func(r io.Reader) (registry.Model, error) {
		file, err := io.ReadAll(r)
		if err != nil || !bytes.HasSuffix(file, []byte("\n")) {
			return nil, errors.New("cut off")
		}
		if m, err := loadWell(bytes.NewReader(file)); err == nil {
			return m, nil
		}
		return registry.ScoreFunc(func(context.Context, *mat.Dense, []float64) error { panic("no weights") }), nil
	}), "binary/loads_what_is_broken"},
	"scores rows of other data": {loading(with(func(m linear, _ registry.Data) registry.Model {
		return savedAnyway{m}
	}), func(r io.Reader) (registry.Model, error) {
		m, err := loadWell(r)
		if err != nil {
			return nil, err
		}
		return savedAnyway{m.(savedWell).linear}, nil
	}), "binary/rows_of_others"},
	"loads another model": {loading(with(func(m linear, _ registry.Data) registry.Model {
		return savedWrong{m}
	}), zeros), "binary/save_and_load"},
	"saves otherwise each time": {loading(with(func(m linear, _ registry.Data) registry.Model {
		return savedTwice{m}
	}), zeros), "binary/save_and_load"},
	"hides the cancellation": {spec(func(ctx context.Context, env registry.Env, d registry.Data,
		p params) (registry.Model, error) {
		if n, _ := d.X.Dims(); n == 400 {
			<-ctx.Done()
			return nil, errors.New("gave up")
		}
		return centroids(ctx, env, d, p)
	}), "binary/cancellation"},
	"refuses a constant column": {spec(func(ctx context.Context, env registry.Env, d registry.Data,
		p params) (registry.Model, error) {
		if _, p := d.X.Dims(); p > 1 && mat.Sum(d.X.Slice(0, 2, 1, 2)) == 0 {
			return nil, errors.New("constant")
		}
		return centroids(ctx, env, d, p)
	}), "binary/awkward_data"},
	"shares too much": {spec(centroids, registry.Path(func(ctx context.Context, env registry.Env, d registry.Data,
		ps []params, yield func(int, registry.Model) error) error {
		m, err := centroids(ctx, env, d, ps[0])
		for i := range ps {
			if err == nil {
				err = yield(i, m)
			}
		}
		return err
	})), "binary/path"},
	"stages end elsewhere": {spec(with(func(m linear, _ registry.Data) registry.Model {
		return stagedWrong{m}
	})), "binary/staged"},
	"is lost far from zero":      {spec(centroids), "far"},
	"depends on the unit":        {regression(spec(centroids)), "units"},
	"need not be exempt":         {regression(spec(middle)), "exempt"},
	"declares a text it has not": {withText(spec(centroids)), "binary/learns"},
	"does not use its blocks":    {blocked(centroids), "binary"},
	"counts blocks": {blocked(func(ctx context.Context, env registry.Env, d registry.Data, p params) (registry.Model,
		error) {
		p.Shift += float64(len(d.Blocks))
		return pooled(ctx, env, d, p)
	}), "binary"},
	"estimates less for blocks": {blocked(pooled, registry.Memory(func(s registry.Shape, _ params) int64 {
		return int64(1 - len(s.Blocks))
	})), "binary"},
}

func zeros(io.Reader) (registry.Model, error) { return linear{w: make([]float64, 9)}, nil }

func regression(s registry.Spec) registry.Spec {
	s.Tasks = registry.Regression
	return s
}

// middle predicts the mean of the targets.
func middle(_ context.Context, _ registry.Env, d registry.Data, _ params) (registry.Model, error) {
	_, p := d.X.Dims()
	return linear{make([]float64, p), floats.Sum(d.Y) / float64(len(d.Y))}, nil
}

func TestPredictionsOfTheMeanHaveTheUnitOfTheTargets(t *testing.T) {
	Units(t, regression(spec(middle)), "")
	Units(t, regression(spec(centroids)), "it has no intercept")
}

func unsaid(s registry.Spec) registry.Spec {
	s.Summary = ""
	return s
}

func withText(s registry.Spec) registry.Spec {
	s.LightGBM = true
	return s
}

// pooled is centroids with the mean weight of its block for each feature.
func pooled(ctx context.Context, env registry.Env, train registry.Data, p params) (registry.Model, error) {
	m, err := centroids(ctx, env, train, p)
	w := m.(linear).w
	from := 0
	for _, size := range train.Shape().Groups() {
		mean := 0.0
		for _, v := range w[from : from+size] {
			mean += v / float64(size)
		}
		for j := range size {
			w[from+j] = mean
		}
		from += size
	}
	return m, err
}

// blocked is a method that is shown the blocks of the features.
func blocked(fit registry.FitFunc[params], opts ...registry.Option[params]) registry.Spec {
	s := spec(fit, opts...)
	s.Blocks = true
	return s
}

func TestAGoodUseOfBlocksPasses(t *testing.T) { Blocks(t, blocked(pooled)) }

// TestBadMethod is not a test of its own: TestEachCheckCatches runs it in another
// process and wants it to fail.
func TestBadMethod(t *testing.T) {
	name := os.Getenv("CONFORM_BAD_METHOD")
	if name == "" {
		t.Skip("run by TestEachCheckCatches")
	}
	switch b := bad[name]; {
	case b.spec.Blocks:
		Blocks(t, b.spec)
	case b.check == "far":
		t.Run("far", func(t *testing.T) { Far(t, b.spec) })
	case b.spec.Tasks == registry.Regression:
		t.Run(b.check, func(t *testing.T) { Units(t, b.spec, strings.TrimPrefix(b.check, "units")) })
	default:
		Run(t, b.spec, checked...)
	}
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
