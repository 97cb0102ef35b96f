package frame

import (
	"slices"
	"testing"
)

// TestCountedSets: by hand, which sets count for which methods have which.
func TestCountedSets(t *testing.T) {
	for name, c := range map[string]struct {
		have [][]int
		want []int
	}{
		"nothing":                       {[][]int{nil, nil}, nil},
		"one method":                    {[][]int{{1, 2}}, []int{1, 2}},
		"all alike":                     {[][]int{{1, 2, 3}, {1, 2, 3}}, []int{1, 2, 3}},
		"one of three is partial":       {[][]int{{1, 2, 3}, {2}, {1, 2, 3}}, []int{1, 2, 3}},
		"a method of its own":           {[][]int{{1, 2, 3, 4}, {1, 2, 3}, {1, 2, 3}}, []int{1, 2, 3}},
		"a method without sets":         {[][]int{{1, 2}, nil, nil, nil}, []int{1, 2}},
		"half is enough":                {[][]int{{1, 2, 3}, {1, 2}}, []int{1, 2, 3}},
		"equally long, of more methods": {[][]int{{1, 2}, {3, 4}, {3, 4, 5}, {1, 6}}, []int{3, 4}},
		"no half, what all have":        {[][]int{{1, 2, 3}, {1, 2, 4}, {1, 2, 5}}, []int{1, 2}},
		"no half, nothing of all":       {[][]int{{1, 2}, {1, 2}, {3, 4, 5}, {6}, {7}}, []int{1, 2}},
	} {
		if got := countedSets(c.have); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v count, want %v", name, got, c.want)
		}
	}
}
