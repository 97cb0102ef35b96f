package cmd

import (
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/plan"
)

func TestShapeOfAPlan(t *testing.T) {
	cells := func(splits ...int) (cs []*plan.Cell) {
		for _, s := range splits {
			cs = append(cs, &plan.Cell{})
			c := cs[len(cs)-1]
			c.Method, c.Dataset, c.Split = "LDA", "swiss", s
		}
		return cs
	}
	var scattered []int
	for s := 83; s < 183; s += 2 {
		scattered = append(scattered, s)
	}
	for want, splits := range map[string][]int{
		"split 7":                     {7, 7},
		"splits 1-3, 5":               {5, 1, 2, 3},
		"50 splits from 83 to 181":    scattered,
		"1 method x 1 set x splits 1": {1, 2},
	} {
		if got := shapeOf(cells(splits...)); !strings.Contains(got, want) {
			t.Errorf("splits %v: %q, want %q in it", splits, got, want)
		}
	}
}
