package trees

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
)

// A grower grows trees on one sample. Features are ranks: the rank of a value
// counts the distinct values below it.
type grower struct {
	task    registry.Task
	classes int
	least   int // nodes of at most this many rows are leaves
	n       int
	y       []float64 // class index, or target minus the mean of all targets
	targets []float64 // the targets of the data
	mean    float64   // mean of regression targets, else 0
	values  [][]float64
	ranks   []int32 // [feature][row]

	ctx context.Context
	err error // the context's, once a node has seen it

	// The fields of the tree that is growing.
	forest *Forest
	tree   *Tree
	draws  *rng.RandomState
	tried  int     // number of features that a node tries
	weight []int32 // how often a row was drawn

	rows, spare []int32
	order       []int    // the features, shuffled again at each node
	keys, moved []uint64 // rank and row
	sums        []tally  // [rank][class]
	left, right []float64
}

// A tally is the weight of rows and the weighted sum of their targets.
type tally struct{ weight, sum float64 }

const regressionLeaf = 5 // Breiman's node size for regression

func newGrower(ctx context.Context, d registry.Data) (*grower, error) {
	if err := fitting.CheckSizes("RF", d); err != nil {
		return nil, err
	}
	n, p := d.X.Dims()
	if n > math.MaxInt32 {
		return nil, fmt.Errorf("RF: the training set has %d rows: at most %d can be numbered", n, math.MaxInt32)
	}
	g := &grower{ctx: ctx, targets: d.Y, task: d.Task, classes: d.Classes, least: 1, n: n, y: make([]float64, n),
		values: make([][]float64, p), ranks: make([]int32, n*p), weight: make([]int32, n), order: make([]int, p)}
	switch d.Task {
	case registry.Binary:
		g.classes = 2
	case registry.Regression:
		g.classes, g.least = 1, regressionLeaf
		// subtracted from targets: differences of sums of large squares would lose digits
		g.mean = vmath.Sum(d.Y) / float64(n)
	}
	for i, y := range d.Y {
		if g.y[i] = y - g.mean; d.Task == registry.Binary {
			g.y[i] = (y + 1) / 2
		}
	}
	column := make([]float64, n)
	for j := range p {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g.order[j] = j
		for i := range n {
			column[i] = d.X.At(i, j)
		}
		sorted := slices.Clone(column)
		slices.Sort(sorted)
		g.values[j] = slices.Clip(slices.Compact(sorted))
		for i, v := range column {
			r, _ := slices.BinarySearch(g.values[j], v)
			g.ranks[j*n+i] = int32(r)
		}
	}
	g.rows, g.spare, g.keys = make([]int32, n), make([]int32, n), make([]uint64, n)
	g.moved = make([]uint64, n)
	g.sums = make([]tally, n*g.classes)
	g.left, g.right = make([]float64, g.classes), make([]float64, g.classes)
	return g, nil
}

// grow draws a bootstrap sample and grows a tree on it. The error is the context's.
func (g *grower) grow(f *Forest, r *rng.RandomState, tried int) (Tree, error) {
	var t Tree
	g.forest, g.tree, g.draws, g.tried = f, &t, r, tried
	clear(g.weight)
	for range g.n {
		g.weight[r.Intn(g.n)]++
	}
	rows := g.rows[:0]
	for i, w := range g.weight {
		if w > 0 {
			rows = append(rows, int32(i))
		}
	}
	g.node(rows)
	return t, g.err
}

// A cut is the best split of a node: rows of at most the cut's rank go left. The score is the sum over both sides of
// (sum of squared class weights)/weight, or for regression of (sum of targets)^2/weight. A larger score means less
// impurity.
type cut struct {
	score     float64
	feature   int
	rank      int32
	threshold float64
}

// node adds a node for the given rows, and all nodes below it, to the tree, in preorder. Once the context has ended, it
// adds only leaves, since the tree is dropped.
func (g *grower) node(rows []int32) {
	if g.err == nil {
		g.err = g.ctx.Err()
	}
	t, at := g.tree, len(g.tree.Feature)
	value, total, score, pure := g.summarise(rows)
	t.Feature, t.Threshold, t.Right, t.Value = append(t.Feature, -1), append(t.Threshold, 0), append(t.Right, 0),
		append(t.Value, value)
	t.Rows, t.Gain = append(t.Rows, int32(total)), append(t.Gain, 0)
	if pure || total <= float64(g.least) || g.err != nil {
		return
	}
	c := cut{score: math.Inf(-1), feature: -1}
	for i, open := 0, g.tried; i < len(g.order) && open > 0; i++ {
		j := i + g.draws.Intn(len(g.order)-i)
		g.order[i], g.order[j] = g.order[j], g.order[i]
		if g.try(rows, g.order[i], total, &c) {
			open--
		}
	}
	if c.feature < 0 {
		return
	}
	g.forest.Splits[c.feature]++
	t.Gain[at] = c.score - score
	g.forest.Gain[c.feature] += t.Gain[at]
	t.Feature[at], t.Threshold[at] = int32(c.feature), c.threshold
	left := g.partition(rows, &c)
	g.node(rows[:left])
	t.Right[at] = int32(len(t.Feature))
	g.node(rows[left:])
}

func (g *grower) class(row int32) int {
	if g.task == registry.Regression {
		return 0
	}
	return int(g.y[row])
}

// summarise returns a node's value (class or mean), weight and score, and whether all targets of the node are equal.
func (g *grower) summarise(rows []int32) (value, total, score float64, pure bool) {
	clear(g.right)
	sum := 0.0
	pure = true
	for _, i := range rows {
		w := float64(g.weight[i])
		total += w
		sum += float64(w * g.y[i])
		g.right[g.class(i)] += w
		pure = pure && g.y[i] == g.y[rows[0]]
	}
	if g.task == registry.Regression {
		value = g.mean + sum/total
		if pure {
			value = g.targets[rows[0]]
		}
		return value, total, sum * sum / total, pure
	}
	for c, w := range g.right {
		score += w * w / total
		if w > g.right[int(value)] {
			value = float64(c)
		}
	}
	return value, total, score, pure
}

// A sweep moves rows from the right side of a node to the left side, and keeps the sums from which scores are computed.
type sweep struct {
	g                 *grower
	weight, total     float64 // weight of the left side, and of the node
	sum, all          float64 // sum of targets of the left side, and of the node
	squares, squaresR float64 // sums of squared class weights, left and right
}

func (s *sweep) move(class int, t tally) {
	w, l, r := t.weight, s.g.left[class], s.g.right[class]
	s.weight += w
	s.sum += t.sum
	s.squares += w * (2*l + w)
	s.squaresR += w * (w - 2*r)
	s.g.left[class], s.g.right[class] = l+w, r-w
}

func (s *sweep) score() float64 {
	rest := s.total - s.weight
	if s.g.task == registry.Regression {
		return s.sum*s.sum/s.weight + (s.all-s.sum)*(s.all-s.sum)/rest
	}
	return s.squares/s.weight + s.squaresR/rest
}

// try offers all thresholds of a feature to c and reports whether the feature varies
// in the node.
func (g *grower) try(rows []int32, feature int, total float64, c *cut) bool {
	s := sweep{g: g, total: total}
	clear(g.left)
	clear(g.right)
	for _, i := range rows {
		w := float64(g.weight[i])
		g.right[g.class(i)] += w
		s.all += float64(w * g.y[i])
	}
	for _, w := range g.right {
		s.squaresR += w * w
	}
	if len(g.values[feature]) <= 4*len(rows) {
		return g.tryCounted(&s, rows, feature, c)
	}
	return g.trySorted(&s, rows, feature, c)
}

func (g *grower) offer(s *sweep, feature int, rank, next int32, c *cut) {
	if score := s.score(); score > c.score {
		a, b := g.values[feature][rank], g.values[feature][next]
		threshold := (a + b) / 2
		if !(threshold < b) { // the midpoint was rounded up to b
			threshold = a
		}
		*c = cut{score, feature, rank, threshold}
	}
}

// tryCounted sums the rows of each rank, for features with few values.
func (g *grower) tryCounted(s *sweep, rows []int32, feature int, c *cut) bool {
	ranks := g.ranks[feature*g.n : (feature+1)*g.n]
	low, high := int32(math.MaxInt32), int32(-1)
	for _, i := range rows {
		r := ranks[i]
		low, high = min(low, r), max(high, r)
		w := float64(g.weight[i])
		t := &g.sums[int(r)*g.classes+g.class(i)]
		t.weight += w
		t.sum += float64(w * g.y[i])
	}
	last := low
	for r := low; r <= high; r++ {
		of := g.sums[int(r)*g.classes : (int(r)+1)*g.classes]
		met := false
		for class, t := range of {
			if t.weight == 0 {
				continue
			}
			if !met && r > low {
				g.offer(s, feature, last, r, c)
			}
			met = true
			s.move(class, t)
		}
		if met {
			last = r
			clear(of)
		}
	}
	return low < high
}

// trySorted sorts the rows by rank, for features with many values.
func (g *grower) trySorted(s *sweep, rows []int32, feature int, c *cut) bool {
	ranks, keys := g.ranks[feature*g.n:(feature+1)*g.n], g.keys[:len(rows)]
	for k, i := range rows {
		keys[k] = uint64(ranks[i])<<32 | uint64(i)
	}
	keys = g.sortKeys(keys, len(g.values[feature]))
	for k, key := range keys {
		r, i := int32(key>>32), int32(uint32(key))
		if k > 0 && r != int32(keys[k-1]>>32) {
			g.offer(s, feature, int32(keys[k-1]>>32), r, c)
		}
		w := float64(g.weight[i])
		s.move(g.class(i), tally{w, float64(w * g.y[i])})
	}
	return keys[0]>>32 != keys[len(keys)-1]>>32
}

// sortKeys sorts keys by their ranks, which are below distinct. The rows of the keys ascend already, so that many keys
// are sorted byte by byte.
func (g *grower) sortKeys(keys []uint64, distinct int) []uint64 {
	if len(keys) < 128 {
		slices.Sort(keys)
		return keys
	}
	from, to := keys, g.moved[:len(keys)]
	for shift := 32; distinct > 0; shift, distinct = shift+8, distinct>>8 {
		var starts [256]int32
		for _, k := range from {
			starts[uint8(k>>shift)]++
		}
		at := int32(0)
		for b, c := range starts {
			starts[b], at = at, at+c
		}
		for _, k := range from {
			b := uint8(k >> shift)
			to[starts[b]] = k
			starts[b]++
		}
		from, to = to, from
	}
	return from
}

// partition moves the rows that go left to the front and returns their number.
func (g *grower) partition(rows []int32, c *cut) int {
	ranks := g.ranks[c.feature*g.n : (c.feature+1)*g.n]
	left, right := 0, 0
	for _, i := range rows {
		rows[left], g.spare[right] = i, i
		if ranks[i] <= c.rank {
			left++
		} else {
			right++
		}
	}
	copy(rows[left:], g.spare[:right])
	return left
}
