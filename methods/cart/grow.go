package cart

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"

	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"github.com/sjwhitworth/golearn/trees"
)

// A builder grows the tree that golearn grows, by sorted scans. Breiman et al. 1984, section 2.4: with R the impurity
// of the rows of a node, choose the feature j and the threshold t that minimise
//
//	(n_left R(x_j < t) + n_right R(x_j >= t)) / n
//
// over the midpoints of neighbouring values. Split both sides further while the minimum is less than R, the side is not
// pure, and the depth allows it. Of equal splits the first wins. The rows are sorted once by each feature, and stay
// sorted within the nodes, so that a node costs n d steps.
//
// Impurities are rounded as golearn rounds them, since the last bit decides between equally good splits. For classes
// the counts determine the bits. A mean of squares depends on the order of the sum. So for regression a scan with
// running sums finds the splits that can be the best, and these are then summed in golearn's order.
type builder struct {
	ctx     context.Context
	x       [][]float64 // by feature
	y       []float64   // classes from 0, or targets
	classes int         // 0 for regression
	entropy bool        // instead of Gini's impurity
	depth   int
	order   [][]int32 // by feature: the rows sorted by value; the rows of a node are contiguous in each
	rows    []int32   // for regression the same rows in golearn's order
	isLeft  []bool    // by row, of the split that is being made
	spare   []int32
	// the cuts above the node: golearn makes no split twice (only a split with an empty side could come twice)
	ancestors []cut
	splits    []split
	counts    [2][]int  // by side and class
	centred   []float64 // running sums of targets less the node's mean
	squares   []float64 // running sums of their squares
	shuffled  []float64 // targets in golearn's order by a feature
}

// A cut is a feature and a threshold.
type cut struct {
	feature   int
	threshold float64
}

// A candidate is the best cut so far of a node.
type candidate struct {
	cut
	impurity float64 // of both sides, weighted
	left     int     // rows of the left side
	sides    [2]float64
	values   [2]float64 // majority class, or mean
	found    bool
	rows     []int32 // for regression: the node's rows as golearn sorts them by the feature
}

// growSorted is the grower of CART.
func growSorted(ctx context.Context, _ registry.Env, train registry.Data, criterion string,
	depth int) ([]split, error) {
	n, d := train.X.Dims()
	b := &builder{ctx: ctx, y: make([]float64, n), entropy: criterion == "entropy", depth: depth,
		isLeft: make([]bool, n), spare: make([]int32, n)}
	for i, y := range train.Y {
		b.y[i] = target(train.Task, y)
	}
	if train.Task == registry.Regression {
		b.rows = upto(n)
		b.centred, b.squares, b.shuffled = make([]float64, n), make([]float64, n), make([]float64, n)
	} else {
		b.classes = classes(train.Shape())
		b.counts = [2][]int{make([]int, b.classes), make([]int, b.classes)}
	}
	type pair struct {
		value float64
		row   int32
	}
	pairs := make([]pair, n)
	for j := range d {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		column, order := make([]float64, n), make([]int32, n)
		for i := range column {
			column[i] = train.X.At(i, j)
			pairs[i] = pair{column[i], int32(i)}
		}
		slices.SortFunc(pairs, func(p, q pair) int { return cmp.Compare(p.value, q.value) })
		for i, p := range pairs {
			order[i] = p.row
		}
		b.x, b.order = append(b.x, column), append(b.order, order)
	}
	_, err := b.node(0, n, 1)
	return b.splits, err
}

func upto(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// node grows the tree of the rows from lo to hi and returns the index of its root, or 0 for a leaf.
func (b *builder) node(lo, hi, level int) (int, error) {
	if b.depth != NoLimit && level > b.depth {
		return 0, nil
	}
	search := b.searchClasses
	if b.classes == 0 {
		search = b.searchTargets
	}
	best, err := search(lo, hi)
	if err != nil || !best.found {
		return 0, err
	}
	at := len(b.splits)
	b.splits = append(b.splits, split{feature: best.feature, threshold: best.threshold,
		leftValue: []float64{best.values[0]}, rightValue: []float64{best.values[1]}})
	if level == b.depth {
		return at, nil
	}
	b.divide(lo, hi, best)
	b.ancestors = append(b.ancestors, best.cut)
	defer func() { b.ancestors = b.ancestors[:len(b.ancestors)-1] }()
	left, right := 0, 0
	if best.impurity > 0 && best.sides[0] > 0 {
		if left, err = b.node(lo, lo+best.left, level+1); err != nil {
			return 0, err
		}
	}
	if best.impurity > 0 && best.sides[1] > 0 {
		if right, err = b.node(lo+best.left, hi, level+1); err != nil {
			return 0, err
		}
	}
	b.splits[at].left, b.splits[at].right = left, right
	return at, nil
}

// divide moves the rows of a node's left side before those of its right side, and keeps their order.
func (b *builder) divide(lo, hi int, best candidate) {
	if b.rows != nil {
		copy(b.rows[lo:hi], best.rows)
	}
	for _, row := range b.order[best.feature][lo:hi] {
		b.isLeft[row] = b.x[best.feature][row] < best.threshold
	}
	for _, order := range b.order {
		node := order[lo:hi]
		kept, moved := 0, 0
		for _, row := range node {
			if b.isLeft[row] {
				node[kept] = row
				kept++
			} else {
				b.spare[moved] = row
				moved++
			}
		}
		copy(node[kept:], b.spare[:moved])
	}
}

// cuts yields the thresholds of a feature between the values of a node's rows, ascending, each with the number of rows
// below it. The midpoint of two neighbouring numbers can round to the lower number. Rows with this number then go
// right.
func (b *builder) cuts(feature, lo, hi int, yield func(threshold float64, below int)) {
	column, rows := b.x[feature], b.order[feature][lo:hi]
	below := 0
	for i := 1; i < len(rows); i++ {
		a, c := column[rows[i-1]], column[rows[i]]
		if a == c {
			continue
		}
		threshold := (a + c) / 2
		if math.IsInf(threshold, 0) { // golearn panics at such a threshold
			threshold = a/2 + c/2
		}
		for below < len(rows) && column[rows[below]] < threshold {
			below++
		}
		yield(threshold, below)
	}
}

// weighted is the impurity of both sides as golearn rounds it.
func weighted(left float64, nLeft int, right float64, nRight, n int) float64 {
	return left*float64(nLeft)/float64(n) + right*float64(nRight)/float64(n)
}

// searchClasses finds the best split of a node by counting the classes of both sides.
func (b *builder) searchClasses(lo, hi int) (candidate, error) {
	n := hi - lo
	whole := make([]int, b.classes)
	for _, row := range b.order[0][lo:hi] {
		whole[int(b.y[row])]++
	}
	own, _ := b.impurity(whole, n)
	best := candidate{impurity: own}
	for j := range b.x {
		if err := b.ctx.Err(); err != nil {
			return best, err
		}
		rows, moved := b.order[j][lo:hi], 0
		clear(b.counts[0])
		copy(b.counts[1], whole)
		b.cuts(j, lo, hi, func(threshold float64, below int) {
			for ; moved < below; moved++ {
				class := int(b.y[rows[moved]])
				b.counts[0][class]++
				b.counts[1][class]--
			}
			left, leftClass := b.impurity(b.counts[0], below)
			right, rightClass := b.impurity(b.counts[1], n-below)
			if sum := weighted(left, below, right, n-below, n); sum < best.impurity &&
				!slices.Contains(b.ancestors, cut{j, threshold}) {
				best = candidate{cut: cut{j, threshold}, impurity: sum, left: below, sides: [2]float64{left, right},
					values: [2]float64{float64(leftClass), float64(rightClass)}, found: true}
			}
		})
	}
	return best, nil
}

// impurity returns the criterion of n rows with these counts, and the first of the most frequent classes. For no rows
// both are 0.
func (b *builder) impurity(counts []int, n int) (sum float64, mode int) {
	if n == 0 {
		return 0, 0
	}
	for class, count := range counts {
		if count > counts[mode] {
			mode = class
		}
		p := float64(count) / float64(n)
		switch {
		case !b.entropy:
			sum += float64(p * (1 - p))
		case count > 0:
			sum -= float64(p * vmath.Log2Scalar(p))
		}
	}
	return sum, mode
}

// searchTargets finds the best split of a node for the mean squared error. A first scan bounds the least error by
// running sums of the targets minus their mean. A second scan sums as golearn does, for those splits whose first result
// is within rounding of the least error. The rounding error of a sum of n terms in any order is at most n u times the
// sum of their absolute values, with u = 2^-53. So 16 n u times the mean square of the targets bounds the rounding
// errors of the sums, the means and the squares together.
func (b *builder) searchTargets(lo, hi int) (candidate, error) {
	n := hi - lo
	targets := make([]float64, n)
	size := 0.0
	for i, row := range b.rows[lo:hi] {
		targets[i] = b.y[row]
		size += float64(targets[i]*targets[i]) / float64(n)
	}
	own, centre := meanSquare(targets)
	margin := 16 * float64(n) * 0x1p-53 * size
	least, leastOf := math.Inf(1), make([]float64, len(b.x))
	for j := range b.x {
		if err := b.ctx.Err(); err != nil {
			return candidate{}, err
		}
		leastOf[j] = math.Inf(1)
		b.scan(j, lo, hi, centre, func(_ float64, _ int, loss float64) { leastOf[j] = min(leastOf[j], loss) })
		least = min(least, leastOf[j])
	}
	best := candidate{impurity: own}
	for j := range b.x {
		if !(leastOf[j] <= least+2*margin) {
			continue
		}
		if err := b.ctx.Err(); err != nil {
			return candidate{}, err
		}
		rows := b.golearnsOrder(j, lo, hi)
		sorted := b.shuffled[:n]
		for i, row := range rows {
			sorted[i] = b.y[row]
		}
		b.scan(j, lo, hi, centre, func(threshold float64, below int, loss float64) {
			if !(loss <= least+2*margin) {
				return
			}
			left, leftMean := meanSquare(sorted[:below])
			right, rightMean := meanSquare(sorted[below:])
			if sum := weighted(left, below, right, n-below, n); sum < best.impurity {
				best = candidate{cut: cut{j, threshold}, impurity: sum, left: below, sides: [2]float64{left, right},
					values: [2]float64{leftMean, rightMean}, found: true, rows: rows}
			}
		})
	}
	return best, nil
}

// scan yields the cuts of a feature that leave rows on both sides, each with the mean squared error by running sums.
func (b *builder) scan(feature, lo, hi int, centre float64, yield func(threshold float64, below int, loss float64)) {
	rows, n := b.order[feature][lo:hi], hi-lo
	sum, square := 0.0, 0.0
	for i, row := range rows {
		v := b.y[row] - centre
		sum += v
		square += float64(v * v)
		b.centred[i], b.squares[i] = sum, square
	}
	b.cuts(feature, lo, hi, func(threshold float64, below int) {
		if below == 0 || below == n {
			return // one side is empty: its mean in golearn is NaN, so that the split never wins
		}
		s, q := b.centred[below-1], b.squares[below-1]
		left := q - float64(s*s)/float64(below)
		right := square - q - float64((sum-s)*(sum-s))/float64(n-below)
		yield(threshold, below, (left+right)/float64(n))
	})
}

// golearnsOrder returns a node's rows sorted by a feature as golearn sorts them. golearn's sort is not stable: the
// order of equal values depends on the order before the sort.
func (b *builder) golearnsOrder(feature, lo, hi int) []int32 {
	values := make([]float64, hi-lo)
	for i, row := range b.rows[lo:hi] {
		values[i] = b.x[feature][row]
	}
	s := trees.NewSlice(values)
	sort.Sort(s)
	out := make([]int32, hi-lo)
	for i, at := range s.Idx {
		out[i] = b.rows[lo+at]
	}
	return out
}

// meanSquare returns the mean square of y minus its mean, and the mean. It sums in the order of y.
func meanSquare(y []float64) (square, mean float64) {
	for _, v := range y {
		mean += v
	}
	mean /= float64(len(y))
	for _, v := range y {
		square += float64((v - mean) * (v - mean))
	}
	return square / float64(len(y)), mean
}
