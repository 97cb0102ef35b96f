package gbdt

import (
	"math"

	"github.com/kernelboosting/bench/registry"
)

// LeafwiseParams are the parameters of LightGBM that are offered. Its n_estimators is rounds here, and its reg_lambda
// lambda. MaxDepth is no limit if it is not positive.
type LeafwiseParams struct {
	Rounds       int     `json:"rounds" range:"[1,1e6]" means:"boosting rounds, each of which adds a learner"`
	LearningRate float64 `json:"learning_rate" range:"(0,1e6]" means:"factor of each tree in the sum"`
	NumLeaves    int     `json:"num_leaves" range:"[2,131072]" means:"leaves of a tree at most"`
	MaxDepth     int     `json:"max_depth" means:"splits from the root to a leaf at most; no limit if not positive"`
	MinData      int     `json:"min_child_samples" range:"[1,2147483647]" means:"rows of a leaf at least"`
	MinHessian   float64 `json:"min_child_weight" range:"[0,)" means:"sum of a leaf's second derivatives at least"`
	L2           float64 `json:"lambda" range:"[0,1e100]" means:"penalty on the squared values of leaves"`
}

// leafLimit is NumLeaves, or less where MaxDepth allows no more.
func (p LeafwiseParams) leafLimit() int {
	if p.MaxDepth > 0 && p.MaxDepth < 17 {
		return min(p.NumLeaves, 1<<p.MaxDepth)
	}
	return p.NumLeaves
}

// A booster boosts trees grown leaf by leaf on histograms, as LightGBM does with its
// default parameters: gradients and hessians of the loss at the current scores in
// single precision, one tree an output and round, values -G/(H+L2) times the learning
// rate. The starting score is the loss's best constant and is added to the first
// trees. Boosting stops early, with fewer trees, when no leaf can be split.
type booster struct {
	ds     *Dataset
	p      LeafwiseParams
	grad   *gradients
	grower *grower
	model  *Model
	scores [][]float64
	pairs  [][]float32
	start  []float64
	learn  []bool
	rounds int
	ended  bool
}

func newBooster(ds *Dataset, train registry.Data, p LeafwiseParams) *booster {
	grad, k := newGradients(train), outputs(train)
	b := &booster{ds: ds, p: p, grad: grad, grower: newGrower(ds, p),
		model: &Model{Task: train.Task, Outputs: k, Features: ds.features, infos: ds.infos}}
	for c := range k {
		start, learn := grad.start(c)
		if math.Abs(start) <= epsilon {
			start = 0
		}
		scores := make([]float64, ds.rows)
		for i := range scores {
			scores[i] = start
		}
		b.start, b.learn = append(b.start, start), append(b.learn, learn && len(ds.mappers) > 0)
		b.scores, b.pairs = append(b.scores, scores), append(b.pairs, make([]float32, 2*ds.rows))
	}
	return b
}

func (b *booster) more() bool { return b.rounds < b.p.Rounds && !b.ended }

func (b *booster) round() {
	b.grad.at(b.scores, b.pairs)
	first, split := b.rounds == 0, false
	trees := make([]*Tree, b.model.Outputs)
	for k := range trees {
		var t *Tree
		if b.learn[k] {
			t = b.grower.grow(b.pairs[k])
		}
		switch {
		case t != nil && t.Leaves() > 1:
			split = true
			t.shrink(b.p.LearningRate)
			b.addScores(t, b.scores[k])
			if first && b.start[k] != 0 {
				t.shift(b.start[k])
			}
		case first:
			t = constantTree(b.start[k], b.ds.rows)
		default:
			t = constantTree(0, b.ds.rows)
		}
		t.seal()
		trees[k] = t
	}
	if split || first {
		b.model.Trees = append(b.model.Trees, trees...)
	}
	b.ended = !split
	b.rounds++
}

func (b *booster) addScores(t *Tree, scores []float64) {
	for l := range b.grower.leaves {
		n, v := &b.grower.leaves[l], t.LeafValue[l]
		for _, i := range b.grower.index[n.from:][:n.rows] {
			scores[i] += v
		}
	}
}
