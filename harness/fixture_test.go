package harness

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// The sets used here are those that the program makes itself, so that these tests
// need no file.

const testProtocol = `
splits = 3
datasets = ["balance", "swiss"]
[semantics]
test_fraction = 0.3
folds = 3
method_seed = 1
standardise = true
`

func newTestHarness(t testing.TB, specs ...registry.Spec) *testHarness {
	t.Helper()
	p := must.Get(protocol.Parse("test", []byte(testProtocol)))(t)
	return &testHarness{Experiment: &plan.Experiment{Protocol: p, Registry: registry.New(specs...),
		Catalogue: catalogue.Builtin(), Data: catalogue.Directory{Root: t.TempDir()}}}
}

// testHarness is a harness with the limits of its runner.
type testHarness struct {
	*plan.Experiment
	limits runner.InProcess
}

// edit changes the text of the protocol, as its author would.
func (h *testHarness) edit(t testing.TB, old, text string) {
	t.Helper()
	p := must.Get(protocol.Parse(h.Protocol.Name, []byte(strings.Replace(h.Protocol.Text, old, text, 1))))(t)
	h.Protocol = p
}

func (h *testHarness) runner() *runner.InProcess {
	return &runner.InProcess{Registry: h.Registry, Data: h.Data, Timeout: h.limits.Timeout, Grace: h.limits.Grace}
}

func openTestDB(t testing.TB) *store.DB {
	t.Helper()
	db := must.Get(store.Open(context.Background(), filepath.Join(t.TempDir(), "results.db")))(t)
	t.Cleanup(func() { must.Do(t, db.Close()) })
	return db
}

// runAll plans a request against the database and runs what is left.
func runAll(t testing.TB, h *testHarness, db *store.DB, req plan.Request, opt schedule.Options,
	arrange func([]*plan.Cell)) (*plan.Plan, schedule.Outcome) {
	t.Helper()
	todo := planned(t, h, db, req)
	if arrange != nil {
		arrange(todo.Cells)
	}
	must.Do(t, db.MakeCurrent(context.Background(), todo.Revive))
	w := db.NewWriter(environment.Current(), nil)
	out, err := schedule.Run(context.Background(), h.runner(), make(chan struct{}), todo.Cells, opt, w.Put)
	must.Do(t, errors.Join(err, w.Close()))
	return todo, out
}

// content is everything the database holds but timings, times and environments,
// in a fixed order.
func content(t testing.TB, db *store.DB) string {
	t.Helper()
	var b strings.Builder
	for _, q := range []string{
		`SELECT protocol, method, method_version, dataset, split, status, params, grid_size, n_train, n_test,
		   n_correct, cv_accuracy, tn, fp, fn, tp, rmse, mae, r2, model_bytes, error, key FROM results ORDER BY key`,
		`SELECT protocol, method, dataset, split, grid_index, params, fold, n_valid, n_correct, tn, fp, fn, tp, rmse,
			mae, r2
		   FROM evaluations ORDER BY protocol, method, dataset, split, grid_index, fold`,
	} {
		must.Do(t, db.Query(context.Background(), q, func([]string) error { return nil }, func(row []any) error {
			_, err := fmt.Fprintln(&b, row...)
			return err
		}))
	}
	return b.String()
}

type testParams struct {
	Shift float64 `json:"shift"`
}

func defineTest(name string, fit registry.FitFunc[testParams], opts ...registry.Option[testParams]) registry.Spec {
	return registry.Define(registry.Spec{Name: name, Version: "1", Tasks: registry.Binary, Source: "this test"},
		testParams{}, registry.Grid{{Name: "shift", Values: registry.Values(-0.5, 0.0, 0.5)}}, fit, opts...)
}

// gives is a fit that ends with a model or an error, whatever it is given.
func gives(m registry.Model, err error) registry.FitFunc[testParams] {
	return func(context.Context, registry.Env, registry.Data, testParams) (registry.Model, error) { return m, err }
}

// obeys is a fit that ends when it is asked to, and never by itself.
func obeys(ctx context.Context, _ registry.Env, _ registry.Data, _ testParams) (registry.Model, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// centroids separates the classes by the difference of their means, slightly
// disturbed at random so that the seed matters.
func centroids(opts ...registry.Option[testParams]) registry.Spec {
	return defineTest("centroids", func(ctx context.Context, env registry.Env, train registry.Data,
		p testParams) (registry.Model, error) {
		m := linearModel{make([]float64, train.Shape().D), p.Shift}
		env.Rand().Norms(m.w)
		m.learn(train)
		return m, ctx.Err()
	}, opts...)
}

type linearModel struct {
	w     []float64
	shift float64
}

// learn adds the difference of the classes' means to the weights.
func (m linearModel) learn(train registry.Data) {
	for i, y := range train.Y {
		for j, v := range train.X.RawRowView(i) {
			m.w[j] += y * v
		}
	}
}

func (m linearModel) Score(_ context.Context, x *mat.Dense, out []float64) error {
	for i := range out {
		out[i] = m.shift
		for j, v := range x.RawRowView(i) {
			out[i] += m.w[j] * v
		}
	}
	return nil
}

// constantModel scores every row the same; it is the model of methods whose fit
// is what a test is about.
type constantModel float64

func (m constantModel) Score(_ context.Context, _ *mat.Dense, out []float64) error {
	for i := range out {
		out[i] = float64(m)
	}
	return nil
}
