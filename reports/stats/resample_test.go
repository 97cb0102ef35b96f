package stats_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/stats"
)

func permutation(rows [][]int) stats.PermutationTest {
	values := make([][]*big.Rat, len(rows))
	for i, row := range rows {
		values[i] = whole(row)
	}
	return stats.FriedmanPermutation(values, 1)
}

// Two methods in the same order on three sets: both orders of each row are equally likely, so that P = 2 / 2^3 =
// 0.25. Three methods on two sets in the same order: 3! of 3!^2 arrangements. On four sets, the tables of
// Friedman's test (Siegel and Castellan 1988, M) have P(chi2 >= 2) = 0.431 (rank sums 6, 8, 10) and P(chi2 >= 6) =
// 0.069 (6, 6, 12).
func TestFriedmanPermutationByHand(t *testing.T) {
	for _, c := range []struct {
		rows [][]int
		want float64
	}{
		{[][]int{{1, 2}, {1, 2}, {1, 2}}, 0.25},
		{[][]int{{1, 2, 3}, {5, 6, 7}}, 1. / 6},
		{[][]int{{3, 2, 1}, {3, 2, 1}, {2, 3, 1}, {2, 1, 3}}, 0.431},
		{[][]int{{3, 2, 1}, {3, 2, 1}, {2, 3, 1}, {2, 3, 1}}, 0.069},
		{[][]int{{1, 1}, {1, 1}}, 1},
	} {
		if got := permutation(c.rows); !got.Exact || math.Abs(got.P-c.want) > 5e-4 {
			t.Errorf("%v: %+v, want %v", c.rows, got, c.want)
		}
	}
}

// Without a difference P is below 0.05 in at most 5 % of tables, where arrangements are counted and where they are
// drawn.
func TestFriedmanPermutationHoldsItsLevel(t *testing.T) {
	testenv.OnlyThorough(t)
	stream := rng.New(3)
	for _, size := range [][2]int{{3, 2}, {5, 4}, {12, 5}} {
		const tables = 150
		below := 0
		for range tables {
			rows := make([][]int, size[0])
			for i := range rows {
				for range size[1] {
					rows[i] = append(rows[i], stream.Intn(50))
				}
			}
			if permutation(rows).P < 0.05 {
				below++
			}
		}
		if share := float64(below) / tables; share > 0.05+3*math.Sqrt(0.05*0.95/tables) {
			t.Errorf("%d sets, %d methods: %.3f of tables without a difference are below 0.05", size[0], size[1], share)
		}
	}
}
