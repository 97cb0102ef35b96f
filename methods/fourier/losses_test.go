package fourier

import (
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// The losses of Table 2 that no method of this program has: the solvers are tested with them, since the oracle files have their values.

// hinge is max(0, 1 - y f): Table 2 misprints it.
type hinge struct{}

func (hinge) value(f, y []float64) float64 {
	s := 0.0
	for i, v := range f {
		s += max(0, 1-float64(y[i]*v))
	}
	return s
}

// derivative is the one from the left of the kink.
func (hinge) derivative(dst, f, y []float64) {
	for i, v := range f {
		if y[i]*v < 1 {
			dst[i] = -y[i]
		} else {
			dst[i] = 0
		}
	}
}

func (hinge) second(dst, _, _ []float64) { clear(dst) }

func (hinge) curvature() float64 { return math.Inf(1) }

func (hinge) conjugate(v, y []float64) float64 {
	s := 0.0
	for i, u := range v {
		p := float64(u * y[i])
		if !(p <= 0 && p >= -1) {
			return math.Inf(1)
		}
		s += p
	}
	return s
}

// logistic is log(1 + exp(-y f)).
type logistic struct{}

func (logistic) value(f, y []float64) float64 {
	s := 0.0
	for i, v := range f {
		s += softplus(-y[i] * v)
	}
	return s
}

func (logistic) derivative(dst, f, y []float64) {
	for i, v := range f {
		dst[i] = y[i] * v
	}
	vmath.Exp(dst, dst)
	for i, e := range dst {
		dst[i] = -y[i] / (1 + e)
	}
}

func (logistic) second(dst, f, _ []float64) {
	for i, v := range f {
		dst[i] = -math.Abs(v)
	}
	vmath.Exp(dst, dst)
	for i, e := range dst {
		dst[i] = e / float64((1+e)*(1+e))
	}
}

func (logistic) curvature() float64 { return 0.25 }

func (logistic) conjugate(v, y []float64) float64 {
	s := 0.0
	for i, u := range v {
		p := float64(-u * y[i])
		if !(p >= 0 && p <= 1) {
			return math.Inf(1)
		}
		s += entropy(p) + entropy(1-p)
	}
	return s
}

// entropy is p log p.
func entropy(p float64) float64 {
	if p == 0 {
		return 0
	}
	return float64(p * vmath.LogScalar(p))
}

// softplus is log(1 + e^x).
func softplus(x float64) float64 {
	return max(x, 0) + vmath.Log1pScalar(vmath.ExpScalar(-math.Abs(x)))
}
