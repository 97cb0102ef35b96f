package fourier

import (
	"fmt"
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// The kernels of the paper's Table 1 for one input. The kernel of several inputs is the product of theirs. d is the
// difference of two mapped inputs.
const (
	gaussian     = "gaussian"     // exp(-(sigma d)^2/2); the mapped input is x itself
	chi2         = "chi2"         // skewed chi-square: sech(sigma d); the mapped input is log(x+c)
	intersection = "intersection" // skewed intersection: exp(-|sigma d|); the mapped input is log(x+c)
	expchi2      = "expchi2"      // exp(-sigma^2 chi^2/2), chi^2 = sum (x-y)^2/(x+y); appendChi maps x
)

// A kernel is one of the kernels of Table 1. c is its skew, if the kernel has one.
type kernel struct {
	name string
	c    float64
}

// quantile is the function h of the paper, the quantile function of the kernel's Fourier transform at sigma = 1 (Table
// 1), for 0 < u < 1.
func (k kernel) quantile(u float64) float64 {
	switch k.name {
	case chi2:
		return 2 / math.Pi * vmath.LogScalar(vmath.TanScalar(math.Pi/2*u))
	case intersection:
		return vmath.TanScalar(math.Pi * (u - 0.5))
	}
	return vmath.NormalQuantile(u)
}

// The order of the features of the chi-square kernel (Vedaldi and Zisserman, PAMI 2012, eq. 22), and their L: the
// library of these authors uses the period 2 pi / L at this order.
const (
	chiOrder  = 3
	chiPeriod = 0.551
)

// mapped is the number of inputs that a feature becomes.
func (k kernel) mapped() int {
	if k.name == expchi2 {
		return 2*chiOrder + 1
	}
	return 1
}

// allows reports whether the kernel is defined for a feature.
func (k kernel) allows(x float64) bool {
	switch k.name {
	case gaussian:
		return true
	case expchi2:
		return x >= 0
	}
	return x+k.c > 0
}

// domain says for which features the kernel is defined.
func (k kernel) domain() string {
	if k.name == expchi2 {
		return "of at least 0"
	}
	return fmt.Sprintf("above -skew = %v", -k.c)
}

// appendMapped appends the inputs that feature x becomes.
func (k kernel) appendMapped(dst []float64, x float64) []float64 {
	switch k.name {
	case gaussian:
		return append(dst, x)
	case expchi2:
		return appendChi(dst, x)
	}
	return append(dst, vmath.LogScalar(x+k.c))
}

// appendChi appends sqrt(xL), and for j = 1 .. order sqrt(2xL sech(pi j L)) times the cosine and the sine of j L log x.
// Their inner product for x and y is nearly 2xy/(x+y). All are zero at x = 0, which is their limit.
func appendChi(dst []float64, x float64) []float64 {
	dst = append(dst, math.Sqrt(x*chiPeriod))
	log := 0.0
	if x > 0 {
		log = vmath.LogScalar(x)
	}
	for j := 1.0; j <= chiOrder; j++ {
		size, angle := math.Sqrt(2*x*chiPeriod*sech(math.Pi*j*chiPeriod)), []float64{j * chiPeriod * log}
		s, c := []float64{0}, []float64{0}
		vmath.SinCos(s, c, angle)
		dst = append(dst, size*c[0], size*s[0])
	}
	return dst
}

func sech(x float64) float64 {
	e := vmath.ExpScalar(-math.Abs(x))
	return 2 * e / (1 + float64(e*e))
}
