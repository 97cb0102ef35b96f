package vmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"pgregory.net/rapid"
)

// offLog returns by how many units in the last place got differs from log(num/den). As
// log x - y = log(x e^-y) and that argument is near 1, two terms of its series are exact enough.
func offLog(got float64, num, den *big.Float) float64 {
	float := func() *big.Float { return new(big.Float).SetPrec(600) }
	q := float().Quo(num, den)
	q.Mul(q, bigExp(-got))
	q.Sub(q, big.NewFloat(1))
	h := float().Mul(q, q)
	q.Sub(q, h.Quo(h, big.NewFloat(2)))
	return ulps(got, q.Add(q, float().SetFloat64(got)))
}

func TestLogScalarAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	worst, one := 0.0, big.NewFloat(1)
	for range 4000 {
		for _, x := range []float64{rng.Float64() * 2, 1 + (rng.Float64()-0.5)*1e-3,
			math.Ldexp(1+rng.Float64(), rng.IntN(2000)-1000),
			math.Float64frombits(rng.Uint64N(1 << 52)), math.Sqrt2 * (1 + 1e-10*rng.NormFloat64())} {
			u := offLog(LogScalar(x), new(big.Float).SetPrec(400).SetFloat64(x), one)
			if worst = max(worst, u); u > 1 {
				t.Fatalf("log(%v) = %v, off by %.3f ulp", x, LogScalar(x), u)
			}
		}
	}
	t.Logf("largest error: %.3f ulp", worst)
}

func TestLog1pScalarAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	worst, one := 0.0, big.NewFloat(1)
	for range 4000 {
		for _, x := range []float64{rng.Float64(), math.Ldexp(rng.Float64(), -rng.IntN(300)),
			math.Ldexp(1+rng.Float64(), rng.IntN(1000))} {
			p := new(big.Float).SetPrec(1500).SetFloat64(x)
			u := offLog(Log1pScalar(x), p.Add(p, one), one)
			if worst = max(worst, u); u > 2 {
				t.Fatalf("log1p(%v) = %v, off by %.3f ulp", x, Log1pScalar(x), u)
			}
		}
	}
	t.Logf("largest error: %.3f ulp", worst)
}

// TestLogScalarIsTheUsualOne: stored results were made with math.Log, whose code for amd64 fuses nothing and so gives
// the bits of the formula unfused. There it is wrong for subnormal numbers.
func TestLogScalarIsTheUsualOne(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("math.Log has these bits on amd64 alone")
	}
	rapid.Check(t, func(t *rapid.T) {
		x := math.Abs(rapid.Float64().Draw(t, "x"))
		if x < 0x1p-1022 && x > 0 {
			return
		}
		if got, want := LogScalar(x), math.Log(x); got != want {
			t.Fatalf("log(%v) = %v, math.Log gives %v", x, got, want)
		}
	})
	rng := rand.New(rand.NewPCG(3, 3))
	for range 1 << 20 {
		x := math.Exp(rng.NormFloat64())
		if got, want := LogScalar(x), math.Log(x); got != want {
			t.Fatalf("log(%v) = %v, math.Log gives %v", x, got, want)
		}
	}
}

func TestLog2Scalar(t *testing.T) {
	for k := -1074; k < 1024; k++ {
		must.Be(t, Log2Scalar(math.Ldexp(1, k)), float64(k), k)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(0x1p-1022, math.MaxFloat64).Draw(t, "x")
		if got, want := Log2Scalar(x), math.Log2(x); math.Abs(got-want) > 0x1p-50*max(1, math.Abs(want)) {
			t.Fatalf("log2(%v) = %v, want %v", x, got, want)
		}
	})
}

// TestScalarSpecialValues follows the special cases of the math package.
func TestScalarSpecialValues(t *testing.T) {
	for _, f := range []struct {
		name      string
		got, want func(float64) float64
		atLeast   float64
	}{{"exp", ExpScalar, math.Exp, math.Inf(-1)}, {"log", LogScalar, math.Log, math.Inf(-1)},
		{"log1p", Log1pScalar, math.Log1p, 0}, {"log2", Log2Scalar, math.Log2, math.Inf(-1)}} {
		for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(),
			math.MaxFloat64, 1e-300, 710, -750} {
			got, want := f.got(x), f.want(x)
			if x < f.atLeast || got == want || math.IsNaN(got) && math.IsNaN(want) ||
				math.Abs(got-want) <= 0x1p-51*math.Abs(want) {
				continue
			}
			t.Errorf("%s(%v) = %v, want %v", f.name, x, got, want)
		}
	}
}

func TestExpScalarHasTheBitsOfExp(t *testing.T) {
	x := normals(1000, 200)
	y := make([]float64, len(x))
	Exp(y, x)
	for i, v := range x {
		if got := ExpScalar(v); got != y[i] {
			t.Fatalf("exp(%v) = %v alone, %v in an array", v, got, y[i])
		}
	}
}

func TestSoftmax(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-800, 800), 1, 40).Draw(t, "x")
		p := make([]float64, len(x))
		Softmax(p, x)
		total := new(big.Float).SetPrec(2000)
		for _, v := range x {
			total.Add(total, bigExp(v))
		}
		for i, v := range x {
			want, _ := new(big.Float).Quo(bigExp(v), total).Float64()
			if math.Abs(p[i]-want) > 1e-12*want+0x1p-1022 {
				t.Fatalf("element %d of %v is %v, want %v", i, x, p[i], want)
			}
		}
		Softmax(x, x)
		for i, v := range x {
			if v != p[i] {
				t.Fatalf("in place, element %d is %v, not %v", i, v, p[i])
			}
		}
	})
	for _, x := range [][]float64{{1, math.NaN(), 2}, {math.Inf(1), 1}, {math.Inf(-1), math.Inf(-1)}} {
		Softmax(x, x)
		for _, v := range x {
			if !math.IsNaN(v) {
				t.Errorf("a softmax that does not exist is %v", x)
			}
		}
	}
	Softmax(nil, nil)
}

// TestTanScalarAccuracy compares with quotients of sines and cosines of 150 bits.
func TestTanScalarAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	worst := 0.0
	for range 1000 {
		for _, x := range []float64{math.Pi * (rng.Float64() - 0.5), math.Ldexp(rng.Float64(), -rng.IntN(60)),
			math.Pi/2 - math.Ldexp(rng.Float64(), -rng.IntN(52)), 1e6 * rng.NormFloat64()} {
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
		if got, want := NormalQuantile(u),
			math.Sqrt2*math.Erfinv(2*u-1); math.Abs(got-want) > 1e-12*math.Abs(want)+1e-15 {
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
	must.Be(t, NormalQuantile(0.5), 0)
	must.Be(t, NormalQuantile(0.25), -NormalQuantile(0.75))
}
