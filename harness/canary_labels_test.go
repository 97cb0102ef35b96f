package harness_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"pgregory.net/rapid"
)

func generator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// TestLabelsContradict: each group keeps its number of rows of each class, as few rows as possible keep their label,
// rows in no group are left alone, and the same generator gives the same labels.
func TestLabelsContradict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes := rapid.IntRange(2, 6).Draw(t, "classes")
		n := rapid.IntRange(1, 80).Draw(t, "rows")
		y := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 {
			return float64(rapid.IntRange(0, classes-1).Draw(t, "class"))
		}), n, n).Draw(t, "y")
		var groups [][]int
		groups = append(groups, nil, nil, nil)
		for i := range y {
			if g := i % 4; g < 3 { // others are in no group
				groups[g] = append(groups[g], i)
			}
		}
		task := registry.Multiclass
		if classes == 2 {
			task = registry.Binary
		}
		seed := rapid.Uint64().Draw(t, "seed")
		before := slices.Clone(y)
		got := runner.CanaryLabels(generator(seed), task, y, groups)
		if !slices.Equal(y, before) || !slices.Equal(got, runner.CanaryLabels(generator(seed), task, y, groups)) {
			t.Fatal("targets are changed in place, or drawn in two ways")
		}
		for i := range y {
			if i%4 == 3 && got[i] != y[i] {
				t.Fatalf("row %d is in no group and has another label", i)
			}
		}
		for _, rows := range groups {
			count, kept := map[float64]int{}, 0
			for _, i := range rows {
				count[y[i]]++
			}
			most := 0
			for _, c := range count {
				most = max(most, c)
			}
			for _, i := range rows {
				count[got[i]]--
				if got[i] == y[i] {
					kept++
				}
			}
			for class, c := range count {
				if c != 0 {
					t.Fatalf("class %v has %d rows less", class, c)
				}
			}
			must.Be(t, kept, max(0, 2*most-len(rows)), "rows that keep their label")
		}
	})
}

// TestLabelsAreSpread: rows of a class get the labels of all others, none of them nearly always: else a learner that
// takes two classes for one would be right about one of them.
func TestLabelsAreSpread(t *testing.T) {
	const n, k = 4000, 4
	y := make([]float64, n)
	rows := make([]int, n)
	for i := range y {
		y[i], rows[i] = float64(i%k), i
	}
	got := runner.CanaryLabels(generator(1), registry.Multiclass, y, [][]int{rows})
	var table [k][k]int
	for i := range y {
		table[int(y[i])][int(got[i])]++
	}
	for a := range k {
		for b := range k {
			if c := table[a][b]; a == b && c != 0 || a != b && (c < n/k/3-80 || c > n/k/3+80) {
				t.Errorf("%d rows of class %d have label %d: %v", c, a, b, table)
			}
		}
	}
}

// TestValuesAreReversed: a regression keeps its values, and their order is turned round.
func TestValuesAreReversed(t *testing.T) {
	y := make([]float64, 200)
	rows := make([]int, len(y))
	for i := range y {
		y[i], rows[i] = math.Exp(float64(i%50)), i
	}
	got := runner.CanaryLabels(generator(1), registry.Regression, y, [][]int{rows[:100], rows[100:]})
	must.Be(t, slices.Sorted(slices.Values(y)), slices.Sorted(slices.Values(got)), "other values")
	above := 0
	for i := range y {
		if i%50 >= 25 && math.Log(got[i]) >= 25 {
			above++
		}
	}
	if above > 15 {
		t.Errorf("%d of the 100 larger values stay among them", above)
	}
	again := runner.CanaryLabels(generator(2), registry.Regression, y, [][]int{rows})
	if slices.Equal(got, again) {
		t.Error("every generator draws the same")
	}
}

// TestP compares with values of Fisher's exact test that can be counted by hand.
func TestP(t *testing.T) {
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-9*want }
	truth := []float64{1, 1, 1, 1, -1, -1, -1, -1}
	for _, c := range []struct {
		scores []float64
		want   float64
	}{
		{[]float64{1, 0, 2, 1, -1, -1, -2, -1}, 1. / 70},    // all right: 1 of 8 over 4
		{[]float64{1, 1, 1, -1, 1, -1, -1, -1}, 17. / 70},   // three of four
		{[]float64{-1, -1, -1, -1, 1, 1, 1, 1}, 1},          // all wrong
		{[]float64{1, 1, 1, 1, 1, 1, 1, 1}, 1},              // always the same
		{[]float64{1, 1, -1, -1, -1, -1, -1, -1}, 15. / 70}, // 6 of 8 over 2
	} {
		if got := runner.CanaryP(registry.Binary, 2, truth, c.scores); !near(got, c.want) {
			t.Errorf("%v: p = %v, want %v", c.scores, got, c.want)
		}
	}
	got := runner.CanaryP(registry.Regression, 0, []float64{1, 2, 3, 4}, []float64{10, 20, 30, 40})
	if !near(got, 1./6) {
		t.Errorf("a regression in order: p = %v", got)
	}
	// Right about one class alone, the middle one: nothing follows.
	var y, scores []float64
	for i := range 99 {
		y = append(y, float64(i%3))
		said := []int{2, 1, 0}[i%3]
		row := make([]float64, 3)
		row[said] = 1
		scores = append(scores, row...)
	}
	must.Be(t, runner.CanaryP(registry.Multiclass, 3, y, scores), 1, "right about one class of three")
	must.Be(t, runner.CanaryP(registry.Multiclass, 3, []float64{1, 1, 1}, make([]float64, 9)), 1, "one class alone")
	must.Be(t, runner.Constant(registry.Multiclass, []float64{0, 2, 2, 1}), 2)
}

// TestPIsAProbability: predictions that are drawn have a p below a level no more often than it says, at levels where
// chance has few values too.
func TestPIsAProbability(t *testing.T) {
	rng := generator(3)
	const times = 20000
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
		small := map[float64]int{}
		for range times {
			const n, k = 53, 3
			y, scores := make([]float64, n), make([]float64, 0, n*k)
			for i := range y {
				switch task {
				case registry.Binary:
					y[i], scores = float64(2*(i%3/2)-1), append(scores, rng.NormFloat64())
				case registry.Regression:
					y[i], scores = float64(i), append(scores, rng.NormFloat64())
				default:
					y[i], scores = float64(i%k), append(scores, rng.Float64(), rng.Float64(), rng.Float64())
				}
			}
			p := runner.CanaryP(task, k, y, scores)
			for _, level := range []float64{0.05, 0.01, 0.001} {
				if p <= level {
					small[level]++
				}
			}
		}
		for level, count := range small {
			if most := level*times + 5*math.Sqrt(level*times); float64(count) > most {
				t.Errorf("%v: p <= %v in %d of %d draws", task, level, count, times)
			}
		}
	}
}
