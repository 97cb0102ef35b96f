package gbdt

import (
	"fmt"
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// An Objective is a loss with its targets.
type Objective uint8

const (
	// Logistic is log(1 + exp(-y H)), targets -1 and +1.
	Logistic Objective = iota
	// Softmax is the multinomial log loss, targets 0..classes-1.
	Softmax
	// Squared is (y - H)^2 / 2.
	Squared
)

// gradients writes the pairs (gradient, hessian) of the loss at scores, both
// [output][row], in single precision as LightGBM keeps them.
type gradients struct {
	objective Objective
	y         []float64
	classes   int
	scratch   []float64
}

// largestTarget bounds targets of Squared, so that gains, which are sums of squares, do not overflow in single precision.
const largestTarget = 1e15

func newGradients(o Objective, y []float64, classes int) (*gradients, error) {
	for i, v := range y {
		bad := math.IsNaN(v) || math.IsInf(v, 0)
		switch o {
		case Logistic:
			bad = v != -1 && v != 1
		case Softmax:
			bad = bad || v < 0 || v >= float64(classes) || v != math.Trunc(v)
		case Squared:
			bad = bad || math.Abs(v) > largestTarget
		}
		if bad {
			return nil, fmt.Errorf("gbdt: target %v of row %d does not fit the loss", v, i)
		}
	}
	return &gradients{objective: o, y: y, classes: classes, scratch: make([]float64, max(len(y), classes))}, nil
}

func (g *gradients) outputs() int {
	if g.objective == Softmax {
		return g.classes
	}
	return 1
}

// start returns the score of output k that boosting starts from, and whether there
// is anything to learn.
func (g *gradients) start(k int) (float64, bool) {
	n := float64(len(g.y))
	switch g.objective {
	case Logistic:
		positive := 0.0
		for _, y := range g.y {
			if y > 0 {
				positive++
			}
		}
		p := max(min(positive/n, 1-epsilon), epsilon)
		return vmath.LogScalar(p / (1 - p)), positive > 0 && positive < n
	case Softmax:
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
	switch g.objective {
	case Logistic:
		g.logistic(scores[0], pairs[0])
	case Softmax:
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
