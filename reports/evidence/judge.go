package evidence

import (
	"math"

	"github.com/kernelboosting/bench/reports/stats"
)

// A Judge gives the verdicts over data sets of thousands of drawn tables, as Compare does of one: by the same tests,
// the same family and the same rules, in floating point. It is not safe for concurrent use.
type Judge struct {
	Level    float64
	Region   bool // there is a region of practical equivalence
	Relative bool // it is a share of the error of a width above zero
	stats.Ranker
}

// Verdicts takes the gains of each comparison of a family, by set, and half the width of the region on each set. A set
// that is not compared is NaN. Every comparison has a set.
func (j *Judge) Verdicts(gains, ropes [][]float64) []Verdict {
	var differences, above, below []stats.SignedRanks
	for p, row := range gains {
		differences = append(differences, j.Rank(row))
		if !j.Region {
			continue
		}
		to, from := make([]float64, len(row)), make([]float64, len(row)) // the edges; see Pair.within
		for s, gain := range row {
			rope := ropes[p][s]
			if j.Relative && rope > 0 {
				gain, rope = gain/rope, 1
			} else if j.Relative && !math.IsNaN(gain) {
				gain, rope = 0, 1
			}
			to[s], from[s] = rope-gain, rope+gain
		}
		above, below = append(above, j.Rank(to)), append(below, j.Rank(from))
	}
	differ := j.found(differences, (*stats.SignedRanks).TwoSided, (*stats.Family).Adjusted)
	var same []bool
	if j.Region {
		same = j.found(stats.Binding(above, below), (*stats.SignedRanks).Above, (*stats.Family).AdjustedAbove)
	}
	out := make([]Verdict, len(gains))
	for p, row := range gains {
		sets, within := 0, 0
		for s, gain := range row {
			if !math.IsNaN(gain) {
				if sets++; j.Region && math.Abs(gain) <= ropes[p][s]+1e-9 {
					within++
				}
			}
		}
		few := sets < Enough(len(gains), j.Level)
		if out[p] = Untestable; few && differences[p].Least() > stats.NewFamily(differences, seed).Critical(j.Level) {
			continue
		}
		direction := differences[p].Sign()
		beyond, equivalent := direction != 0, false
		if j.Region {
			beyond = above[p].Sign() < 0 || below[p].Sign() < 0
			equivalent = same[p] && 2*within > sets
		}
		out[p] = verdict(differ[p], equivalent, beyond, direction)
	}
	return out
}

// found reports which p-values are below the level once they are adjusted. An adjusted p is at least the p itself and
// at most Holm's. So flips are counted only where the level is between the two.
func (j *Judge) found(columns []stats.SignedRanks, p func(*stats.SignedRanks) float64,
	adjusted func(*stats.Family) []float64) []bool {
	least := make([]float64, len(columns))
	for i := range columns {
		least[i] = p(&columns[i])
	}
	values := stats.Holm(least)
	for i := range values {
		if least[i] < j.Level && values[i] >= j.Level {
			values = adjusted(stats.NewFamily(columns, seed))
			break
		}
	}
	out := make([]bool, len(columns))
	for i, v := range values {
		out[i] = v < j.Level
	}
	return out
}

// Enough is the number of data sets with which any of so many comparisons could be significant, whatever the others
// are.
func Enough(comparisons int, level float64) int {
	return int(math.Floor(1+math.Log2(float64(max(1, comparisons))/level))) + 1
}
