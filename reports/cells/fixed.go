package cells

import (
	"maps"
	"math/big"
	"slices"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// A Fixed is a grid point that a method could have on every data set, and what tuning on each set gains over it. All
// values are of validation folds, since only the chosen point has a test.
type Fixed struct {
	Point string   // the best over all sets, as its author writes it
	Sets  []string // of the main group, with the folds of every grid point
	Other []string // of Sets: those on which the others choose another point
	// Gains is what tuning gains on each of Sets, in the unit of the table.
	Gains                []*big.Rat
	stats.CorrectedTTest // Student's, of Gains
}

// FixedOf compares tuning with one fixed grid point. The table must have been read with folds. ok is false if fewer
// than three sets have the folds of every grid point, or if they have fewer than two points in common. whole is false
// if that is because finished cells lack folds of some points.
//
// On a set, the fixed point is the one with the largest mean over the other sets, of those that all sets have. A set
// counts once, by the mean over splits and folds. Tuning chooses for each fold the point that is the best in the other
// folds of the split, of equals the first. So neither of the two sees the fold in which they are compared.
func FixedOf(t *frame.Table, method string) (f Fixed, ok, whole bool) {
	byPoint := map[string][]*big.Rat{} // means, one a set
	var tuned []*big.Rat
	var order []string
	lack := false
	for _, s := range t.CountedSets() {
		means, points, own, there := foldMeans(t, t.Cells(s.Name, method))
		if !there {
			lack = lack || len(points) > 1
			continue
		}
		if order == nil {
			order = points
		}
		for point, mean := range means {
			byPoint[point] = append(byPoint[point], mean)
		}
		f.Sets, tuned = append(f.Sets, s.Name), append(tuned, own)
	}
	maps.DeleteFunc(byPoint, func(_ string, means []*big.Rat) bool { return len(means) < len(f.Sets) })
	order = slices.DeleteFunc(order, func(p string) bool { return byPoint[p] == nil })
	if len(f.Sets) < 3 || len(order) < 2 {
		return f, false, !lack
	}
	f.Point = bestPoint(t, order, byPoint, -1)
	for i, name := range f.Sets {
		point := bestPoint(t, order, byPoint, i)
		if point != f.Point {
			f.Other = append(f.Other, name)
		}
		f.Gains = append(f.Gains, t.Gain(tuned[i], byPoint[point][i]))
	}
	f.CorrectedTTest = stats.CorrectedT(f.Gains, 1, 0) // data sets do not overlap
	return f, true, true
}

// bestPoint is the point with the best mean over all sets but one, of equals the first.
func bestPoint(t *frame.Table, points []string, means map[string][]*big.Rat, without int) (best string) {
	var top *big.Rat
	for _, p := range points {
		others := slices.Clone(means[p])
		if without >= 0 {
			others = slices.Delete(others, without, without+1)
		}
		if mean := stats.Mean(others); top == nil || t.Metric.Compare(mean, top) > 0 {
			best, top = p, mean
		}
	}
	return best
}

// foldMeans are the means of the grid points over the splits and folds of a set, the points in the order of the grid,
// and the mean of what tuning by the other folds gets. ok is false where folds of some point are missing.
func foldMeans(t *frame.Table, rows []store.Row) (means map[string]*big.Rat, points []string, tuned *big.Rat, ok bool) {
	values, own := map[string][]*big.Rat{}, []*big.Rat(nil)
	for _, r := range rows {
		if r.Status != result.OK {
			continue
		}
		grid := t.Frame.Grids[r.GridHash]
		if points == nil {
			for _, p := range grid {
				points = append(points, string(p))
			}
		}
		folds, whole := foldsOf(t, r, len(grid))
		if !whole || len(grid) != len(points) {
			return nil, points, nil, false
		}
		for g, p := range grid {
			values[string(p)] = append(values[string(p)], folds[g]...)
		}
		for k := range folds[0] {
			best, top := 0, (*big.Rat)(nil)
			for g := range folds {
				mean := stats.Mean(slices.Delete(slices.Clone(folds[g]), k, k+1))
				if top == nil || t.Metric.Compare(mean, top) > 0 {
					best, top = g, mean
				}
			}
			own = append(own, folds[best][k])
		}
	}
	if own == nil {
		return nil, nil, nil, false
	}
	means = map[string]*big.Rat{}
	for p, v := range values {
		means[p] = stats.Mean(v)
	}
	return means, points, stats.Mean(own), true
}

// foldsOf are the values of a cell by grid point and fold. whole is false if one is missing, or if there is one fold.
func foldsOf(t *frame.Table, r store.Row, points int) (out [][]*big.Rat, whole bool) {
	out = make([][]*big.Rat, points)
	for _, e := range slices.SortedStableFunc(slices.Values(r.Folds), func(a, b result.Evaluation) int {
		return a.Fold - b.Fold
	}) {
		if v := t.ValueOf(e.Score); v != nil && e.GridIndex < points {
			out[e.GridIndex] = append(out[e.GridIndex], v)
		}
	}
	for _, folds := range out {
		if len(folds) < 2 || len(folds) != len(out[0]) {
			return nil, false
		}
	}
	return out, points > 0
}
