package stats_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/stats"
	"pgregory.net/rapid"
)

// Holm (1979) rejects step by step: the smallest of the remaining m hypotheses at alpha/m, until one
// is kept.
func TestHolmRejects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 0.2), 1, 9).Draw(t, "p")
		const alpha = 0.05
		sorted, rejected := slices.Sorted(slices.Values(p)), 0
		for rejected < len(p) && sorted[rejected]*float64(len(p)-rejected) <= alpha {
			rejected++
		}
		below := 0
		for _, adjusted := range stats.Holm(p) {
			if adjusted <= alpha {
				below++
			}
		}
		must.Be(t, below, rejected, alpha, p)
	})
}

// A hypothesis without a value counts, and stays without one. Equal values are adjusted alike.
func TestAdjustedWithoutValue(t *testing.T) {
	nan := math.NaN()
	for _, c := range [][2][]float64{{{0.01, nan, 0.02}, {0.03, nan, 0.04}},
		{{0.02, 0.01, 0.02, 0.3}, {0.06, 0.04, 0.06, 0.3}}, {}} {
		if got := stats.Holm(c[0]); fmt.Sprintf("%.12f", got) != fmt.Sprintf("%.12f", c[1]) {
			t.Errorf("%v: %v, want %v", c[0], got, c[1])
		}
	}
}

// SciPy 1.17.1: studentized_range.sf(q, k, inf). For k = 2 it is 2 (1 - Phi(q / sqrt 2)). Tails keep their digits,
// and the point is the tail's inverse.
func TestStudentizedRange(t *testing.T) {
	for _, c := range []struct {
		q    float64
		k    int
		want float64
	}{{1, 2, 0.4795001221869535}, {6, 100, 0.06251655546150037}, {1e9, 3, 0}} {
		must.Near(t, stats.RangeTail(c.q, c.k), c.want, 1e-10, "P(Q >", c.q, c.k)
	}
	for _, q := range []float64{0.01, 1, 5, 12, 30} {
		if got, want := stats.RangeTail(q, 2), math.Erfc(q/2); math.Abs(got-want) > 1e-9*want {
			t.Errorf("P(Q > %v), k = 2: %v, want %v", q, got, want)
		}
	}
	if q := stats.StudentizedRangePoint(0.01, 7); math.Abs(stats.RangeTail(q, 7)-0.01) > 1e-11 {
		t.Errorf("the point at 0.01, %v, has tail %v", q, stats.RangeTail(q, 7))
	}
	for name, got := range map[string]float64{
		"one method": stats.StudentizedRangePoint(0.05, 1), "level 0": stats.StudentizedRangePoint(0, 3),
		"no data set": stats.NemenyiCD(0.05, 3, 0), "level 1": stats.NemenyiCD(1, 3, 5),
	} {
		must.Be(t, math.IsNaN(got), true, name, got)
	}
}

// Demsar (2006), 3.2.2: at 0.05 his critical difference is 1.25 and the data separate no two of the four; at 0.10 it
// is 1.12, and C4.5 is worse than +m and +m+cf, while +cf may belong with either.
func TestGroupsOfDemsar(t *testing.T) {
	ranks := []float64{3.143, 2.000, 2.893, 1.964}
	order := []int{3, 1, 2, 0}
	for cd, want := range map[float64][][]int{1.25: {{3, 1, 2, 0}}, 1.12: {{3, 1, 2}, {2, 0}}, 0.5: {{3, 1}, {2, 0}},
		0.01: nil} {
		got := stats.Groups(order, func(a, b int) bool { return math.Abs(ranks[a]-ranks[b]) < cd })
		must.Be(t, fmt.Sprint(got), fmt.Sprint(want), "critical difference", cd)
	}
}

// By hand: of ranks 1, 2, 3 and 5 with a critical difference of 1.5 the bars are the runs 1-2 and 2-3; the last
// method is on none. Where the first and the last are alike and the second is not, a group passes over it.
func TestGroups(t *testing.T) {
	ranks := []float64{1, 2, 3, 5}
	got := stats.Groups([]int{0, 1, 2, 3}, func(a, b int) bool { return math.Abs(ranks[a]-ranks[b]) < 1.5 })
	must.Be(t, fmt.Sprint(got), "[[0 1] [1 2]]", "groups")
	if got := stats.Groups([]int{2, 0, 1}, func(a, b int) bool { return a+b == 3 }); fmt.Sprint(got) != "[[2 1]]" {
		t.Errorf("groups %v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 9).Draw(t, "methods")
		differ := make(map[[2]int]bool)
		var order []int
		for a := range k {
			order = append(order, a)
			for b := range a {
				apart := rapid.Bool().Draw(t, "apart")
				differ[[2]int{a, b}], differ[[2]int{b, a}] = apart, apart
			}
		}
		groups := stats.Groups(order, func(a, b int) bool { return !differ[[2]int{a, b}] })
		for a := range k {
			for b := range a {
				common := slices.ContainsFunc(groups, func(g []int) bool {
					return slices.Contains(g, a) && slices.Contains(g, b)
				})
				if common == differ[[2]int{a, b}] {
					t.Fatalf("%d and %d: different %v, in a common group %v of %v", a, b, differ[[2]int{a, b}], common,
						groups)
				}
			}
		}
	})
}
