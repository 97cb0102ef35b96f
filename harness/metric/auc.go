package metric

import (
	"math"
	"slices"
)

// AUC2 counts the pairs of a row with y > 0 and a row with another y. A pair counts 2 if the first row has
// the larger score, 1 if the scores are equal, else 0. y and scores have one value a row. Scores are not NaN,
// and -0 equals 0. AUC2 takes O(n log n) time.
func AUC2(y, scores []float64) int64 {
	keys := make([]uint64, len(y))
	positive, negative := 0, len(y) // rows of class +1 fill the keys from below, all other rows from above
	for i, s := range scores {
		if y[i] > 0 {
			keys[positive] = orderedKey(s)
			positive++
		} else {
			negative--
			keys[negative] = orderedKey(s)
		}
	}
	above, below := keys[:positive], keys[positive:]
	slices.Sort(above)
	slices.Sort(below)
	var count int64
	less, notMore := 0, 0 // the numbers of keys in below that are less than k, and that are not greater
	for _, k := range above {
		for less < len(below) && below[less] < k {
			less++
		}
		for notMore = max(notMore, less); notMore < len(below) && below[notMore] == k; {
			notMore++
		}
		count += int64(less + notMore)
	}
	return count
}

// orderedKey maps floats to integers in the same order; both zeros map to one integer.
func orderedKey(v float64) uint64 {
	b := math.Float64bits(v + 0) // -0 + 0 is 0
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}
