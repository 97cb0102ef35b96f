package vmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestTanScalarAccuracy compares with quotients of sines and cosines of 150 bits.
func TestTanScalarAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	worst := 0.0
	for range 1000 {
		for _, x := range []float64{math.Pi * (rng.Float64() - 0.5), math.Ldexp(rng.Float64(), -rng.IntN(60)), math.Pi/2 - math.Ldexp(rng.Float64(), -rng.IntN(52)), 1e6 * rng.NormFloat64()} {
			s, c := bigSinCos(x)
			u := ulps(TanScalar(x), new(big.Float).SetPrec(300).Quo(s, c))
			if worst = max(worst, u); u > 4 {
				t.Fatalf("tan(%v) = %v, off by %.3f ulp", x, TanScalar(x), u)
			}
		}
	}
	t.Logf("largest error: %.3f ulp", worst)
}

// TestNormalQuantile compares with package math's erfinv, and turns values around by its erfc.
func TestNormalQuantile(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for range 20000 {
		u := rng.Float64()
		if u == 0 {
			continue
		}
		if got, want := NormalQuantile(u), math.Sqrt2*math.Erfinv(2*u-1); math.Abs(got-want) > 1e-12*math.Abs(want)+1e-15 {
			t.Fatalf("quantile of %v is %v, math has %v", u, got, want)
		}
		small := math.Ldexp(rng.Float64(), -rng.IntN(200))
		if small == 0 {
			continue
		}
		if back := 0.5 * math.Erfc(-NormalQuantile(small)/math.Sqrt2); math.Abs(back/small-1) > 2e-13 {
			t.Fatalf("the quantile of %v is that of %v", small, back)
		}
	}
	if NormalQuantile(0.5) != 0 || NormalQuantile(0.25) != -NormalQuantile(0.75) {
		t.Error("quantiles are not symmetric")
	}
}
