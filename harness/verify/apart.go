package verify

import (
	"math"
	"slices"

	"github.com/kernelboosting/bench/harness/result"
)

// The check of a method that is not deterministic is a permutation test. A cell is computed Repeats times alone and
// as often after another cell. If what ran before does not matter, each division of the 24 results into two groups of
// 12 is as probable as the observed one. The statistic of a division is the sum of the distances between results of
// different groups (for groups of one size this orders divisions as the energy statistic does). The test rejects only
// where the observed division has a larger sum than each of the 1,352,077 others, so that the level is 1/1,352,078 =
// 7.4e-7, exactly.
const (
	Repeats = 12            // Repeats is how often a cell is computed in each of two ways.
	pApart  = 1 / 1352078.0 // 2 of C(24, 12) choices of a group: a division does not depend on which group comes first

	// After firstLook results of each group the check ends where the observed division of these is not the best. This
	// can only prevent a rejection. It spares an honest method two thirds of the time, 34 times of 35.
	firstLook = 4
)

// apart reports whether the division of results into alone and after, lists of equal length, has a larger sum of
// distances between its groups than every other division into groups of this size.
func apart(alone, after []prediction) bool {
	all := slices.Concat(alone, after)
	n := len(alone)
	d := make([][]float64, len(all))
	for i := range all {
		d[i] = make([]float64, len(all))
		for j := range i {
			d[i][j] = all[i].distance(all[j])
			d[j][i] = d[i][j]
		}
	}
	var observed float64 // the sum of the observed division
	for i := range n {
		for j := n; j < 2*n; j++ {
			observed += d[i][j]
		}
	}
	limit := observed * (1 - 1e-9) // a sum in another order may differ by its rounding
	// reached reports whether a division other than the observed one reaches the limit. The first i results are divided
	// already: groups has their numbers, and between is the sum of the distances between the groups.
	var groups [2][]int
	var reached func(i int, between float64) bool
	reached = func(i int, between float64) bool {
		if i == 2*n {
			return between >= limit && groups[0][n-1] != n-1
		}
		for g := range groups {
			if len(groups[g]) == n || i == 0 && g == 1 {
				continue
			}
			more := between
			for _, j := range groups[1-g] {
				more += d[i][j]
			}
			groups[g] = append(groups[g], i)
			if reached(i+1, more) {
				return true
			}
			groups[g] = groups[g][:len(groups[g])-1]
		}
		return false
	}
	return !reached(0, 0)
}

// A prediction is what a run predicts for its test rows: the class of each row, or the values of a regression.
type prediction struct {
	values  []float64
	classes bool
}

func predictionOf(r result.Run) prediction {
	if r.Score.RMSE != nil {
		return prediction{values: r.Scores}
	}
	out := prediction{classes: true}
	for row := range slices.Chunk(r.Scores, max(1, r.Outputs)) {
		class := 0.0
		switch {
		case len(row) > 1:
			class = float64(slices.Index(row, slices.Max(row)))
		case row[0] >= 0:
			class = 1
		}
		out.values = append(out.values, class)
	}
	return out
}

// distance is the number of rows with different classes, or the sum of the differences of a regression.
func (p prediction) distance(q prediction) float64 {
	var sum float64
	for i, v := range p.values {
		switch of := math.Abs(v - q.values[i]); {
		case p.classes && of > 0:
			sum++
		default:
			sum += of
		}
	}
	return sum
}
