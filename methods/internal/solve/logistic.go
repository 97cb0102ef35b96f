package solve

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

const (
	gradientTol = 1e-12
	newtonSteps = 200
	halvings    = 40
)

// Open is the bound of the gradient's largest component above which a fit logs a warning, since it ended before its
// minimum.
const Open = 1e-6

// A Logistic minimises the logistic loss of linear functions, with an l2 penalty.
//
// For scores f_k(x) = w_k . x + b_k of K classes the problem is
//
//	min over W, b   F = (1/n) sum_i ( log sum_k exp(f_k(x_i)) - f_{y_i}(x_i) ) + lambda sum_k |w_k|^2.
//
// With two classes there is one function, for labels -1 and +1:
//
//	min over w, b   F = (1/n) sum_i log(1 + exp(-y_i f(x_i))) + lambda |w|^2.
//
// F is convex, and strictly convex in W. It is minimised by Newton's method with conjugate gradients (Nocedal and
// Wright, Numerical Optimization, Algorithm 7.1). theta is W and then b, H is the Hessian:
//
//	1  g = gradient at theta; stop if no component exceeds gradientTol
//	2  p: H p = -g by conjugate gradients, until |H p + g| <= min(1/10, sqrt|g|) |g|, where H has no curvature along
//	   a direction, or after two steps for each variable
//	3  a = 1, halved until F(theta + a p) <= F(theta) + a g.p / 10^4, or a rise is within rounding;
//	   theta = theta + a p
//
// With q_ik the probability of class k for row i, and u_ik = v_k . x_i, (H v)_k = (1/n) sum_i q_ik (u_ik - sum_l q_il
// u_il) x_i + 2 lambda v_k.
//
// Stopping rule: line 1, no step in line 3 that lowers the gradient or F, or newtonSteps steps. Solve returns the
// largest component of the gradient.
//
// The value holds the data of F, with workspace. It is not safe for concurrent use.
type Logistic struct {
	X       []float64 // n x d, row-major; a caller may change it between solutions
	N, D, K int       // rows, features, functions
	Classes []int     // of the rows; nil for two classes
	Y       []float64 // labels -1 and +1; nil for more classes
	Lambda  float64

	f     []float64 // k x n: scores
	share []float64 // k x n: q; for two classes the probability of +1
	e     []float64 // k x n: derivatives of the losses by the scores; in curvature, the terms of H v
}

// Solve minimises from theta, K x D weights and then K intercepts, and leaves the minimum there. It returns the largest
// component of the gradient. It is an error if F is not finite, as with features that are too large.
func (s *Logistic) Solve(ctx context.Context, theta []float64) (largest float64, err error) {
	if len(s.f) != s.K*s.N {
		s.f, s.share, s.e = make([]float64, s.K*s.N), make([]float64, s.K*s.N), make([]float64, s.K*s.N)
	}
	g, trial, gTrial := make([]float64, len(theta)), make([]float64, len(theta)), make([]float64, len(theta))
	at := theta // the iterate, in one of two places
	f := s.value(at, g)
	for range newtonSteps {
		if MaxAbs(g) <= gradientTol {
			break
		}
		p, err := s.direction(ctx, g)
		if err != nil {
			return 0, err
		}
		slope, fTrial, found := Dot(g, p), 0.0, false
		for a := range Halvings(halvings) {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			AddScaledTo(trial, at, a, p)
			fTrial = s.value(trial, gTrial)
			flat := math.Abs(fTrial-f) <= 1e-14*math.Abs(f) && MaxAbs(gTrial) < MaxAbs(g)
			if found = fTrial <= f+float64(1e-4*a*slope) || flat; found {
				break
			}
		}
		if !found {
			break
		}
		at, trial, g, gTrial, f = trial, at, gTrial, g, fTrial
	}
	copy(theta, at)
	if largest = MaxAbs(g); math.IsNaN(f) || math.IsInf(f, 0) || math.IsNaN(largest) {
		return largest, fmt.Errorf("the logistic loss is %v: features are too large", f)
	}
	return largest, nil
}

// direction is line 2.
func (s *Logistic) direction(ctx context.Context, g []float64) ([]float64, error) {
	norm := Norm(g)
	y := &step{CG: NewCG(len(g)), enough: min(0.1, math.Sqrt(norm)) * norm}
	AddScaled(y.R, -1, g)
	err := Conjugate(ctx, []*step{y}, func([]*step) error {
		s.curvature(y.P, y.AP)
		return ctx.Err()
	})
	return y.X, err
}

// A step is the system of line 2. Its vectors are short.
type step struct {
	CG
	enough float64
}

// Precondition implements System without a preconditioner.
func (y *step) Precondition(context.Context) (rz float64, err error) {
	return Dot(y.R, y.R), nil
}

// Curvature implements System.
func (y *step) Curvature() float64 { return Dot(y.P, y.AP) }

// Move implements System.
func (y *step) Move(a float64) {
	AddScaled(y.X, a, y.P)
	AddScaled(y.R, -a, y.AP)
}

// Done implements System.
func (y *step) Done() bool { return math.Sqrt(y.RZ) <= y.enough || y.Turn == 2*len(y.X) }

// blockValues is about how many values of X a pass reads, and reads again while they are in the cache.
const blockValues = 1 << 14

// pass sets f (k x n) to the functions theta of the rows. Then derive sets e from f for rows lo .. hi-1. Then dst
// becomes (1/n) sum_i e_ik (x_i, 1) + 2 lambda (theta_k, 0). For one function X is read once, in blocks, with the bits
// of one block.
func (s *Logistic) pass(f, theta, dst []float64, derive func(lo, hi int)) {
	size, w := s.N, s.K*s.D
	if s.K == 1 {
		size = max(64, blockValues/s.D)
	}
	clear(dst[:w])
	for lo := 0; lo < s.N; lo += size {
		h := min(size, s.N-lo)
		x, part := s.X[lo*s.D:(lo+h)*s.D], f[lo*s.K:(lo+h)*s.K]
		vmath.MatMulT(part, theta[:w], s.K, s.D, x, h)
		for k, shift := range theta[w:] {
			for i := range h {
				part[k*h+i] += shift
			}
		}
		derive(lo, lo+h)
		vmath.MatMulAdd(dst, s.D, s.e[lo*s.K:(lo+h)*s.K], h, s.K, h, x, s.D, s.D)
	}
	for j, v := range theta[:w] {
		dst[j] = math.FMA(2*s.Lambda, v, dst[j]/float64(s.N))
	}
	for k := range s.K {
		dst[w+k] = vmath.Sum(s.e[k*s.N:(k+1)*s.N]) / float64(s.N)
	}
}

// value returns the objective and writes its gradient.
func (s *Logistic) value(theta, gradient []float64) float64 {
	loss := 0.0
	s.pass(s.f, theta, gradient, func(lo, hi int) { loss = s.losses(lo, hi, loss) })
	penalty := Dot(theta[:s.K*s.D], theta[:s.K*s.D])
	return loss/float64(s.N) + float64(s.Lambda*penalty)
}

// curvature writes H v at the theta of the last value.
func (s *Logistic) curvature(v, hv []float64) {
	s.pass(s.e, v, hv, func(lo, hi int) {
		if s.Y != nil {
			for i, q := range s.share[lo:hi] {
				s.e[lo+i] *= q * (1 - q)
			}
			return
		}
		for i := range s.N {
			mean := 0.0
			for at := i; at < len(s.e); at += s.N {
				mean = math.FMA(s.share[at], s.e[at], mean)
			}
			for at := i; at < len(s.e); at += s.N {
				s.e[at] = s.share[at] * (s.e[at] - mean)
			}
		}
	})
}

// losses writes, for the rows lo .. hi-1, the probabilities of the classes and the derivatives of the losses by the
// scores. It returns loss and the sum of the losses. For more classes than two it takes all rows.
func (s *Logistic) losses(lo, hi int, loss float64) float64 {
	if s.Y != nil {
		e := s.e[lo:hi]
		for i, f := range s.f[lo:hi] {
			e[i] = -math.Abs(f)
		}
		vmath.Exp(e, e)
		for i, u := range e {
			f, y := s.f[lo+i], s.Y[lo+i]
			loss += vmath.Log1pScalar(u) + max(0, -y*f)
			share := u / (1 + u)
			if f > 0 {
				share = 1 / (1 + u)
			}
			s.share[lo+i] = share
			e[i] = share - (1+y)/2
		}
		return loss
	}
	top := slices.Clone(s.f[:s.N])
	for k := 1; k < s.K; k++ {
		for i, f := range s.f[k*s.N : (k+1)*s.N] {
			top[i] = max(top[i], f)
		}
	}
	for at, f := range s.f {
		s.share[at] = f - top[at%s.N]
	}
	vmath.Exp(s.share, s.share)
	for i, class := range s.Classes {
		sum := 0.0
		for at := i; at < len(s.share); at += s.N {
			sum += s.share[at]
		}
		for at := i; at < len(s.share); at += s.N {
			s.share[at] /= sum
			s.e[at] = s.share[at]
		}
		loss += vmath.LogScalar(sum) + top[i] - s.f[class*s.N+i]
		s.e[class*s.N+i]--
	}
	return loss
}
