package harness

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// addSet writes a set of files, given as names and contents, and takes it into the catalogue.
func addSet(t *testing.T, h *testHarness, toml string, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		must.Do(t, os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o644))
	}
	path := filepath.Join(dir, "set.toml")
	must.Do(t, os.WriteFile(path, []byte(toml), 0o644))
	e := must.Get(h.Catalogue.Add(path))(t)
	return e.Name
}

// lines writes rows from..to-1 as format does.
func lines(from, to int, format func(i int) string) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintln(&b, format(i))
	}
	return b.String()
}

// stored runs the plan of a request and returns a query's only row.
func stored(t *testing.T, h *testHarness, req plan.Request, query string) []any {
	t.Helper()
	db := openTestDB(t)
	runAll(t, h, db, req, schedule.Options{Jobs: 1}, nil)
	var row []any
	err := db.Query(context.Background(), query, func([]string) error { return nil }, func(r []any) error {
		row = append([]any{}, r...)
		return nil
	})
	if err != nil || row == nil {
		t.Fatalf("%v: %v", row, err)
	}
	return row
}

// TestOwnTestPart: with split = "given" a set is tested on its own test part, of which nothing is learned.
func TestOwnTestPart(t *testing.T) {
	first := func(i int) string { return fmt.Sprintf("%d,%d", i, 2*(i%2)-1) }
	memory := defineTest("memory", func(_ context.Context, _ registry.Env, train registry.Data,
		_ testParams) (registry.Model, error) {
		return registry.ScoreFunc(func(_ context.Context, x *mat.Dense, out []float64) error {
			for i := range out {
				out[i] = -1
				for k := range train.Y { // right on every row that it has seen
					if train.X.At(k, 0) == x.At(i, 0) {
						out[i] = train.Y[k]
					}
				}
			}
			return nil
		}), nil
	})
	for _, rows := range [][2]string{{"", ""}, {"rows = 24", "rows = 16"}} {
		h := newTestHarness(t, memory)
		h.edit(t, "test_fraction = 0.3", `split = "given"`)
		h.edit(t, "standardise = true", "")
		toml := "name = \"mine\"\nrows = 40\nfeatures = 1\ncounts = [20, 20]\nlabel = 1\n[[files]]\npath = " +
			"\"a.csv\"\n%s\n[[files]]\npath = \"b.csv\"\nrole = \"test\"\n%s\n"
		name := addSet(t, h, fmt.Sprintf(toml, rows[0], rows[1]), "a.csv", lines(0, 24, first), "b.csv",
			lines(24, 40, first))
		got := stored(t, h, plan.Request{Datasets: []string{name}, Splits: []int{2}},
			`SELECT n_train, n_test, tn, fp, fn, tp FROM results`)
		must.Be(t, fmt.Sprint(got), "[24 16 8 0 8 0]", rows)
		if _, err := h.Plan(t.Context(), plan.Request{Datasets: []string{"balance"}, Splits: []int{1}}, nil,
			nil); err == nil ||
			err.Error() != "balance, protocol test: the set has no test part of its own" {
			t.Errorf("a set without a test part: %v", err)
		}
	}
}

// TestSelectionByAnotherMetric: one row in ten is +1; saying -1 always has the better accuracy, and
// a detector that finds them all beside as many others the better mcc.
func TestSelectionByAnotherMetric(t *testing.T) {
	detector := defineTest("detector", func(_ context.Context, _ registry.Env, _ registry.Data,
		p testParams) (registry.Model, error) {
		return registry.ScoreFunc(func(_ context.Context, x *mat.Dense, out []float64) error {
			for i := range out {
				out[i] = x.At(i, 0) - 0.5
				if p.Shift < 0 {
					out[i] = -1
				}
			}
			return nil
		}), nil
	})
	row := func(i int) string {
		positive, found := 0, 0
		if i%10 == 0 {
			positive = 1
		}
		if i%10 < 3 {
			found = 1
		}
		return fmt.Sprintf("%d,%d", found, positive)
	}
	for metric, want := range map[string]string{"": "-0.5", "metric = \"MCC\"": "0", "metric = \"error\"": "-0.5",
		"metric = \"auc\"": "0"} {
		h := newTestHarness(t, detector)
		h.edit(t, "standardise = true", metric)
		name := addSet(t, h, "name = \"rare\"\nlabel = 1\npositive = 1\nfile = \"a.csv\"\n", "a.csv",
			lines(0, 200, row))
		got := stored(t, h, plan.Request{Datasets: []string{name}, Splits: []int{1}},
			`SELECT json_extract(params, '$.shift') FROM results`)
		must.Be(t, fmt.Sprint(got[0]), want, metric)
	}
	h := newTestHarness(t, detector)
	h.edit(t, "standardise = true", `metric = "rmse"`)
	_, err := h.Plan(t.Context(), plan.Request{Datasets: []string{"swiss"}, Splits: []int{1}}, nil, nil)
	want := "swiss, protocol test: semantics.metric: the metric rmse is of regression sets, not of binary ones"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestScaledTargets: a regression learns targets of mean 0 and deviation 1, and is scored in the unit of the data.
func TestScaledTargets(t *testing.T) {
	learned := func(y []float64) (mean, square float64) {
		for _, v := range y {
			mean += v / float64(len(y))
			square += v * v / float64(len(y))
		}
		return mean, square
	}
	// y = 1000 + 50 x: standardised, the target is the feature.
	spec := registry.Define(registry.Spec{Name: "steep", Version: "1", Tasks: registry.Regression, Source: "this test",
		Load: func(io.Reader) (registry.Model, error) { return firstFeature{}, nil }}, testParams{}, nil,
		func(_ context.Context, _ registry.Env, train registry.Data, _ testParams) (registry.Model, error) {
			if mean, square := learned(train.Y); math.Abs(mean) > 1e-9 || math.Abs(square-1) > 1e-9 {
				return nil, fmt.Errorf("targets have mean %v and mean square %v", mean, square)
			}
			return firstFeature{}, nil
		})
	h := newTestHarness(t, spec)
	h.Keep = runner.KeepModels
	h.edit(t, "standardise = true", "standardise = true\nscale_target = true")
	name := addSet(t, h, "name = \"line\"\ntask = \"regression\"\nlabel = 1\nfile = \"a.csv\"\n", "a.csv",
		lines(0, 60, func(i int) string { x := i * i % 61; return fmt.Sprintf("%d,%d", x, 1000+50*x) }))
	db := openTestDB(t)
	runAll(t, h, db, plan.Request{Datasets: []string{name}, Splits: []int{1}}, schedule.Options{Jobs: 1}, nil)
	l, found, err := db.Artifacts(t.Context(), "test", name, "steep", 1)
	if err != nil || !found || l.Model == nil || l.Model.Target == nil {
		t.Fatalf("kept %+v: %v", l.Model, err)
	}
	p := must.Get(runner.NewPredictor(spec, l))(t)
	scores, err := p.Scores(t.Context(), mat.NewDense(2, 1, []float64{7, 100}))
	if err != nil || math.Abs(scores[0]-1350) > 1e-9 || math.Abs(scores[1]-6000) > 1e-9 {
		t.Errorf("the kept model predicts %v for 7 and 100, want 1350 and 6000; %v", scores, err)
	}
	got := stored(t, h, plan.Request{Datasets: []string{name}, Splits: []int{1}},
		`SELECT status, rmse, r2, error FROM results`)
	if rmse, ok := got[1].(float64); got[0] != "ok" || !ok || rmse > 1e-9 {
		t.Errorf("status, rmse, r2, error = %v; the line is exact", got)
	}
}

type firstFeature struct{}

func (firstFeature) Score(_ context.Context, x *mat.Dense, out []float64) error {
	mat.Col(out, 0, x)
	return nil
}

func (firstFeature) Save(io.Writer) error { return nil }

// TestBlocksAreInTheKeyOfThoseThatUseThem, on sets that have channels, and nowhere else.
func TestBlocksAreInTheKeyOfThoseThatUseThem(t *testing.T) {
	key := func(uses bool, toml string) (string, []registry.Block) {
		t.Helper()
		spec := centroids()
		spec.Blocks = uses
		h := newTestHarness(t, spec)
		two := func(i int) string { return fmt.Sprintf("%d %d", i, 2*(i%2)-1) }
		name := addSet(t, h, toml, "a", lines(0, 20, two), "b", lines(0, 20, two))
		todo := must.Get(h.Plan(t.Context(), plan.Request{Datasets: []string{name}, Splits: []int{1}}, nil, nil))(t)
		return todo.Cells[0].Spec.Key, todo.Cells[0].Spec.Shape.Blocks
	}
	const head = "name = \"mine\"\nformat = \"blank\"\nlabel = 1\n[[files]]\npath = \"a\"\n"
	channels := func(left, right string) string {
		return head + "channel = \"left\"\n" + left + "\n[[files]]\npath = \"b\"\nchannel = \"right\"\n" + right
	}
	without, _ := key(false, head)
	if with, _ := key(true, head); with != without {
		t.Error("a method that uses blocks has another key on a set without channels")
	}
	plain, _ := key(false, channels("", ""))
	loaded, blocks := key(true, channels("", ""))
	if plain == loaded {
		t.Error("a method that uses blocks has the key of one that does not on a set with channels")
	}
	declared, same := key(true, channels("features = 1", "features = 2"))
	must.Be(t, declared, loaded, "keys")
	must.Be(t, fmt.Sprint(blocks), "[{left 0 1} {right 1 3}]", "keys")
	must.Be(t, fmt.Sprint(same), fmt.Sprint(blocks), "keys")
}
