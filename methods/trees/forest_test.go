package trees

import (
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/fits"

	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func fittedForest(t testing.TB, d registry.Data, raw string) *Forest {
	t.Helper()
	m := must.Get(RF().Fit(t.Context(), registry.Env{Seed: 1}, d, []byte(raw)))(t)
	return m.(*Forest)
}

// One tree that tries every feature is the exhaustive search of its bootstrap
// sample: no split of the root has less impurity. Tolerance 1e-9 of sums of at most 30 terms.
func TestForestRootIsOptimal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		data := fits.Draw(rt)
		f := fittedForest(t, data, `{"trees":1,"max_features":99}`)
		g := must.Get(newGrower(t.Context(), data))(rt)
		r := registry.Env{Seed: 1}.Rand()
		if _, err := g.grow(&Forest{Splits: make([]int, f.Features), Gain: make([]float64, f.Features)},
			rng.New(r.Uint32()), f.Features); err != nil {
			rt.Fatal(err)
		}
		drawn := registry.Data{Task: data.Task, Classes: data.Classes}
		var rows [][]float64
		for i, w := range g.weight {
			for range w {
				rows, drawn.Y = append(rows, data.X.RawRowView(i)), append(drawn.Y, data.Y[i])
			}
		}
		drawn.X = fits.Rows(rows)
		criterion := "gini"
		if data.Task == registry.Regression {
			criterion = "mse"
		}
		root := f.Trees[0]
		if root.Feature[0] < 0 {
			return // pure, small or constant
		}
		got := fits.Divided(drawn, criterion, int(root.Feature[0]), math.Nextafter(root.Threshold[0], math.Inf(1)))
		for j := range f.Features {
			for i := range rows {
				if least := fits.Divided(drawn, criterion, j, rows[i][j]); least < got-1e-9 {
					rt.Fatalf("impurity %v of the root, %v at feature %d < %v", got, least, j, rows[i][j])
				}
			}
		}
	})
}

// Both ways to look for a split are the same search.
func TestForestSortedEqualsCounted(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		data := fits.Draw(rt)
		g := must.Get(newGrower(t.Context(), data))(rt)
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
		var found [2]cut
		var varies [2]bool
		for k, try := range []func(*sweep, []int32, int, *cut) bool{g.tryCounted, g.trySorted} {
			found[k] = cut{score: math.Inf(-1), feature: -1}
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
		same := found[0].feature == found[1].feature && math.Abs(found[0].score-found[1].score) < 1e-9 ||
			found[0] == found[1]
		must.Be(rt, varies[0], varies[1], "counted", found[0], found[1])
		must.Be(rt, same, true, "counted", found[0], found[1])
	})
}

func TestSortKeys(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, distinct := rapid.IntRange(1, 400).Draw(rt, "n"), rapid.IntRange(1, 70000).Draw(rt, "distinct")
		r := rng.New(uint32(rapid.IntRange(0, 1000).Draw(rt, "seed")))
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = uint64(r.Intn(distinct))<<32 | uint64(i)
		}
		want := slices.Sorted(slices.Values(keys))
		g := &grower{moved: make([]uint64, n)}
		must.Be(rt, g.sortKeys(keys, distinct), want, n, distinct)
	})
}

// What Breiman's rules say of how a tree is grown, seen in grown trees.
func TestBreimansRules(t *testing.T) {
	for _, task := range []registry.Task{registry.Binary, registry.Regression} {
		t.Run(task.String(), func(t *testing.T) {
			const n, d, trees = 400, 9, 200
			r := rng.New(3)
			data := registry.Data{Task: task, Classes: 2, X: mat.NewDense(n, d, nil), Y: make([]float64, n)}
			if task == registry.Regression {
				data.Classes = 0
			}
			r.Norms(data.X.RawMatrix().Data)
			for i := range data.Y { // feature 0 decides, so that the root takes it wherever it may
				data.Y[i] = math.Copysign(1, data.X.At(i, 0))
			}
			if task == registry.Regression {
				noise := make([]float64, n)
				r.Norms(noise)
				floats.AddScaled(data.Y, 0.1, noise)
			}
			g := must.Get(newGrower(t.Context(), data))(t)
			// Draws with replacement: a row is missing with probability 1/e.
			f := &Forest{Splits: make([]int, d), Gain: make([]float64, d)}
			distinct := 0
			for seed := range uint32(trees) {
				must.Get(g.grow(f, rng.New(seed), 1))(t)
				drawn := int32(0)
				for _, w := range g.weight {
					drawn += w
					if w > 0 {
						distinct++
					}
				}
				must.Be(t, drawn, n)
			}
			must.Near(t, float64(distinct)/(n*trees), (1 - 1/math.E), 0.005)
			m := fittedForest(t, data, `{"trees":900}`)
			first, same := 0.0, 0.0
			least := map[registry.Task]int32{registry.Binary: 2, registry.Regression: 6}[task]
			for _, tree := range m.Trees {
				if tree.Feature[0] == 0 {
					first++
				}
				if tree.Feature[1] == tree.Feature[0] && tree.Feature[0] != 0 {
					same++
				}
				for at, feature := range tree.Feature {
					if feature >= 0 && tree.Rows[at] < least {
						t.Fatalf("a node of %d rows is split", tree.Rows[at])
					}
				}
			}
			// sqrt(9) and 9/3 features are tried: the root has feature 0 in a third of the trees (standard deviation
			// 0.016).
			must.Near(t, first/float64(len(m.Trees)), 1./3, 0.06, "feature 0 is at")
			// New ones are drawn in each node: of roots without it, a third of the left children have it, so few repeat
			// the root's.
			if share := same / (float64(len(m.Trees)) - first); share > 0.3 {
				t.Errorf("%.3f of the other roots are repeated below", share)
			}
		})
	}
}
