package gbdt

import "math"

// A Tree is one tree of a model. Its arrays have LightGBM's names and numbers. Inner node k is the k-th split. A child
// c >= 0 is the inner node c, and a child c < 0 is the leaf ^c. A row goes left if its feature is at most the
// threshold. If the node has MissingNaN, DefaultLeft gives the side of a missing value. Otherwise a missing value
// counts as 0.
type Tree struct {
	Feature     []int32
	Threshold   []float64
	DefaultLeft []bool
	MissingNaN  []bool
	Left, Right []int32
	Gain        []float32
	NodeValue   []float64 // the value that the node would have as a leaf
	NodeWeight  []float64 // sum of hessians
	NodeCount   []int32
	LeafValue   []float64
	LeafWeight  []float64
	LeafCount   []int32
	Shrinkage   float64

	nodes []walkNode // the inner nodes in the form in which rows walk them
}

// A walkNode holds the fields of an inner node that prediction needs, side by side in memory.
type walkNode struct {
	threshold float64
	feature   int32
	child     [2]int32 // not above, above
	nan       bool
	defaults  bool
}

// seal prepares the tree for prediction.
func (t *Tree) seal() {
	t.nodes = make([]walkNode, len(t.Feature))
	for k := range t.nodes {
		t.nodes[k] = walkNode{t.Threshold[k], t.Feature[k], [2]int32{t.Left[k], t.Right[k]}, t.MissingNaN[k],
			t.DefaultLeft[k]}
	}
}

// finite reports whether every leaf's value is a number within single precision.
func (t *Tree) finite() bool {
	for _, v := range t.LeafValue {
		if !(math.Abs(v) <= math.MaxFloat32) {
			return false
		}
	}
	return true
}

// Leaf returns the index of the row's leaf.
func (t *Tree) Leaf(row []float64) int {
	if len(t.nodes) == 0 {
		return 0
	}
	at := int32(0)
	for at >= 0 {
		n := &t.nodes[at]
		v := row[n.feature]
		if v != v {
			if n.nan {
				if at = n.child[1]; n.defaults {
					at = n.child[0]
				}
				continue
			}
			v = 0
		}
		side := 0
		if v > n.threshold {
			side = 1
		}
		at = n.child[side]
	}
	return int(^at)
}

// Leaves returns the number of leaves.
func (t *Tree) Leaves() int { return len(t.LeafValue) }

// constantTree is a tree of one leaf.
func constantTree(value float64, rows int) *Tree {
	return &Tree{LeafValue: []float64{value}, LeafWeight: []float64{0}, LeafCount: []int32{int32(rows)}, Shrinkage: 1}
}

func flush(v float64) float64 {
	if math.Abs(v) <= zeroBand {
		return 0
	}
	return v
}

// shrink multiplies all values by the learning rate.
func (t *Tree) shrink(rate float64) {
	for _, values := range [2][]float64{t.LeafValue, t.NodeValue} {
		for i, v := range values {
			values[i] = flush(v * rate)
		}
	}
	t.Shrinkage *= rate
}

// shift adds v to all values.
func (t *Tree) shift(v float64) {
	for _, values := range [2][]float64{t.LeafValue, t.NodeValue} {
		for i := range values {
			values[i] = flush(values[i] + v)
		}
	}
	t.Shrinkage = 1
}

// split replaces leaf by an inner node and returns the index of the new, right leaf.
func (t *Tree) split(parents []int32, leaf int) ([]int32, int) {
	k, right := int32(len(t.Feature)), len(t.LeafValue)
	if p := parents[leaf]; p >= 0 {
		if t.Left[p] == ^int32(leaf) {
			t.Left[p] = k
		} else {
			t.Right[p] = k
		}
	}
	t.Left, t.Right = append(t.Left, ^int32(leaf)), append(t.Right, ^int32(right))
	t.NodeValue = append(t.NodeValue, t.LeafValue[leaf])
	t.LeafValue, t.LeafWeight, t.LeafCount = append(t.LeafValue, 0), append(t.LeafWeight, 0), append(t.LeafCount, 0)
	parents[leaf] = k
	return append(parents, k), right
}
