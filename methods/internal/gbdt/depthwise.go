package gbdt

import (
	"context"
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// DepthwiseParams are the parameters of XGBoost that are offered. Its n_estimators is rounds here, and its reg_lambda
// lambda.
type DepthwiseParams struct {
	Rounds       int     `json:"rounds" range:"[1,1e6]" means:"boosting rounds, each of which adds a learner"`
	LearningRate float64 `json:"learning_rate" range:"(0,1e6]" means:"factor of each tree in the sum"`
	MaxDepth     int     `json:"max_depth" range:"[1,30]" means:"splits from the root to a leaf at most"`
	MinHessian   float64 `json:"min_child_weight" range:"(0,1e30]" means:"sum of a leaf's second derivatives at least"`
	L2           float64 `json:"lambda" range:"[0,1e30]" means:"penalty on the squared values of leaves"`
}

// leastGain is the gain below which XGBoost does not split (kRtEps).
const leastGain = float32(1e-6)

// Depthwise boosts trees grown level by level on exact splits (Chen and Guestrin
// 2016, Algorithm 1), as XGBoost does with tree_method exact.
//
// With G and H the sums of gradients and hessians of a node, its value is
// -G/(H+L2), a split gains G_l^2/(H_l+L2) + G_r^2/(H_r+L2) - G^2/(H+L2), and both
// sides need H >= MinHessian. A level is split wherever the best gain exceeds 1e-6,
// down to MaxDepth. Values, gains, gradients and scores are in single precision,
// sums in double; [Model.AddSingle] scores. Of equal gains the smaller feature wins, and within a feature the larger
// threshold. The starting score is the loss's best constant.
func Depthwise(ctx context.Context, s *Sorted, train registry.Data, p DepthwiseParams) (*Model, error) {
	if err := checkTargets(train); err != nil {
		return nil, err
	}
	k := outputs(train)
	loss := &singleGradients{train: train, shares: make([]float32, k)}
	g := newLevelGrower(s, p)
	m := &Model{Task: train.Task, Outputs: k, Features: s.features, infos: s.infos()}
	start := loss.start()
	scores, pairs := make([][]float32, k), make([][]float32, k)
	for c := range k {
		scores[c], pairs[c] = make([]float32, s.rows), make([]float32, 2*s.rows)
		for i := range scores[c] {
			scores[c][i] = start[c]
		}
	}
	for r := range p.Rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		loss.at(scores, pairs)
		for c := range k {
			t := g.grow(pairs[c], scores[c])
			if !t.finite() {
				return nil, fmt.Errorf("gbdt: a leaf of round %d is not finite: learning_rate %v or the targets are "+
					"too large", r+1, p.LearningRate)
			}
			if r == 0 {
				t.shift(float64(start[c]))
			}
			t.seal()
			m.Trees = append(m.Trees, t)
		}
	}
	return m, nil
}

func (s *Sorted) infos() []string {
	out := make([]string, s.features)
	for _, c := range s.columns { // of the two columns of a feature, the second is not mirrored
		known := c.values
		if known[0] != known[0] {
			known = known[1:]
		}
		out[c.feature] = "none"
		if len(known) > 0 {
			out[c.feature] = "[" + number(float64(known[0])) + ":" + number(float64(known[len(known)-1])) + "]"
		}
	}
	return out
}

// singleGradients are the losses in single precision.
type singleGradients struct {
	train  registry.Data
	shares []float32 // of the classes
}

// start returns the starting score of each output: for two classes the log odds of the mean label, for more classes the
// centred logarithms of the class shares (each plus 1e-6, as XGBoost has them), and for regression the mean.
func (g *singleGradients) start() []float32 {
	y, n := g.train.Y, float64(len(g.train.Y))
	switch g.train.Task {
	case registry.Binary:
		positive := 0.0
		for _, v := range y {
			if v > 0 {
				positive++
			}
		}
		p := max(min(float32(positive/n), 1-leastGain), leastGain)
		return []float32{float32(-vmath.LogScalar(float64(1/p - 1)))}
	case registry.Multiclass:
		out, mean := make([]float32, g.train.Classes), float32(0)
		for _, v := range y {
			out[int(v)]++
		}
		for c := range out {
			out[c] = float32(vmath.LogScalar(float64(float32(float64(out[c])/n) + leastGain)))
			mean += out[c] / float32(len(out))
		}
		for c := range out {
			out[c] -= mean
		}
		return out
	default:
		sum := 0.0
		for _, v := range y {
			sum += float64(float32(v))
		}
		return []float32{float32(sum / n)}
	}
}

const (
	sigmoidBound = 88.7  // of the exponent, so that it does not overflow
	leastHessian = 1e-16 // of a row
)

func (g *singleGradients) at(scores, pairs [][]float32) {
	switch g.train.Task {
	case registry.Binary:
		out := pairs[0]
		for i, y := range g.train.Y {
			p := 1 / (expf(min(-scores[0][i], sigmoidBound)) + 1)
			label := float32(0)
			if y > 0 {
				label = 1
			}
			out[2*i], out[2*i+1] = p-label, max(p*(1-p), leastHessian)
		}
	case registry.Multiclass:
		g.softmax(scores, pairs)
	default:
		for i, y := range g.train.Y {
			pairs[0][2*i], pairs[0][2*i+1] = scores[0][i]-float32(y), 1
		}
	}
}

func (g *singleGradients) softmax(scores, pairs [][]float32) {
	for i, y := range g.train.Y {
		top := float32(0x1p-126) // XGBoost's maximum starts at this number and not at the first score
		for _, s := range scores {
			top = max(top, s[i])
		}
		sum := 0.0
		for c, s := range scores {
			g.shares[c] = expf(s[i] - top)
			sum += float64(g.shares[c])
		}
		for c, e := range g.shares {
			p := e / float32(sum)
			h := max(2*p*(1-p), leastHessian)
			if c == int(y) {
				p--
			}
			pairs[c][2*i], pairs[c][2*i+1] = p, h
		}
	}
}
