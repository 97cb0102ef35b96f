package cart

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/registry"
	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func golearnPredictsOn(t testing.TB, data, query registry.Data, criterion string, depth int) ([]float64, bool) {
	t.Helper()
	grid, rows := gridOf(data), gridOf(query)
	out := make([]float64, len(query.Y))
	if data.Task == registry.Regression {
		g := trees.NewDecisionTreeRegressor(criterion, int64(depth))
		must.Do(t, g.Fit(grid))
		copy(out, g.Predict(rows))
		return out, isSplit(g.RootNode)
	}
	g := trees.NewDecisionTreeClassifier(criterion, int64(depth), labels(classes(data.Shape())))
	must.Do(t, g.Fit(grid))
	for i, c := range g.Predict(rows) {
		out[i] = float64(c)
		if data.Task == registry.Binary {
			out[i] = 1 - 2*float64(c)
		}
	}
	return out, isSplit(g.RootNode)
}

// predicted turns scores into predictions as the registry defines them.
func predicted(task registry.Task, outputs int, scores []float64) []float64 {
	switch task {
	case registry.Binary:
		out := make([]float64, len(scores))
		for i, s := range scores {
			out[i] = 1
			if s < 0 {
				out[i] = -1
			}
		}
		return out
	case registry.Multiclass:
		var out []float64
		for row := range slices.Chunk(scores, outputs) {
			best := 0
			for c, s := range row {
				if s > row[best] {
					best = c
				}
			}
			out = append(out, float64(best))
		}
		return out
	}
	return scores
}

// withMidpoints returns the sample's rows and the means of neighbouring rows: the
// values that a split puts its threshold on.
func withMidpoints(data registry.Data) registry.Data {
	n, d := data.X.Dims()
	query := data
	query.X, query.Y = mat.NewDense(2*n, d, nil), slices.Concat(data.Y, data.Y)
	for i := range n {
		for j := range d {
			a, b := data.X.At(i, j), data.X.At((i+1)%n, j)
			query.X.Set(i, j, a)
			query.X.Set(n+i, j, (a+b)/2)
		}
	}
	return query
}

// equalsGolearn checks one growth cut at every depth against golearn's own tree and prediction at that depth, and the
// model of CART against that copy of golearn's tree, byte for byte. The oracle is golearn itself; equality is exact.
func equalsGolearn(t testing.TB, data registry.Data, criterion string, depths []int) {
	t.Helper()
	var ps []Params
	for _, d := range depths {
		ps = append(ps, Params{criterion, d})
	}
	query, outputs := withMidpoints(data), data.Shape().Outputs()
	copies := make([][]byte, len(ps))
	must.Do(t, golearns.fitPath(t.Context(), testEnv, data, ps, func(i int, m registry.Model) error {
		copies[i] = bytesOf(t, m)
		want, split := golearnPredictsOn(t, data, query, criterion, depths[i])
		if nodes := m.(*model).Nodes; split != (len(nodes) > 1) && !constant(data.Y) {
			t.Errorf("depth %d: golearn split its root: %v, copy has %d nodes", depths[i], split, len(nodes))
		}
		if !split {
			return nil // golearn's 0 on the right side, whatever the data
		}
		must.Be(t, predicted(data.Task, outputs, fits.Scores(t, m, query)), want, data.Task, criterion, depths[i])
		return nil
	}))
	must.Do(t, ours.fitPath(t.Context(), testEnv, data, ps, func(i int, m registry.Model) error {
		must.Be(t, bytes.Equal(bytesOf(t, m), copies[i]), true, data.Task, criterion, depths[i])
		return nil
	}))
}

func TestEqualsGolearn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		data := fits.Draw(rt)
		criterion := "mse"
		if data.Task != registry.Regression {
			criterion = rapid.SampledFrom([]string{"gini", "entropy"}).Draw(rt, "criterion")
		}
		// testing.TB is wanted for Context; the failing draw is still rapid's.
		ok := t.Run("", func(t *testing.T) {
			equalsGolearn(t, data, criterion, []int{1, 2, 3, 4, 7, NoLimit})
		})
		must.Be(rt, ok, true, "differs from golearn")
	})
}

// A tree that golearn's labels contradict is not passed on.
func TestContradictedLabelIsAnError(t *testing.T) {
	data := binaryData([][]float64{{1}, {2}}, 1, -1)
	for _, c := range []struct {
		left, right float64
		ok          bool
	}{{0, 1, true}, {1, 0, false}, {0, 0, false}} {
		g := &grown{task: registry.Binary, features: 1, outputs: 1,
			splits: []split{{threshold: 1.5, leftValue: []float64{c.left}, rightValue: []float64{c.right}}}}
		if err := g.count(data); (err == nil) != c.ok {
			t.Errorf("labels %v and %v: %v", c.left, c.right, err)
		}
	}
}

// testEnv is what Define would fill in.
var testEnv = registry.Env{Log: slog.New(slog.DiscardHandler), OnThread: func(work func()) { work() }}

// The regressor answers an unknown criterion with a panic, the classifier with an error.
func TestGolearnUnknownCriterion(t *testing.T) {
	data := regressionData([][]float64{{1}, {2}}, 0, 1)
	for want, fit := range map[string]func(base.FixedDataGrid, string, int) ([]split, error){
		"panicked": regress, "Invalid impurity function": classify(labels(2)),
	} {
		_, err := interruptible(t.Context(), testEnv, func() ([]split, error) { return fit(gridOf(data), "none", 1) })
		must.Say(t, err, want)
	}
}

func TestGolearnPanicsOnOverflow(t *testing.T) {
	data := binaryData([][]float64{{1.5e308}, {1.6e308}, {1.7e308}}, -1, 1, -1)
	_, err := interruptible(t.Context(), testEnv, func() ([]split, error) {
		return classify(labels(2))(gridOf(data), "gini", NoLimit)
	})
	must.Say(t, err, "panicked")
}

func TestStdoutStaysClean(t *testing.T) {
	var log bytes.Buffer
	base.SetLoggerOut(&log)
	defer base.SetLoggerOut(os.Stdout)
	r, w := must.Get2(os.Pipe())(t)
	old := os.Stdout
	os.Stdout = w
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
		must.Get(golearns.fit(t.Context(), testEnv, fits.Synthetic(task, 60, 3, 3), Params{"auto", 4}))(t)
	}
	os.Stdout = old
	w.Close()
	if printed := must.Get(io.ReadAll(r))(t); len(printed) > 0 || log.Len() > 0 {
		t.Errorf("fit printed %q and logged %q", printed, log.String())
	}
}
