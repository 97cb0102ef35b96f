package gbdt

import "math"

// powers are 2^(i/32).
var powers = [32]float64{
	1, 0x1.059b0d3158574p+0, 0x1.0b5586cf9890fp+0, 0x1.11301d0125b51p+0,
	0x1.172b83c7d517bp+0, 0x1.1d4873168b9aap+0, 0x1.2387a6e756238p+0, 0x1.29e9df51fdee1p+0,
	0x1.306fe0a31b715p+0, 0x1.371a7373aa9cbp+0, 0x1.3dea64c123422p+0, 0x1.44e086061892dp+0,
	0x1.4bfdad5362a27p+0, 0x1.5342b569d4f82p+0, 0x1.5ab07dd485429p+0, 0x1.6247eb03a5585p+0,
	0x1.6a09e667f3bcdp+0, 0x1.71f75e8ec5f74p+0, 0x1.7a11473eb0187p+0, 0x1.82589994cce13p+0,
	0x1.8ace5422aa0dbp+0, 0x1.93737b0cdc5e5p+0, 0x1.9c49182a3f090p+0, 0x1.a5503b23e255dp+0,
	0x1.ae89f995ad3adp+0, 0x1.b7f76f2fb5e47p+0, 0x1.c199bdd85529cp+0, 0x1.cb720dcef9069p+0,
	0x1.d5818dcfba487p+0, 0x1.dfc97337b9b5fp+0, 0x1.ea4afa2a490dap+0, 0x1.f50765b6e4540p+0,
}

// expf returns the bits of glibc's expf for x < 88.7. XGBoost calls glibc's expf. Where two cuts gain nearly the same,
// its last bit decides which tree grows. With 32 x / ln 2 = k + r, |r| <= 1/2, and a cubic for 2^(r/32), in double
// precision,
//
//	exp(x) = 2^(k/32) (1 + c1 r + c2 r^2 + c3 r^3)
//
// with an error below 0.502 units in the last place of single precision. (The constants are those of expf and exp2f in
// ARM's optimized routines, which glibc has used since version 2.27.)
func expf(x float32) float32 {
	if x < -104 {
		return 0
	}
	const (
		perLog = 0x1.71547652b82fep+0 * 32
		c1     = 0x1.62e42ff0c52d6p-1 / 32
		c2     = 0x1.ebfce50fac4f3p-3 / 32 / 32
		c3     = 0x1.c6af84b912394p-5 / 32 / 32 / 32
	)
	k := math.RoundToEven(perLog * float64(x))
	r := math.FMA(perLog, float64(x), -k)
	y := math.FMA(math.FMA(c3, r, c2), r*r, math.FMA(c1, r, 1))
	whole := int64(k)
	return float32(y * math.Float64frombits(math.Float64bits(powers[whole&31])+uint64(whole>>5)<<52))
}
