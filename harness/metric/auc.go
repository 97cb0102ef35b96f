package metric

import (
	"math"
	"slices"

	"github.com/kernelboosting/bench/harness/result"
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

// OneSided reports that a test of two classes predicts one class for all rows, by the signs of their scores, although
// the order of the scores separates the classes. So it is of probabilities, percentages, or numbers of classes that a
// method gives as scores; where one class is rare it may be right. The area under the ROC curve (AUC) separates where
// it is 0.2 from 1/2 and three standard deviations of the AUC of scores that know nothing (Mann and Whitney, Annals of
// Mathematical Statistics 18, 1947). class is that of all rows.
func OneSided(s result.Score) (class string, area float64, is bool) {
	of := auc(s)
	if of == nil || *s.TN+*s.FN > 0 && *s.TP+*s.FP > 0 {
		return "", 0, false
	}
	positive, negative := float64(*s.TP+*s.FN), float64(*s.TN+*s.FP)
	area, _ = of.Float64()
	distance, deviation := math.Abs(area-0.5), math.Sqrt((positive+negative+1)/(12*positive*negative))
	if class = "+1"; *s.TP+*s.FP == 0 {
		class = "-1"
	}
	return class, area, distance >= 0.2 && distance >= 3*deviation
}
