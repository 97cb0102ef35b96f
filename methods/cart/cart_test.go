package cart

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func binaryData(rows [][]float64, y ...float64) registry.Data {
	return registry.Data{Task: registry.Binary, Classes: 2, X: fits.Rows(rows), Y: y}
}

func regressionData(rows [][]float64, y ...float64) registry.Data {
	return registry.Data{Task: registry.Regression, X: fits.Rows(rows), Y: y}
}

func mustFit(t testing.TB, data registry.Data, p Params) *model {
	t.Helper()
	m := must.Get(ours.fit(t.Context(), testEnv, data, p))(t)
	return m.(*model)
}

func bytesOf(t testing.TB, m registry.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, m.(registry.Saver).Save(&b))
	return b.Bytes()
}

// The oracle is exhaustive: every feature, every value as a threshold.
// Tolerance 1e-12: the sums are of at most 30 terms of size 1.
func TestStumpIsOptimal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		data := fits.Draw(rt)
		criterion := "mse"
		if data.Task != registry.Regression {
			criterion = rapid.SampledFrom([]string{"gini", "entropy"}).Draw(rt, "criterion")
		}
		m := mustFit(t, data, Params{criterion, 1})
		best := fits.Impurity(criterion, data.Y)
		got := best
		n, d := data.X.Dims()
		for j := range d {
			for i := range n {
				best = math.Min(best, fits.Divided(data, criterion, j, data.X.At(i, j)))
			}
		}
		if root := m.Nodes[0]; root.Feature >= 0 {
			got = fits.Divided(data, criterion, int(root.Feature), root.Threshold)
		}
		must.Near(rt, got, best, 1e-12, criterion)
	})
}

func TestHandWorkedTrees(t *testing.T) {
	line := [][]float64{{1}, {2}, {3}, {4}}
	for _, c := range []struct {
		name  string
		data  registry.Data
		depth int
		nodes int
		want  []float64
	}{
		{"separable", binaryData(line, -1, -1, 1, 1), 1, 3, []float64{-1, -1, 1, 1}},
		{"impure leaf", binaryData([][]float64{{1}, {1}, {1}, {1}, {2}}, -1, -1, -1, 1, 1), NoLimit, 3,
			[]float64{-.5, -.5, -.5, -.5, 1}},
		{"equal rows, tied labels: 0, that is +1", binaryData([][]float64{{1}, {1}}, -1, 1), NoLimit, 1,
			[]float64{0, 0}},
		{"one class", binaryData(line, -1, -1, -1, -1), NoLimit, 1, []float64{-1, -1, -1, -1}},
		{"one row", binaryData(line[:1], 1), NoLimit, 1, []float64{1}},
		{"constant feature", binaryData([][]float64{{7}, {7}, {7}, {7}}, -1, -1, -1, 1), NoLimit, 1,
			[]float64{-.5, -.5, -.5, -.5}},
		// No single split of XOR lowers the impurity, so a greedy tree stops at the root.
		{"xor", binaryData([][]float64{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, -1, 1, 1, -1), NoLimit, 1,
			[]float64{0, 0, 0, 0}},
		{"uneven xor", binaryData([][]float64{{0, 0}, {0, 0}, {0, 1}, {1, 0}, {1, 1}}, -1, -1, 1, 1, -1), 2, 7,
			[]float64{-1, -1, 1, 1, -1}},
		{"regression", regressionData(line, 1, 3, 10, 10), 1, 3, []float64{2, 2, 10, 10}},
		{"constant target that does not sum exactly", regressionData(line[:3], .1, .1, .1), NoLimit, 1,
			[]float64{.1, .1, .1}},
		{"three classes", registry.Data{Task: registry.Multiclass, Classes: 3, X: fits.Rows(line),
			Y: []float64{0, 1, 1, 2}}, 1, 3,
			[]float64{1, 0, 0, 0, 2. / 3, 1. / 3, 0, 2. / 3, 1. / 3, 0, 2. / 3, 1. / 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := mustFit(t, c.data, Params{"auto", c.depth})
			must.Be(t, fits.Scores(t, m, c.data), c.want)
			must.Be(t, len(m.Nodes), c.nodes)
		})
	}
}

// Column 650 of 700 alone decides: features keep their places beyond golearn's
// groups of 512 attributes.
func TestManyFeatures(t *testing.T) {
	data := fits.Synthetic(registry.Binary, 40, 700, 2)
	for i := range data.Y {
		data.Y[i] = math.Copysign(1, data.X.At(i, 650))
	}
	if m := mustFit(t, data, Params{"auto", NoLimit}); len(m.Nodes) != 3 || m.Nodes[0].Feature != 650 {
		t.Errorf("root splits feature %d of a tree with %d nodes", m.Nodes[0].Feature, len(m.Nodes))
	}
}

// TestLoadRefusals: fields that do not fit each other are no tree.
func TestLoadRefusals(t *testing.T) {
	leaf := node{Feature: -1, Value: []float64{1}}
	for says, bad := range map[string]model{
		"task":                       {Features: 1, Outputs: 1, Nodes: []node{leaf}},
		"0 features":                 {Task: "binary", Outputs: 1, Nodes: []node{leaf}},
		"2 outputs":                  {Task: "binary", Features: 1, Outputs: 2, Nodes: []node{leaf}},
		"no nodes":                   {Task: "binary", Features: 1, Outputs: 1},
		"leaf 0 has 1 values, not 2": {Task: "multiclass", Features: 1, Outputs: 2, Nodes: []node{leaf}},
		"splits feature 1 of 1": {Task: "binary", Features: 1, Outputs: 1,
			Nodes: []node{{Feature: 1, Left: 1, Right: 2}, leaf, leaf}},
		"has children 0 and 1": {Task: "binary", Features: 1, Outputs: 1,
			Nodes: []node{{Left: 0, Right: 1}, leaf}},
		"has children 1 and 2, not b": {Task: "binary", Features: 1, Outputs: 1,
			Nodes: []node{{Left: 1, Right: 2}, leaf}},
	} {
		must.Say(t, must.Err(load(bytes.NewReader(bytesOf(t, &bad)))), says)
	}
}

// TestScoreRefusals: rows of other data have no scores.
func TestScoreRefusals(t *testing.T) {
	m := mustFit(t, fits.Synthetic(registry.Binary, 10, 2, 2), Params{"auto", 2})
	if err := m.Score(t.Context(), mat.NewDense(1, 3, nil), make([]float64, 1)); err == nil {
		t.Error("rows of 3 features are scored by a model of 2")
	}
	if err := m.Score(t.Context(), mat.NewDense(1, 2, nil), make([]float64, 2)); err == nil {
		t.Error("too long an output is accepted")
	}
	if err := m.Score(t.Context(), mat.NewDense(1, 2, []float64{0, math.NaN()}), make([]float64, 1)); err == nil {
		t.Error("a NaN is scored")
	}
}

// A cancelled fit returns at once, although golearn cannot be stopped. golearn's goroutine keeps its place among places
// until it ends, and then gives the place back.
func TestCancellation(t *testing.T) {
	waitForPlaces(t) // of growths whose results tests before this one have
	data := fits.Synthetic(registry.Binary, 25, 8, 2)
	ctx, cancel := context.WithCancel(t.Context())
	started, release := make(chan struct{}), make(chan struct{})
	env := testEnv
	env.OnThread = func(work func()) {
		close(started)
		<-release
		work()
	}
	ended := make(chan error)
	go func() {
		_, err := golearns.fit(ctx, env, data, Params{"auto", NoLimit})
		ended <- err
	}()
	<-started
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled fit gives %v", err)
		}
	case <-time.After(10 * time.Minute):
		t.Error("a cancelled fit waits for golearn")
	}
	must.Be(t, len(places), 1)
	close(release)
	waitForPlaces(t)
	if _, err := golearns.fit(ctx, testEnv, data, Params{"auto", 1}); !errors.Is(err, context.Canceled) ||
		len(places) > 0 {
		t.Errorf("a fit under a cancelled context gives %v and holds %d places", err, len(places))
	}
}

// waitForPlaces waits until all growths have given their places back.
func waitForPlaces(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); len(places) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a growth never gave its place back")
		}
	}
}

func TestFitWaitsForAPlace(t *testing.T) {
	for range cap(places) {
		places <- struct{}{}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	data := fits.Synthetic(registry.Binary, 20, 2, 2)
	_, err := golearns.fit(ctx, testEnv, data, Params{"auto", 1})
	for range cap(places) {
		<-places
	}
	must.Is(t, err, context.DeadlineExceeded)
	mustFit(t, data, Params{"auto", 1})
}

// The two growers of the same trees.
var (
	ours     = method{"CART", growSorted}
	golearns = method{"CART-golearn", growGolearn}
)

// fit grows one tree: a path of one setting.
func (by method) fit(ctx context.Context, env registry.Env, train registry.Data,
	p Params) (model registry.Model, err error) {
	err = by.fitPath(ctx, env, train, []Params{p}, func(_ int, m registry.Model) error {
		model = m
		return nil
	})
	return model, err
}
