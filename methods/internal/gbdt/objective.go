package gbdt

import (
	"fmt"
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// A gradients is the loss of LightGBM for a task, with f the score of a row: log(1 + exp(-y f)) for two classes, the
// multinomial log loss of the softmax for more classes, and (y - f)^2 / 2 for regression. It writes the pairs
// (gradient, hessian) at scores, both [output][row], in single precision as LightGBM keeps them.
type gradients struct {
	task    registry.Task
	y       []float64
	classes int
	scratch []float64
}

func newGradients(train registry.Data) *gradients {
	return &gradients{task: train.Task, y: train.Y, classes: train.Classes,
		scratch: make([]float64, max(len(train.Y), train.Classes))}
}

func outputs(train registry.Data) int {
	return registry.Shape{Task: train.Task, Classes: train.Classes}.Outputs()
}

// largestTarget bounds targets of regression, so that gains, which are sums of squares, do not overflow in single
// precision.
const largestTarget = 1e15

func checkTargets(train registry.Data) error {
	for i, v := range train.Y {
		if train.Task == registry.Regression && math.Abs(v) > largestTarget {
			return fmt.Errorf("gbdt: the target %v of row %d is larger than %g", v, i, largestTarget)
		}
	}
	return nil
}

// start returns the score of output k that boosting starts from, and whether there
// is anything to learn.
func (g *gradients) start(k int) (float64, bool) {
	n := float64(len(g.y))
	switch g.task {
	case registry.Binary:
		positive := 0.0
		for _, y := range g.y {
			if y > 0 {
				positive++
			}
		}
		p := max(min(positive/n, 1-epsilon), epsilon)
		return vmath.LogScalar(p / (1 - p)), positive > 0 && positive < n
	case registry.Multiclass:
		count := 0.0
		for _, y := range g.y {
			if int(y) == k {
				count++
			}
		}
		p := count / n
		return vmath.LogScalar(max(epsilon, p)), p > epsilon && p < 1-epsilon
	default:
		sum := 0.0
		for _, y := range g.y {
			sum += float64(float32(y))
		}
		return sum / n, true
	}
}

func (g *gradients) at(scores [][]float64, pairs [][]float32) {
	switch g.task {
	case registry.Binary:
		g.logistic(scores[0], pairs[0])
	case registry.Multiclass:
		g.softmax(scores, pairs)
	default:
		for i, y := range g.y {
			pairs[0][2*i], pairs[0][2*i+1] = float32(scores[0][i]-float64(float32(y))), 1
		}
	}
}

func (g *gradients) logistic(scores []float64, pairs []float32) {
	e := g.scratch
	for i, y := range g.y {
		e[i] = y * scores[i]
	}
	vmath.Exp(e, e)
	for i, y := range g.y {
		response := -y / (1 + e[i])
		size := math.Abs(response)
		pairs[2*i], pairs[2*i+1] = float32(response), float32(size*(1-size))
	}
}

func (g *gradients) softmax(scores [][]float64, pairs [][]float32) {
	k := g.classes
	factor := float64(k) / float64(k-1)
	p := g.scratch[:k]
	for i, y := range g.y {
		top := scores[0][i]
		for _, s := range scores[1:] {
			top = max(top, s[i])
		}
		for c := range p {
			p[c] = scores[c][i] - top
		}
		vmath.Exp(p, p)
		sum := 0.0
		for _, v := range p {
			sum += v
		}
		for c, v := range p {
			v /= sum
			first := v
			if c == int(y) {
				first = v - 1
			}
			pairs[c][2*i], pairs[c][2*i+1] = float32(first), float32(factor*v*(1-v))
		}
	}
}
