package plan

import (
	"slices"
	"testing"
)

func TestParseSplits(t *testing.T) {
	for text, want := range map[string][]int{"3": {1, 2, 3}, "4-6": {4, 5, 6}, "5,7": {5, 7}, "1-2,9": {1, 2, 9}, "2-4,3": {2, 3, 4}} {
		if got, err := ParseSplits(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("ParseSplits(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-3", "3-1", "a", "1-", "2.5", "1,,2", "1 - 2", "99999999999"} {
		if got, err := ParseSplits(text); err == nil {
			t.Errorf("ParseSplits(%q) = %v, want an error", text, got)
		}
	}
}
