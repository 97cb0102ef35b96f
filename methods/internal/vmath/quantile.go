package vmath

import "math"

// TanScalar returns the tangent of x. The error is below 4 units in the last place for every finite argument.
func TanScalar(x float64) float64 {
	s, c := sinCosRef(x)
	return s / c
}

// NormalQuantile returns the u-quantile of the standard normal distribution, sqrt(2) erfinv(2u-1), for 0 < u < 1. The
// algorithm is PPND16 of Wichura's AS 241 (Applied Statistics 37, 1988), whose relative error is about 1e-16.
func NormalQuantile(u float64) float64 {
	q := u - 0.5
	if math.Abs(q) <= 0.425 {
		r := 0.180625 - float64(q*q)
		return q * (polynomial(r, &normalNear) / polynomial(r, &normalNearBelow))
	}
	r := u
	if q > 0 {
		r = 1 - u
	}
	r = math.Sqrt(-LogScalar(r))
	if r <= 5 {
		r -= 1.6
		r = polynomial(r, &normalTail) / polynomial(r, &normalTailBelow)
	} else {
		r -= 5
		r = polynomial(r, &normalFar) / polynomial(r, &normalFarBelow)
	}
	return math.Copysign(r, q)
}

// polynomial is sum_k c_k x^k by Horner's rule, fused.
func polynomial(x float64, c *[8]float64) float64 {
	p := c[7]
	for k := 6; k >= 0; k-- {
		p = math.FMA(p, x, c[k])
	}
	return p
}

// The coefficients of AS 241, lowest degree first.
var (
	normalNear = [8]float64{3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
		1.3731693765509461125e+4,
		4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3}
	normalNearBelow = [8]float64{1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
		2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3}
	normalTail = [8]float64{1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
		3.64784832476320460504e0,
		1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4}
	normalTailBelow = [8]float64{1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
		1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}
	normalFar = [8]float64{6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
		2.96560571828504891230e-1,
		2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7}
	normalFarBelow = [8]float64{1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
		7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}
)
