package split

import (
	"fmt"
	"testing"

	"github.com/kernelboosting/bench/registry/rng"
)

var table2 = Splitter{TestFraction: 0.3, Folds: 5}

func share(y []float64, rows []int, label float64) int {
	k := 0
	if rows == nil {
		for _, v := range y {
			if v == label {
				k++
			}
		}
		return k
	}
	for _, r := range rows {
		if y[r] == label {
			k++
		}
	}
	return k
}

// TestEqualRemainders: five of 1, 3 and 6 rows are 0.5, 1.5 and 3 of them, and the generator decides who gets the row
// that is left. Where the compiler fuses the product with what is taken from it, the second remainder is a little below
// the first.
func TestEqualRemainders(t *testing.T) {
	for _, c := range []struct{ counts, first, second []int }{
		{[]int{1, 3, 6}, []int{1, 1, 3}, []int{0, 2, 3}},
		{[]int{2, 7, 1}, []int{1, 4, 0}, []int{1, 3, 1}},
	} {
		met := map[string]bool{}
		for seed := range uint32(20) {
			met[fmt.Sprint(apportion(rng.New(seed), c.counts, 5))] = true
		}
		if len(met) != 2 || !met[fmt.Sprint(c.first)] || !met[fmt.Sprint(c.second)] {
			t.Errorf("five of %v are divided as %v, want %v and %v", c.counts, met, c.first, c.second)
		}
	}
}
