package vmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigSinCos returns sin and cos of x to about 150 bits: x is reduced by a pi of 1400
// bits, divided by 2^20, expanded in Taylor series, and doubled back.
func bigSinCos(x float64) (s, c *big.Float) {
	const prec = 1400
	n := func(v float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }
	pi := bigPi(prec)
	half := new(big.Float).SetPrec(prec).Quo(pi, n(2))
	q, _ := new(big.Float).SetPrec(prec).Quo(n(x), half).Int(nil)
	r := n(x)
	r.Sub(r, new(big.Float).SetPrec(prec).Mul(new(big.Float).SetPrec(prec).SetInt(q), half))
	r.SetPrec(300)
	r.SetMantExp(r, -20)
	// versine v = 1 - cos and sine by series; 12 terms reach 2^-480 for |r| < 2^-19.
	sin, ver := new(big.Float).SetPrec(300), new(big.Float).SetPrec(300)
	term := new(big.Float).SetPrec(300).Set(r)
	for k := 1; k < 40; k++ {
		if k%2 == 1 {
			sin.Add(sin, term)
		} else {
			ver.Add(ver, term)
		}
		term.Mul(term, r)
		term.Quo(term, n(float64(k+1)))
		if k%2 == 0 {
			term.Neg(term)
		}
	}
	for range 20 { // sin 2a = 2 sin a (1 - v), 1 - cos 2a = 2 sin^2 a
		s2 := new(big.Float).SetPrec(300).Mul(sin, sin)
		cos := new(big.Float).SetPrec(300).Sub(n(1), ver)
		sin.Mul(sin, cos)
		sin.Mul(sin, n(2))
		ver.Mul(s2, n(2))
	}
	cos := new(big.Float).SetPrec(300).Sub(n(1), ver)
	switch new(big.Int).And(q, big.NewInt(3)).Int64() {
	case 0:
		return sin, cos
	case 1:
		return cos, sin.Neg(sin)
	case 2:
		return sin.Neg(sin), cos.Neg(cos)
	}
	return cos.Neg(cos), sin
}

// bigPi returns pi by Machin's formula, 16 atan(1/5) - 4 atan(1/239).
func bigPi(prec uint) *big.Float {
	if cachedPi != nil {
		return cachedPi
	}
	atan := func(inv int64) *big.Float {
		x := new(big.Float).SetPrec(prec).Quo(big.NewFloat(1).SetPrec(prec), new(big.Float).SetPrec(prec).SetInt64(inv))
		z := new(big.Float).SetPrec(prec).Mul(x, x)
		sum := new(big.Float).SetPrec(prec)
		for k := int64(1); x.MantExp(nil) > -int(prec)-10; k += 2 {
			t := new(big.Float).SetPrec(prec).Quo(x, new(big.Float).SetInt64(k))
			if k%4 == 3 {
				t.Neg(t)
			}
			sum.Add(sum, t)
			x.Mul(x, z)
		}
		return sum
	}
	a, b := atan(5), atan(239)
	a.Mul(a, big.NewFloat(16))
	b.Mul(b, big.NewFloat(4))
	cachedPi = a.Sub(a, b)
	return cachedPi
}

var cachedPi *big.Float

// bigExp returns e^x to about 200 bits: Taylor after division by 2^20, squared back.
func bigExp(x float64) *big.Float {
	r := new(big.Float).SetPrec(400).SetFloat64(x)
	r.SetMantExp(r, -20)
	sum := big.NewFloat(1).SetPrec(400)
	term := big.NewFloat(1).SetPrec(400)
	for k := 1; k < 40; k++ {
		term.Mul(term, r)
		term.Quo(term, new(big.Float).SetPrec(400).SetInt64(int64(k)))
		sum.Add(sum, term)
	}
	for range 20 {
		sum.Mul(sum, sum)
	}
	return sum
}

// ulps returns |got - want| in units in the last place of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	ulp := math.Nextafter(math.Abs(w), math.Inf(1)) - math.Abs(w)
	diff := new(big.Float).SetPrec(400).Sub(new(big.Float).SetPrec(400).SetFloat64(got), want)
	d, _ := diff.Quo(diff, new(big.Float).SetFloat64(ulp)).Float64()
	return math.Abs(d)
}

// TestTrigAccuracy compares with 300-bit arithmetic: ordinary arguments, arguments next to
// multiples of pi/2 (where the reduction cancels), and arguments of every exponent.
func TestTrigAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var x []float64
	for range 1500 {
		x = append(x, rng.NormFloat64()*3, rng.NormFloat64()*1e3, (rng.Float64()-0.5)*2*maxNear)
		x = append(x, math.Ldexp(1+rng.Float64(), rng.IntN(1023)), math.Ldexp(1+rng.Float64(), -rng.IntN(60)))
	}
	for range 1500 {
		k := float64(rng.IntN(600_000_000))
		x = append(x, math.FMA(k, math.Pi/2, k*halfPi2), math.Nextafter(k*math.Pi/4, 0))
	}
	// The double below 2^1024 nearest to a multiple of pi/2 (Muller, Elementary
	// Functions, section 11.3.2): its cosine is -4.687165924254624e-19.
	x = append(x, math.Ldexp(6381956970095103, 797))
	s, c := make([]float64, len(x)), make([]float64, len(x))
	SinCos(s, c, x)
	var worst [2]float64
	for i, v := range x {
		ws, wc := bigSinCos(v)
		for j, u := range []float64{ulps(s[i], ws), ulps(c[i], wc)} {
			worst[j] = max(worst[j], u)
			if u > 1.5 {
				t.Fatalf("x=%v (%x): sin %v cos %v, off by %.3f ulp", v, v, s[i], c[i], u)
			}
		}
	}
	if got, want := c[len(c)-1], -4.68716592425462761112e-19; math.Abs(got-want) > 1e-34 {
		t.Errorf("Muller's worst case: got %v, want %v", got, want)
	}
	t.Logf("largest error: sin %.3f ulp, cos %.3f ulp, %d points", worst[0], worst[1], len(x))
}

func TestExpAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	var x []float64
	for range 4000 {
		x = append(x, rng.NormFloat64(), (rng.Float64()-0.5)*1400, math.Ldexp(rng.Float64()-0.5, -rng.IntN(60)))
		x = append(x, -708-rng.Float64()*37, (float64(rng.IntN(2000)-1000)+0.5)*math.Ln2)
	}
	y := make([]float64, len(x))
	Exp(y, x)
	worst := 0.0
	for i, v := range x {
		want := bigExp(v)
		u := ulps(y[i], want)
		if w, _ := want.Float64(); math.IsInf(w, 0) {
			if y[i] != w {
				t.Fatalf("exp(%v) = %v, want %v", v, y[i], w)
			}
			continue
		}
		worst = max(worst, u)
		if u > 1 {
			t.Fatalf("exp(%v) = %v, off by %.3f ulp", v, y[i], u)
		}
	}
	t.Logf("largest error: %.3f ulp, %d points", worst, len(x))
}

// TestSpecialValues follows the special cases of the math package, which are those of C99.
func TestSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	x := []float64{0, math.Copysign(0, -1), inf, -inf, nan, 5e-324, -5e-324, 1e-310, math.MaxFloat64, -math.MaxFloat64,
		709.782712893384, 709.7827128933841, -745.1332191019411, -745.1332191019412, 1e300, -1e300, 1 << 30, 1<<30 + 1,
		1}
	got := make([]float64, len(x))
	for _, f := range []struct {
		name  string
		array func(dst, x []float64)
		one   func(float64) float64
	}{{"Sin", func(dst, x []float64) { SinCos(dst, make([]float64, len(x)), x) }, math.Sin}, {"Cos", Cos, math.Cos},
		{"Exp", Exp, math.Exp}} {
		f.array(got, x)
		for i, v := range x {
			want := f.one(v)
			same := math.Float64bits(got[i]) == math.Float64bits(want) || math.IsNaN(got[i]) && math.IsNaN(want)
			if !same && !(math.Abs(got[i]-want) <= 1e-14*math.Abs(want)) { // math.Sin(MaxFloat64) is that far off
				t.Errorf("%s(%v) = %v, want %v", f.name, v, got[i], want)
			}
		}
	}
}

func TestLengthsThatDoNotFitPanic(t *testing.T) {
	defer func() {
		if got, want := recover(), "vmath.Cos: dst has length 2 but x needs 3"; got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}()
	Cos(make([]float64, 2), make([]float64, 3))
}
