package kernel

import (
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A loss is sum_i L(y_i, f_i), with the functions that the solver of a [problem] needs.
type loss interface {
	value(f []float64) float64
	// writes the first derivatives to g, and the roots of the second derivatives to s
	slopes(f, g, s []float64)
	gap(f, alpha []float64, c float64) float64 // duality gap of alpha, with f = K alpha + b
	constant() float64                         // the constant f with the least loss
	accuracy() float64                         // relative accuracy of a solution
	forcing() float64                          // relative accuracy of a Newton step
}

// logisticLoss is L = log(1 + exp(-y f)), y = +1 or -1.
type logisticLoss struct{ y []float64 }

// leastWeight is the lower bound of the second derivatives that slopes uses.
const leastWeight = 1e-10

func (l logisticLoss) value(f []float64) float64 {
	sum := 0.0
	for i, v := range f {
		margin := l.y[i] * v
		sum += vmath.Log1pScalar(vmath.ExpScalar(-math.Abs(margin))) + max(0, -margin)
	}
	return sum
}

func (l logisticLoss) slopes(f, g, s []float64) {
	for i, v := range f {
		p := 1 / (1 + vmath.ExpScalar(-v))
		g[i] = p - (1+l.y[i])/2
		s[i] = math.Sqrt(max(p*(1-p), leastWeight))
	}
}

// gap is sum_i log(1 + exp f_i) - p_i f_i + p_i log p_i + (1-p_i) log(1-p_i) with p_i = (1+y_i)/2 - c alpha_i cut to
// [0, 1]. It is the divergence between the probabilities p of the dual and the probabilities 1 / (1 + exp -f) of the
// primal.
func (l logisticLoss) gap(f, alpha []float64, c float64) float64 {
	entropy := func(p float64) float64 {
		if p <= 0 {
			return 0
		}
		return float64(p * vmath.LogScalar(p))
	}
	sum := 0.0
	for i, v := range f {
		p := min(1, max(0, (1+l.y[i])/2-float64(c*alpha[i])))
		sum += vmath.Log1pScalar(vmath.ExpScalar(-math.Abs(v))) + max(0, v) - float64(p*v) + entropy(p) + entropy(1-p)
	}
	return sum
}

func (l logisticLoss) constant() float64 {
	m := vmath.Sum(l.y) / float64(len(l.y))
	return vmath.LogScalar((1 + m) / (1 - m))
}

// enough for labels; where probabilities are saturated, the gap decides
func (l logisticLoss) accuracy() float64 { return 1e-6 }
func (l logisticLoss) forcing() float64  { return 0.1 } // Lin, Weng and Keerthi's value

// squareLoss is L = (y - f)^2 / 2.
type squareLoss struct{ y []float64 }

func (l squareLoss) value(f []float64) float64 {
	sum := 0.0
	for i, v := range f {
		sum += float64((l.y[i] - v) * (l.y[i] - v) / 2)
	}
	return sum
}

func (l squareLoss) slopes(f, g, s []float64) {
	for i, v := range f {
		g[i], s[i] = v-l.y[i], 1
	}
}

// gap is sum_i (f_i - y_i + c alpha_i)^2 / 2.
func (l squareLoss) gap(f, alpha []float64, c float64) float64 {
	sum := 0.0
	for i, v := range f {
		off := v - l.y[i] + float64(c*alpha[i])
		sum += float64(off * off / 2)
	}
	return sum
}

func (l squareLoss) constant() float64 { return vmath.Sum(l.y) / float64(len(l.y)) }

func (l squareLoss) accuracy() float64 { return 1e-11 } // the tests compare coefficients to within 1e-10
func (l squareLoss) forcing() float64  { return 0 }     // the linear model is exact, so that one step is enough
