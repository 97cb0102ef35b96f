package vmath

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
)

// These tests compare with formulas written out plainly (package math, gonum, exact sums), where
// equal_test.go compares kernels with their references.

// near fails unless got and want agree to a relative or absolute tol.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !scalar.EqualWithinAbsOrRel(got, want, tol, tol) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// TestSumsAreNearExact compares with sums in 2000-bit arithmetic. The bound is that of recursive
// summation, (n/32 + 6) rounding errors of the sum of magnitudes.
func TestSumsAreNearExact(t *testing.T) {
	for _, n := range []int{0, 1, 7, 31, 33, 1000} {
		x, y := normals(n, 1e8), normals(n, 1)
		for i := range y {
			y[i] *= math.Ldexp(1, i%40-20)
		}
		sum, dot, size, dots := new(big.Float).SetPrec(2000), new(big.Float).SetPrec(2000), 0.0, 0.0
		for i := range x {
			sum.Add(sum, big.NewFloat(x[i]))
			dot.Add(dot, new(big.Float).SetPrec(2000).Mul(big.NewFloat(x[i]), big.NewFloat(y[i])))
			size += math.Abs(x[i])
			dots += math.Abs(x[i] * y[i])
		}
		u := float64(n/32+6) * 0x1p-53
		if want, _ := sum.Float64(); math.Abs(Sum(x)-want) > u*size {
			t.Errorf("n=%d: Sum = %v, want %v", n, Sum(x), want)
		}
		if want, _ := dot.Float64(); math.Abs(Dot(x, y)-want) > u*dots {
			t.Errorf("n=%d: Dot = %v, want %v", n, Dot(x, y), want)
		}
	}
}

func TestProductsAgreeWithGonum(t *testing.T) {
	for _, s := range [][3]int{{1, 1, 1}, {3, 5, 2}, {8, 8, 8}, {130, 17, 25}, {260, 300, 49}} {
		m, k, n := s[0], s[1], s[2]
		a, b := mat.NewDense(m, k, normals(m*k, 1)), mat.NewDense(k, n, normals(k*n, 1))
		var want mat.Dense
		want.Mul(a, b)
		got := mat.NewDense(m, n, nil)
		MatMul(got.RawMatrix().Data, a.RawMatrix().Data, m, k, b.RawMatrix().Data, n)
		if !mat.EqualApprox(got, &want, 1e-12) {
			t.Errorf("MatMul %v differs", s)
		}
		bt := mat.DenseCopyOf(b.T())
		MatMulT(got.RawMatrix().Data, a.RawMatrix().Data, m, k, bt.RawMatrix().Data, n)
		if !mat.EqualApprox(got, &want, 1e-12) {
			t.Errorf("MatMulT %v differs", s)
		}
		c := mat.NewVecDense(m, normals(m, 1))
		var turned mat.VecDense
		turned.MulVec(a.T(), c)
		dst := make([]float64, k)
		MatTVec(dst, a.RawMatrix().Data, m, k, c.RawVector().Data)
		if !mat.EqualApprox(mat.NewVecDense(k, dst), &turned, 1e-11) {
			t.Errorf("MatTVec %v differs", s)
		}
	}
}

// TestProjectionsHaveTheSameBits is the contract of doc.go: an inner product over features
// is the same number by whichever function it was made, and so is a sum over examples.
func TestProjectionsHaveTheSameBits(t *testing.T) {
	for _, s := range [][3]int{{1, 1, 1}, {5, 3, 2}, {136, 40, 11}, {300, 250, 30}, {129, 7, 25}} {
		n, d, m := s[0], s[1], s[2]
		x, w := normals(n*d, 1), normals(m*d, 0.7)
		p := Pack(x, n, d)
		tr := p.Trig(nil, w, m)
		all, one, packed := make([]float64, n*m), make([]float64, n), make([]float64, n)
		MatMulT(all, x, n, d, w, m)
		for j := range m {
			MatVec(one, x, n, d, w[j*d:(j+1)*d])
			p.MatVec(packed, w[j*d:(j+1)*d])
			for i := range n {
				sin, cos := sinCosRef(one[i])
				for name, pair := range map[string][2]float64{
					"Packed.MatVec": {packed[i], one[i]}, "MatMulT": {all[i*m+j], one[i]},
					"Trig cosine": {tr.At(i, j), cos}, "Trig sine": {tr.At(i, m+j), sin},
				} {
					if pair[0] != pair[1] {
						t.Fatalf("%s %v: element %d,%d is %v, by MatVec %v", name, s, i, j, pair[0], pair[1])
					}
				}
			}
		}
		g, h, c := make([]float64, d), make([]float64, d), normals(n, 1)
		MatTVec(g, x, n, d, c)
		p.MatTVec(h, c)
		if err := sameBits(g, h); err != nil {
			t.Errorf("Packed.MatTVec and MatTVec %v: %v", s, err)
		}
		gr, full := make([]float64, n*n), make([]float64, n*n)
		Gram(gr, x, n, d)
		MatMulT(full, x, n, d, x, n)
		if err := sameBits(gr, full); err != nil {
			t.Errorf("Gram and MatMulT %v: %v", s, err)
		}
		clear(gr)
		for lo := 0; lo < d; lo += 7 { // columns in blocks, rows in strips
			hi := min(lo+7, d)
			part := make([]float64, 0, n*(hi-lo))
			for i := range n {
				part = append(part, x[i*d+lo:i*d+hi]...)
			}
			GramAdd(gr, part, n, hi-lo, 0, n/3)
			GramAdd(gr, part, n, hi-lo, n/3, n)
		}
		Mirror(gr, n)
		if err := sameBits(gr, full); err != nil {
			t.Errorf("GramAdd and MatMulT %v: %v", s, err)
		}
	}
}

func TestPackKeepsTheMatrix(t *testing.T) {
	for _, n := range []int{1, 8, 127, 128, 129, 300} {
		x := normals(n*3, 1)
		p := Pack(x, n, 3)
		if p.Rows() != n || p.Cols() != 3 || 8*len(p.data) != PackedBytes(n, 3) {
			t.Fatalf("n=%d: %d rows, %d cols, %d elements", n, p.Rows(), p.Cols(), len(p.data))
		}
		for i, v := range x {
			if p.At(i/3, i%3) != v {
				t.Fatalf("n=%d: element %d is %v, want %v", n, i, p.At(i/3, i%3), v)
			}
		}
	}
}

func TestGaussianAgreesWithItsFormula(t *testing.T) {
	a, b := []float64{1, -2, 0.5}, []float64{0.25, 3, -1}
	dst := []float64{Dot(a, b), Dot(a, a) * (1 + 1e-15)} // the second distance rounds below zero
	Gaussian(dst, dst, []float64{Dot(b, b), Dot(a, a)}, Dot(a, a), 0.1)
	near(t, "kernel of two points", dst[0], math.Exp(-0.1*(0.75*0.75+25+2.25)), 1e-14)
	near(t, "kernel of a point with itself", dst[1], 1, 0)
}

func TestTanhAgreesWithItsFormula(t *testing.T) {
	x := []float64{0, 1e-9, -0.3, 2, -20, 400, -1000}
	dst := make([]float64, len(x))
	Tanh(dst, x, 0.25)
	for i, v := range x {
		near(t, "tanh", dst[i], math.Tanh(v+0.25), 1e-15)
	}
}

func TestLaplaceAgreesWithItsFormula(t *testing.T) {
	a, b := []float64{1, -2, 0.5}, []float64{0.25, 3, -1}
	dst, slopes := []float64{Dot(a, b), Dot(a, a) * (1 - 1e-15)}, make([]float64, 2) // the second distance is rounding
	Laplace(dst, slopes, dst, []float64{Dot(b, b), Dot(a, a)}, Dot(a, a), 3)
	r := math.Sqrt(0.75*0.75 + 25 + 2.25)
	near(t, "kernel of two points", dst[0], math.Exp(-r/3), 1e-14)
	near(t, "slope of two points", slopes[0], math.Exp(-r/3)/(3*r), 1e-14)
	near(t, "kernel of a point with itself", dst[1], 1, 0)
	near(t, "slope of a point with itself", slopes[1], 0, 0)
}

// TestLogisticAgreesWithItsFormulas, near 0 and where exponentials overflow.
func TestLogisticAgreesWithItsFormulas(t *testing.T) {
	const n = 1100
	f, moved, y := make([]float64, n), make([]float64, n), make([]float64, n)
	residual, root, slope := make([]float64, n), make([]float64, n), make([]float64, n)
	want, size, scores := 0.0, 0.0, make([]float64, n)
	for i := range f {
		f[i], moved[i], y[i] = float64(i%45-20), float64(i%7)/7, float64(i%2*2-1)
		if i%100 == 99 {
			f[i] *= 100
		}
		scores[i] = f[i] + moved[i]
		size = max(size, math.Abs(scores[i]))
		want += math.Log1p(math.Exp(-math.Abs(scores[i]))) + max(0, -y[i]*scores[i])
	}
	loss, change, largest := Logistic(f, moved, y, residual, root, slope)
	near(t, "loss", loss, want, 1e-13)
	near(t, "largest change", change, 6.0/7, 0)
	near(t, "largest score", largest, size, 0)
	for i, v := range scores {
		near(t, "score", f[i], v, 0)
		near(t, "residual", residual[i], -y[i]/(1+math.Exp(y[i]*v)), 1e-13)
		if math.Abs(v) < 160 {
			near(t, "root", root[i], math.Exp(-math.Abs(v)/2)/(1+math.Exp(-math.Abs(v))), 1e-13)
		}
		near(t, "root times slope", root[i]*slope[i], residual[i], 1e-13)
	}
}

// TestAddGaussians: ten sums over two points, one of them too far away to count.
func TestAddGaussians(t *testing.T) {
	rows, points := []float64{1, 9}, []float64{6, 1e6}
	dots := []float64{2, 7, 10, 20} // distances 3 and 1, and near a million
	coefs, dst := make([]float64, 2*Doublings), make([]float64, 2*Doublings)
	for k := range Doublings {
		coefs[k], coefs[Doublings+k], dst[k*2] = float64(k)-3.5, 1e9, 1
	}
	AddGaussians(dst, dots, rows, points, coefs, 1./16)
	for k := range Doublings {
		near(t, "first row", dst[2*k], 1+(float64(k)-3.5)*math.Exp(-3*math.Ldexp(1, k-4)), 1e-12)
		near(t, "second row", dst[2*k+1], (float64(k)-3.5)*math.Exp(-math.Ldexp(1, k-4)), 1e-12)
	}
}

// TestResultsAreTheSameEverywhere pins a hash of every kernel's results, made by the references
// on amd64. Another machine or another build must arrive at the same bits.
func TestResultsAreTheSameEverywhere(t *testing.T) {
	hash := fnv.New64a()
	for _, c := range kernelCases {
		for _, n := range []int{3, 200} {
			src := &source{rng: rand.New(rand.NewPCG(5, 5)), scale: 2}
			out := c.run(c.kernel, src, src.sizes(n, 11))
			for i, v := range out {
				if math.IsNaN(v) {
					out[i] = math.NaN()
				}
			}
			must.Do(t, binary.Write(hash, binary.LittleEndian, out))
		}
	}
	if got, want := hash.Sum64(), uint64(0x41f205af153eb66e); got != want {
		t.Errorf("hash %#x, want %#x", got, want)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	const n, d, k = 300, 12, 5
	p := Pack(normals(n*d, 1), n, d)
	w, r, grad, cosines := normals(d, 1), normals(n, 1), make([]float64, d), make([]float64, n)
	wk, angles, gk := normals(k*d, 1), normals(k, 1), make([]float64, k)
	trig := p.Trig(nil, wk, k)
	for name, f := range map[string]func(){
		"Cos":          func() { Cos(cosines, r) },
		"ExpCosLoss":   func() { p.ExpCosLoss(w, 0.1, r, cosines, grad) },
		"Trig":         func() { p.Trig(trig, wk, k) },
		"LandmarkLoss": func() { trig.LandmarkLoss(angles, r, gk) },
		"PairLosses":   func() { trig.PairLosses(angles, r, gk) },
		"MatTVec":      func() { p.MatTVec(grad, r) },
	} {
		if testenv.Race {
			t.Skip("sync.Pool drops memory at random under the race detector")
		}
		if got := testing.AllocsPerRun(50, f); got > 0.5 {
			t.Errorf("%s: %v allocations a call", name, got)
		}
	}
}

// TestFactorSolves compares with gonum's Cholesky solution of the same equations, which a
// padded system must have too, and finds that an indefinite matrix is refused.
func TestFactorSolves(t *testing.T) {
	for _, size := range []int{1, 5, 8, 17, 50, 101} {
		m := (size + 7) &^ 7
		rows := normals(m*(size+3), 1)
		for r := range size + 3 {
			clear(rows[r*m+size : (r+1)*m])
		}
		c := make([]float64, m*m)
		Outer(c, m, rows, m, size+3, 0, Add)
		const scale = 0.5
		shift, u, x := make([]float64, m), make([]float64, m*(m+8)), make([]float64, m)
		right, a := normals(size, 1), mat.NewSymDense(size, nil)
		for i := range m {
			shift[i] = 1
			if i < size {
				u[i*(m+8)+m+2] = right[i]
				for j := i; j < size; j++ {
					a.SetSym(i, j, scale*c[i*m+j])
				}
				a.SetSym(i, i, a.At(i, i)+1)
			}
		}
		if !Factor(u, c, m, scale, shift) {
			t.Fatalf("%d equations: not factored", size)
		}
		Back(x, u, m, 2)
		var chol mat.Cholesky
		var want mat.VecDense
		if !chol.Factorize(a) {
			t.Fatal("gonum does not factor it")
		}
		must.Do(t, chol.SolveVecTo(&want, mat.NewVecDense(size, right)))
		for i := range size {
			near(t, "solution", x[i], want.AtVec(i), 1e-9)
		}
		if shift[size-1] = -1e9; Factor(u, c, m, scale, shift) {
			t.Errorf("%d equations: an indefinite matrix is factored", size)
		}
	}
}

// TestOuterIsASumOfProducts: set, added and taken away again, from a column on.
func TestOuterIsASumOfProducts(t *testing.T) {
	const m, ld, rows, from = 24, 27, 9, 8
	a, c := normals(rows*ld, 1), make([]float64, m*m)
	Outer(c, m, a, ld, rows, from, Set)
	for i := range m {
		for j := max(i, from); j < m; j++ {
			want := 0.0
			for r := range rows {
				want += a[r*ld+i] * a[r*ld+j]
			}
			near(t, "product", c[i*m+j], want, 1e-13)
		}
	}
	set := slices.Clone(c)
	Outer(c, m, a, ld, rows, from, Add)
	Outer(c, m, a, ld, rows, from, Subtract)
	for i := range m {
		for j := max(i, from); j < m; j++ {
			near(t, "product gained and lost", c[i*m+j], set[i*m+j], 1e-13)
		}
	}
}

// TestProductsTakeLittleMemory: a product with a tall b does not copy b.
func TestProductsTakeLittleMemory(t *testing.T) {
	const k, n = 400_000, 4
	a, b, dst := make([]float64, k), make([]float64, k*n), make([]float64, n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	MatMul(dst, a, 1, k, b, n)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 2<<20 {
		t.Errorf("%d bytes allocated for a product with %d bytes", got, 8*k*n)
	}
}

// normals draws n normal numbers with the given standard deviation, always the same.
func normals(n int, scale float64) []float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, n)
	for i := range x {
		x[i] = scale * rng.NormFloat64()
	}
	return x
}
