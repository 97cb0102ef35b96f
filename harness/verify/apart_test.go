package verify

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"pgregory.net/rapid"
)

// TestApartIsExact divides the same results in every way: however they are, at most one division in two groups is
// called apart, and it is the one with the largest sum, by brute force. So the level is one in the number of
// divisions, whatever the results.
func TestApartIsExact(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(r, "size of a group")
		classes := rapid.Bool().Draw(r, "classes")
		value := rapid.Float64Range(0, float64(rapid.IntRange(1, 4).Draw(r, "values")))
		values := rapid.SliceOfN(rapid.SliceOfN(value, 6, 6), 2*n, 2*n).Draw(r, "results")
		all := make([]prediction, 2*n)
		for i, v := range values {
			for k := range v {
				if classes {
					v[k] = math.Round(v[k])
				}
			}
			all[i] = prediction{v, classes}
		}
		var rejected []uint
		sums := map[uint]float64{}
		for set := range uint(1 << (2 * n)) {
			if bits.OnesCount(set) != n || set&1 == 0 { // result 0 is in the first group
				continue
			}
			var groups [2][]prediction
			for i, p := range all {
				groups[1-set>>i&1] = append(groups[1-set>>i&1], p)
			}
			for _, p := range groups[0] {
				for _, q := range groups[1] {
					sums[set] += p.distance(q)
				}
			}
			if apart(groups[0], groups[1]) {
				rejected = append(rejected, set)
			}
			must.Be(r, apart(groups[0], groups[1]), apart(groups[1], groups[0]), "the other group first")
		}
		var largest []uint
		for set, sum := range sums {
			others := slices.Max(slices.Collect(func(yield func(float64) bool) {
				for other, s := range sums {
					if other != set && !yield(s) {
						return
					}
				}
			}))
			if others < sum*(1-1e-9) {
				largest = append(largest, set)
			}
		}
		must.Be(r, rejected, largest, "the divisions that are called apart")
	})
}

// randomPredictions are results that are right on a row with probability 0.6.
func randomPredictions(draws *rand.Rand, n, rows int) (out []prediction) {
	for range n {
		p := prediction{values: make([]float64, rows), classes: true}
		for k := range p.values {
			if draws.Float64() < 0.6 {
				p.values[k] = 1
			}
		}
		out = append(out, p)
	}
	return out
}

// TestApartFindsMemory: with the groups of the check a method is found that knows the labels of 45 of 54 rows. Its
// other predictions are as random as before.
func TestApartFindsMemory(t *testing.T) {
	draws := rand.New(rand.NewPCG(3, 4))
	for i := range 5 {
		alone, after := randomPredictions(draws, Repeats, 54), randomPredictions(draws, Repeats, 54)
		for _, p := range after {
			for k := range 45 {
				p.values[k] = 1
			}
		}
		must.Be(t, apart(alone, after), true, "draw", i)
		must.Be(t, apart(alone[:firstLook], after[:firstLook]), true, "draw", i)
	}
	must.Be(t, 1/pApart, float64(binomial(2*Repeats, Repeats)/2))
}

func binomial(n, k int) int {
	out := 1
	for i := range k {
		out = out * (n - i) / (i + 1)
	}
	return out
}

func TestPredictionOf(t *testing.T) {
	two := result.Run{Outputs: 1, Scores: []float64{-0.5, 0, 3}}
	must.Be(t, predictionOf(two).values, []float64{0, 1, 1}, "two classes")
	three := result.Run{Outputs: 3, Scores: []float64{1, 2, 0, 5, 5, 1}}
	must.Be(t, predictionOf(three).values, []float64{1, 0}, "three classes")
	real := result.Run{Outputs: 1, Scores: []float64{1, 5}, Score: result.Score{RMSE: new(1.0)}}
	must.Be(t, predictionOf(real).distance(prediction{values: []float64{2, 2}}), 4.0, "distance of regressions")
	must.Be(t, predictionOf(three).distance(prediction{[]float64{2, 0}, true}), 1.0, "distance of classes")
}
