package gbdt

import (
	"fmt"
	"math"
)

// LeafwiseParams are the parameters of LightGBM's sklearn interface that are
// offered. Package boosted says which values make sense, and refuses others.
type LeafwiseParams struct {
	Rounds       int     // n_estimators
	LearningRate float64 // learning_rate
	NumLeaves    int     // num_leaves
	MaxDepth     int     // max_depth; 0 and negative numbers are no limit
	MinData      int     // min_child_samples
	MinHessian   float64 // min_child_weight
	L2           float64 // reg_lambda
}

// leafLimit is NumLeaves, or less where MaxDepth allows no more.
func (p LeafwiseParams) leafLimit() int {
	if p.MaxDepth > 0 && p.MaxDepth < 17 {
		return min(p.NumLeaves, 1<<p.MaxDepth)
	}
	return p.NumLeaves
}

// Targets are what a model learns: y[i] for row i, in the objective's form.
type Targets struct {
	Objective Objective
	Y         []float64
	Classes   int // of Softmax
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

func newBooster(ds *Dataset, target Targets, p LeafwiseParams) (*booster, error) {
	if len(target.Y) != ds.rows {
		return nil, fmt.Errorf("gbdt: %d targets for %d rows", len(target.Y), ds.rows)
	}
	grad, err := newGradients(target.Objective, target.Y, target.Classes)
	if err != nil {
		return nil, err
	}
	k := grad.outputs()
	if target.Objective == Softmax && k < 2 {
		return nil, fmt.Errorf("gbdt: %d classes; softmax needs two", k)
	}
	b := &booster{ds: ds, p: p, grad: grad, grower: newGrower(ds, p),
		model: &Model{Objective: target.Objective, Outputs: k, Features: ds.features, infos: ds.infos}}
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
	return b, nil
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
