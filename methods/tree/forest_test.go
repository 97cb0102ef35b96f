package tree

import (
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/numpy"
	"github.com/kernelboosting/bench/registry"
	"pgregory.net/rapid"
)

func fitted(t testing.TB, spec registry.Spec, d registry.Data, raw string) registry.Model {
	t.Helper()
	m, err := spec.Fit(t.Context(), registry.Env{Seed: 1}, d, []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// One tree that tries every feature is the exhaustive search of its bootstrap
// sample: no split of the root has less impurity. Tolerance 1e-9 of sums of at most 30 terms.
func TestForestRootIsOptimal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		data := drawData(rt)
		f := fitted(t, Forest(), data, `{"n_estimators":1,"max_features":99}`).(*ForestModel)
		g, err := newForestGrower(t.Context(), data)
		if err != nil {
			rt.Fatal(err)
		}
		r := registry.Env{Seed: 1}.Rand()
		if _, err := g.grow(&ForestModel{Splits: make([]int, f.Features), Gain: make([]float64, f.Features)}, numpy.NewRandomState(r.Uint32()), f.Features); err != nil {
			rt.Fatal(err)
		}
		drawn := registry.Data{Task: data.Task, Classes: data.Classes}
		var rows [][]float64
		for i, w := range g.weight {
			for range w {
				rows, drawn.Y = append(rows, data.X.RawRowView(i)), append(drawn.Y, data.Y[i])
			}
		}
		drawn.X = rowsOf(rows)
		criterion := "gini"
		if data.Task == registry.Regression {
			criterion = "mse"
		}
		root := f.Trees[0]
		if root.Feature[0] < 0 {
			return // pure, small or constant
		}
		got := divided(drawn, criterion, int(root.Feature[0]), math.Nextafter(root.Threshold[0], math.Inf(1)))
		for j := range f.Features {
			for i := range rows {
				if least := divided(drawn, criterion, j, rows[i][j]); least < got-1e-9 {
					rt.Fatalf("impurity %v of the root, %v at feature %d < %v", got, least, j, rows[i][j])
				}
			}
		}
	})
}

// Both ways to look for a split are the same search.
func TestForestSortedEqualsCounted(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		data := drawData(rt)
		g, err := newForestGrower(t.Context(), data)
		if err != nil {
			rt.Fatal(err)
		}
		var rows []int32
		total := 0.0
		for i := range g.weight {
			if g.weight[i] = int32(rapid.IntRange(0, 3).Draw(rt, "weight")); g.weight[i] > 0 {
				rows, total = append(rows, int32(i)), total+float64(g.weight[i])
			}
		}
		if len(rows) == 0 {
			return
		}
		var found [2]forestCut
		var varies [2]bool
		for k, try := range []func(*sweep, []int32, int, *forestCut) bool{g.tryCounted, g.trySorted} {
			found[k] = forestCut{score: math.Inf(-1), feature: -1}
			s := sweep{g: g, total: total}
			clear(g.left)
			clear(g.right)
			for _, i := range rows {
				g.right[g.class(i)] += float64(g.weight[i])
				s.all += float64(g.weight[i]) * g.y[i]
			}
			for _, w := range g.right {
				s.squaresR += w * w
			}
			varies[k] = try(&s, rows, 0, &found[k])
		}
		same := found[0].feature == found[1].feature && math.Abs(found[0].score-found[1].score) < 1e-9 || found[0] == found[1]
		if varies[0] != varies[1] || !same {
			rt.Fatalf("counted %+v (varies %v), sorted %+v (varies %v)", found[0], varies[0], found[1], varies[1])
		}
	})
}

func TestSortKeys(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, distinct := rapid.IntRange(1, 400).Draw(rt, "n"), rapid.IntRange(1, 70000).Draw(rt, "distinct")
		r := numpy.NewRandomState(uint32(rapid.IntRange(0, 1000).Draw(rt, "seed")))
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = uint64(r.Intn(distinct))<<32 | uint64(i)
		}
		want := slices.Sorted(slices.Values(keys))
		g := &forestGrower{moved: make([]uint64, n)}
		if got := g.sortKeys(keys, distinct); !slices.Equal(got, want) {
			rt.Fatalf("%d keys of %d ranks are not sorted", n, distinct)
		}
	})
}

// On separable data every tree classifies its bootstrap sample without error, so
// the forest's votes on the training rows are nearly unanimous.
func TestForestLearnsTheTrainingSet(t *testing.T) {
	data := synthetic(registry.Binary, 300, 5, 2)
	f := fitted(t, Forest(), data, `{}`).(*ForestModel)
	right := 0
	for i, s := range scoresOf(t, f, data) {
		if s*data.Y[i] > 0 {
			right++
		}
	}
	if right < 300 {
		t.Errorf("%d of 300 training rows are right; every row is in the bag of two trees in three", right)
	}
}
