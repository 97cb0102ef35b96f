package fourier

import (
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A loss is the loss l(f, y) of the general model (5) (Table 2). Classes have targets -1 and +1.
type loss interface {
	// value returns the sum of the losses of f.
	value(f, y []float64) float64
	// derivative writes dl/df. dst and f do not share memory.
	derivative(dst, f, y []float64)
	// second writes d2l/df2, zero at a kink. f may not be dst.
	second(dst, f, y []float64)
	// curvature is an upper bound of the second derivative, +Inf if there is none.
	curvature() float64
	// conjugate returns the sum of l*(v_i, y_i) = sup over f of v f - l(f, y_i), +Inf outside of its domain.
	conjugate(v, y []float64) float64
}

// square is the loss factor (f-y)^2. The factor is 1/2 in eq. (9) and 1 in Table 2.
type square struct{ factor float64 }

func (l square) value(f, y []float64) float64 {
	s := 0.0
	for i, v := range f {
		s += float64((v - y[i]) * (v - y[i]))
	}
	return l.factor * s
}

func (l square) derivative(dst, f, y []float64) {
	for i, v := range f {
		dst[i] = 2 * l.factor * (v - y[i])
	}
}

func (l square) second(dst, _, _ []float64) {
	for i := range dst {
		dst[i] = 2 * l.factor
	}
}

func (l square) curvature() float64 { return 2 * l.factor }

func (l square) conjugate(v, y []float64) float64 {
	s := 0.0
	for i, u := range v {
		s += float64(u*u)/(4*l.factor) + float64(u*y[i])
	}
	return s
}

// igll is the epsilon-insensitive gamma-logistic loss of eq. (19). With r = f - y and C = cosh(gamma epsilon) its
// closed form is
//
//	l = (1/gamma) log((C + cosh(gamma r)) / (C + 1)),  l' = sinh(gamma r) / (C + cosh(gamma r)).
type igll struct{ epsilon, gamma, c float64 }

func newIGLL(epsilon, gamma float64) igll {
	e := vmath.ExpScalar(gamma * epsilon)
	return igll{epsilon, gamma, (e + 1/e) / 2}
}

func (l igll) value(f, y []float64) float64 {
	s := 0.0
	for i, v := range f {
		s += l.at(v - y[i])
	}
	return s
}

// at is the loss of one r. For small t it uses cosh t - 1 = 2 sinh^2(t/2), and for large t it takes e^t out of cosh t.
func (l igll) at(r float64) float64 {
	t := float64(l.gamma * math.Abs(r))
	if t < 0.5 {
		h := sinhSmall(t / 2)
		return vmath.Log1pScalar(2*float64(h*h)/(l.c+1)) / l.gamma
	}
	e := vmath.ExpScalar(-t)
	return (t + vmath.LogScalar(((1+float64(e*e))/2+float64(l.c*e))/(l.c+1))) / l.gamma
}

// sinhSmall is sinh x for |x| <= 1/4, by its series.
func sinhSmall(x float64) float64 {
	z, p := float64(x*x), 1.0
	for _, next := range [...]float64{110, 72, 42, 20, 6} {
		p = math.FMA(z/next, p, 1)
	}
	return x * p
}

func (l igll) derivative(dst, f, y []float64) {
	for i, v := range f {
		dst[i] = -l.gamma * math.Abs(v-y[i])
	}
	if &dst[0] == &f[0] {
		panic("fourier: the derivative of igll needs f after dst")
	}
	vmath.Exp(dst, dst)
	for i, e := range dst {
		q := float64(e * e)
		dst[i] = math.Copysign((1-q)/(1+q+float64(2*l.c*e)), f[i]-y[i])
	}
}

// second is gamma (1 + C cosh) / (C + cosh)^2.
func (l igll) second(dst, f, y []float64) {
	for i, v := range f {
		dst[i] = -l.gamma * math.Abs(v-y[i])
	}
	vmath.Exp(dst, dst)
	for i, e := range dst {
		q := float64(e * e)
		low := 1 + q + float64(2*l.c*e)
		dst[i] = l.gamma * 2 * e * (float64(2*e) + float64(l.c*(1+q))) / float64(low*low)
	}
}

func (l igll) curvature() float64 {
	if l.c >= 2 {
		q := float64(l.c * l.c)
		return l.gamma * q / (4 * (q - 1))
	}
	return l.gamma / (1 + l.c)
}

func (l igll) conjugate(v, y []float64) float64 {
	s := 0.0
	for i, u := range v {
		if !(math.Abs(u) <= 1) {
			return math.Inf(1)
		}
		a := math.Abs(u) // both terms are even
		var term float64
		if a < 1 {
			root := math.Sqrt(float64(a*a*l.c*l.c) + float64((1-a)*(1+a)))
			r := vmath.LogScalar((float64(a*l.c)+root)/(1-a)) / l.gamma
			term = float64(a*r) - l.at(r)
		} else { // the limit for |r| to infinity
			term = vmath.LogScalar(2*(l.c+1)) / l.gamma
		}
		s += term + float64(u*y[i])
	}
	return s
}
