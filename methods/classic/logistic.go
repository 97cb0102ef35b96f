package classic

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/saved"
	"github.com/kernelboosting/bench/methods/internal/vector"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// Logistic declares logistic regression with an l2 penalty (Cox 1958; Hastie, Tibshirani and Friedman, The Elements of Statistical
// Learning, section 4.4), as a [softmax] of all classes, or for each class against the rest.
func Logistic() registry.Spec {
	return registry.Define(registry.Spec{
		Name: "Logistic", Version: "1", Tasks: registry.Binary | registry.Multiclass,
		Source:  "Cox, Journal of the Royal Statistical Society B 1958",
		Summary: "logistic regression with an l2 penalty",
		Load: func(r io.Reader) (registry.Model, error) {
			return saved.Read(r, "linear", (*linear).check)
		},
		Probability: vmath.Sigmoid,
	}, LogisticParams{C: 1, Multinomial: true}, registry.Grid{
		{Name: "c", Values: registry.Powers(10, -3, 3)},
	}, fitLogistic, registry.Memory(logisticMemory), registry.Cost(logisticCost))
}

// LogisticParams holds the parameters of Logistic.
type LogisticParams struct {
	C           float64 `json:"c" range:"(0,)" means:"weight of the loss of an example against half the squared weights"`
	Multinomial bool    `json:"multinomial" means:"with more than two classes one problem for all, instead of one for each class against the rest"`
}

func logisticMemory(s registry.Shape, _ LogisticParams) int64 {
	n, d, k := int64(s.N), int64(s.D), int64(s.Outputs())
	return 8*(n*(3*k+2)+12*(d+1)*k) + 64<<10
}

// logisticCost counts two products with the rows an iteration, and the exponentials.
func logisticCost(s registry.Shape, p LogisticParams) float64 {
	n, d, k := float64(s.N), float64(s.D), float64(s.Outputs())
	iterations := max(40, min(300, 100*math.Pow(p.C, 0.13)))
	return iterations * n * k * (15 + 0.4*d)
}

// A softmax is, for scores f_k(x) = w_k . x + b_k of K classes, the problem
//
//	min over W, b   (1/n) sum_i ( log sum_k exp(f_k(x_i)) - f_{y_i}(x_i) ) + (1/(2 C n)) sum_k |w_k|^2.
//
// With two classes one function is fitted, for labels -1 and +1:
//
//	min over w, b   (1/n) sum_i log(1 + exp(-y_i f(x_i))) + (1/(2 C n)) |w|^2.
//
// The objective F is convex and, in W, strictly so. It is minimised by Newton's method with conjugate gradients (Nocedal and Wright,
// Numerical Optimization, Algorithm 7.1) from zero, theta being W and then b:
//
//	1  g = gradient at theta; stop if no component exceeds gradientTol
//	2  p: H p = -g by conjugate gradients, until |H p + g| <= min(1/10, sqrt|g|) |g|
//	3  a = 1, halved until F(theta + a p) <= F(theta) + a g.p / 10^4, or a rise is within rounding; theta = theta + a p
//
// With q_ik the share of class k in row i, (H v)_k = (1/n) sum_i q_ik (u_ik - sum_l q_il u_il) x_i + v_k/(C n), u_ik = v_k . x_i.
//
// Stopping rule: line 1, no step in line 3 that lowers the gradient or F, or newtonSteps. If a component of the gradient then
// exceeds gradientSaid, the model is still returned, with a warning that says how large it is.
type softmax struct {
	ctx     context.Context
	x       []float64 // n x d
	n, d    int
	c       float64
	classes []int     // of the rows; nil for two classes
	y       []float64 // -1 or +1; nil for more classes
	k       int       // functions
	f       []float64 // k x n: scores
	share   []float64 // k x n: q, for two classes that of +1
	e       []float64 // k x n: derivatives of the losses by the scores; of products with H, by u
}

const (
	gradientTol  = 1e-12
	gradientSaid = 1e-6
	newtonSteps  = 200
	halvings     = 40
)

func fitLogistic(ctx context.Context, env registry.Env, train registry.Data, p LogisticParams) (registry.Model, error) {
	x, sh := fitting.Rows(train.X), train.Shape()
	m := &linear{D: sh.D, Outputs: sh.Outputs()}
	problem := func(k int) *softmax {
		return &softmax{ctx: ctx, x: x, n: sh.N, d: sh.D, c: p.C, k: k, f: make([]float64, k*sh.N), share: make([]float64, k*sh.N), e: make([]float64, k*sh.N)}
	}
	if train.Task == registry.Multiclass && p.Multinomial {
		s := problem(m.Outputs)
		s.classes = make([]int, sh.N)
		for i, y := range train.Y {
			s.classes[i] = int(y)
		}
		return m, s.into(env, m)
	}
	s := problem(1)
	for _, s.y = range fitting.OneAgainstRest(train) {
		if err := s.into(env, m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// into appends the minimum to a model.
func (s *softmax) into(env registry.Env, m *linear) error {
	size := s.k * (s.d + 1)
	theta, g, trial, gTrial := make([]float64, size), make([]float64, size), make([]float64, size), make([]float64, size)
	f := s.value(theta, g)
	for range newtonSteps {
		if vector.MaxAbs(g) <= gradientTol {
			break
		}
		p, err := s.direction(g)
		if err != nil {
			return err
		}
		slope, fTrial, a := vector.Dot(g, p), 0.0, 1.0
		found := false
		for range halvings {
			if err := s.ctx.Err(); err != nil {
				return err
			}
			vector.AddScaledTo(trial, theta, a, p)
			fTrial = s.value(trial, gTrial)
			enough := fTrial <= f+1e-4*a*slope
			flat := math.Abs(fTrial-f) <= 1e-14*math.Abs(f) && vector.MaxAbs(gTrial) < vector.MaxAbs(g)
			if found = enough || flat; found {
				break
			}
			a /= 2
		}
		if !found {
			break
		}
		theta, trial, g, gTrial, f = trial, theta, gTrial, g, fTrial
	}
	largest := vector.MaxAbs(g)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0) || math.IsNaN(largest):
		return fmt.Errorf("Logistic with C=%v: the objective is %v: features are too large", s.c, f)
	case largest > gradientSaid:
		env.Log.Warn("Logistic ended before its minimum", "c", s.c, "largest component of the gradient", largest)
	}
	m.W, m.B = append(m.W, theta[:s.k*s.d]...), append(m.B, theta[s.k*s.d:]...)
	return nil
}

// direction is line 2: conjugate gradients from zero.
func (s *softmax) direction(g []float64) ([]float64, error) {
	p, r, v, hv := make([]float64, len(g)), make([]float64, len(g)), make([]float64, len(g)), make([]float64, len(g))
	vector.AddScaled(r, -1, g)
	copy(v, r)
	norm := vector.Norm(g)
	square := vector.Dot(r, r)
	for range 2 * len(g) {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		s.curvature(v, hv)
		bend := vector.Dot(v, hv)
		if !(bend > 0) {
			break
		}
		a := square / bend
		vector.AddScaled(p, a, v)
		vector.AddScaled(r, -a, hv)
		next := vector.Dot(r, r)
		if math.Sqrt(next) <= min(0.1, math.Sqrt(norm))*norm {
			break
		}
		vector.AddScaledTo(v, r, next/square, v)
		square = next
	}
	return p, nil
}

// scores sets dst (k x n) to the functions theta of the rows.
func (s *softmax) scores(dst, theta []float64) {
	vmath.MatMulT(dst, theta[:s.k*s.d], s.k, s.d, s.x, s.n)
	for k, shift := range theta[s.k*s.d:] {
		for i := range s.n {
			dst[k*s.n+i] += shift
		}
	}
}

// pull sets dst to (1/n) sum_i e_ik (x_i, 1) + (theta_k, 0)/(C n).
func (s *softmax) pull(dst, theta []float64) {
	w, per := s.k*s.d, 1/(s.c*float64(s.n))
	vmath.MatMul(dst[:w], s.e, s.k, s.n, s.x, s.d)
	for j, v := range theta[:w] {
		dst[j] = math.FMA(per, v, dst[j]/float64(s.n))
	}
	for k := range s.k {
		dst[w+k] = vmath.Sum(s.e[k*s.n:(k+1)*s.n]) / float64(s.n)
	}
}

// value returns the objective and writes its gradient.
func (s *softmax) value(theta, gradient []float64) float64 {
	s.scores(s.f, theta)
	loss := s.losses()
	s.pull(gradient, theta)
	penalty := vector.Dot(theta[:s.k*s.d], theta[:s.k*s.d])
	return loss/float64(s.n) + penalty/(2*s.c*float64(s.n))
}

// curvature writes H v at the theta of the last value.
func (s *softmax) curvature(v, hv []float64) {
	s.scores(s.e, v)
	if s.y != nil {
		for i, q := range s.share {
			s.e[i] *= q * (1 - q)
		}
	} else {
		for i := range s.n {
			mean := 0.0
			for at := i; at < len(s.e); at += s.n {
				mean = math.FMA(s.share[at], s.e[at], mean)
			}
			for at := i; at < len(s.e); at += s.n {
				s.e[at] = s.share[at] * (s.e[at] - mean)
			}
		}
	}
	s.pull(hv, v)
}

// losses writes the classes' shares, and the derivatives of the losses by the scores, and returns the sum of the losses.
func (s *softmax) losses() (loss float64) {
	if s.y != nil {
		for i, f := range s.f {
			s.e[i] = -math.Abs(f)
		}
		vmath.Exp(s.e, s.e)
		for i, u := range s.e {
			loss += vmath.Log1pScalar(u) + max(0, -s.y[i]*s.f[i])
			s.share[i] = u / (1 + u)
			if s.f[i] > 0 {
				s.share[i] = 1 / (1 + u)
			}
			s.e[i] = s.share[i] - (1+s.y[i])/2
		}
		return loss
	}
	top := slices.Clone(s.f[:s.n])
	for k := 1; k < s.k; k++ {
		for i, f := range s.f[k*s.n : (k+1)*s.n] {
			top[i] = max(top[i], f)
		}
	}
	for at, f := range s.f {
		s.share[at] = f - top[at%s.n]
	}
	vmath.Exp(s.share, s.share)
	for i, class := range s.classes {
		sum := 0.0
		for at := i; at < len(s.share); at += s.n {
			sum += s.share[at]
		}
		for at := i; at < len(s.share); at += s.n {
			s.share[at] /= sum
			s.e[at] = s.share[at]
		}
		loss += vmath.LogScalar(sum) + top[i] - s.f[class*s.n+i]
		s.e[class*s.n+i]--
	}
	return loss
}
