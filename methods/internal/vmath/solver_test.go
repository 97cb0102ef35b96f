package vmath

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

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
		Outer(c, m, rows, m, size+3, 0, Gain)
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
		if err := chol.SolveVecTo(&want, mat.NewVecDense(size, right)); err != nil {
			t.Fatal(err)
		}
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
	Outer(c, m, a, ld, rows, from, Gain)
	Outer(c, m, a, ld, rows, from, Lose)
	for i := range m {
		for j := max(i, from); j < m; j++ {
			near(t, "product gained and lost", c[i*m+j], set[i*m+j], 1e-13)
		}
	}
}

// TestHinge: a hinge's sums by their definitions, and the slope at a step is the one that a
// move there finds.
func TestHinge(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(rt, "n")
		src := &source{rng: rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1)), scale: 1}
		h := &Hinge{
			Y: src.floats(n), Slack: src.floats(n), Change: src.floats(n), Alpha: src.floats(n), Next: make([]float64, n), Turned: make([]float64, n),
			Free: make([]uint8, (n+7)/8), Moved: make([]uint8, (n+7)/8),
		}
		for i := range n {
			h.Y[i] = math.Copysign(1, h.Y[i])
			h.Alpha[i] = min(max(h.Alpha[i], 0), 1)
		}
		before := slices.Clone(h.Slack)
		step, sigma := rapid.Float64Range(-1, 3).Draw(rt, "step"), rapid.Float64Range(0.1, 5).Draw(rt, "sigma")
		product, square := h.Slope(step, sigma, 1)
		got := h.Move(step, sigma, 1)
		var want HingeSums
		wantProduct, wantSquare := 0.0, 0.0
		for i, q := range h.Change {
			slack := before[i] - step*q
			raw := h.Alpha[i] + sigma*slack
			a := min(max(raw, 0), 1)
			free := raw > 0 && raw < 1
			if math.Abs(h.Next[i]-a) > 1e-12 || math.Abs(h.Slack[i]-slack) > 1e-12 || math.Abs(h.Turned[i]-h.Y[i]*a) > 1e-12 {
				rt.Fatalf("example %d: multiplier %v, slack %v, want %v, %v", i, h.Next[i], h.Slack[i], a, slack)
			}
			if (h.Free[i/8]>>(i%8)&1 == 1) != free || (h.Moved[i/8]>>(i%8)&1 == 1) != (h.Next[i] != 0) {
				rt.Fatalf("example %d: the bits say otherwise", i)
			}
			want.Distance += (a - h.Alpha[i]) * (a - h.Alpha[i])
			want.Balance += a * h.Y[i]
			want.Loss += max(0, slack)
			want.Product += a * slack
			wantProduct += a * q
			if free {
				wantSquare += q * q
			}
		}
		for name, p := range map[string][2]float64{
			"Distance": {got.Distance, want.Distance}, "Balance": {got.Balance, want.Balance}, "Loss": {got.Loss, want.Loss},
			"Product": {got.Product, want.Product}, "slope": {product, wantProduct}, "square": {square, wantSquare},
		} {
			if math.Abs(p[0]-p[1]) > 1e-11*float64(n) {
				rt.Fatalf("%s is %v, want %v", name, p[0], p[1])
			}
		}
	})
}

func TestRowsAndColumns(t *testing.T) {
	a := []float64{1, 2, 3, 4, 5, 6} // three rows
	dst := []float64{10, 20}
	AddRows(dst, a, 2, []int{2, 0, 2}, []float64{1, 2, 3})
	if !slices.Equal(dst, []float64{10 + 4*5 + 2, 20 + 4*6 + 4}) {
		t.Errorf("AddRows gives %v", dst)
	}
	turned := make([]float64, 7)
	Columns(turned, 4, a, 2, []int{2, 0, 2})
	if !slices.Equal(turned, []float64{5, 1, 5, 0, 6, 2, 6}) {
		t.Errorf("Columns gives %v", turned)
	}
	x := []float64{1, 2}
	if Signed(x, []float64{-1, 1}, 0.5); !slices.Equal(x, []float64{-1.5, 2.5}) {
		t.Errorf("Signed gives %v", x)
	}
}

// TestCosinesAgreeWithTheirFormula at arguments within and far beyond the fast reduction.
func TestCosinesAgreeWithTheirFormula(t *testing.T) {
	const n, d, m = 133, 3, 6
	for _, scale := range []float64{1, 1e11} {
		rows, w, phase := normals(n*d, 1), normals(m*d, 1), normals(m, 1)
		w[4] *= scale
		dst := make([]float64, m*n)
		Pack(rows, n, d).Cosines(dst, w, phase)
		for j := range m {
			for i := range n {
				z := 0.0
				for k := range d {
					z = math.FMA(rows[i*d+k], w[j*d+k], z)
				}
				near(t, "cosine", dst[j*n+i], math.Cos(z-phase[j]), 1e-14)
			}
		}
	}
}

func TestWaveAgreesWithItsFormula(t *testing.T) {
	const n = 37
	z, f, y, s, c, slope := normals(n, 1), normals(n, 2), normals(n, 3), make([]float64, n), make([]float64, n), make([]float64, n)
	k := Wave(s, c, z, f, y)
	a, b := [3]float64{0.5, -1, 2}, [3]float64{0.25, 3, -0.7}
	total := WaveSlope(slope, f, s, c, y, a, b)
	var want WaveSums
	squares := 0.0
	for i, zi := range z {
		sin, cos := math.Sincos(zi)
		near(t, "sine", s[i], sin, 1e-15)
		near(t, "cosine", c[i], cos, 1e-15)
		want.SF += sin * f[i]
		want.SS += sin * sin
		want.CF += cos * f[i]
		want.CS += cos * sin
		want.CC += cos * cos
		want.SY += sin * y[i]
		want.CY += cos * y[i]
		u, v := a[0]*f[i]+a[1]*sin+a[2]*cos-y[i], b[0]*f[i]+b[1]*sin+b[2]*cos
		near(t, "slope", slope[i], u*((a[1]-b[1])*cos-(a[2]-b[2])*sin)-v*(a[1]*cos-a[2]*sin), 1e-12)
		squares += u * u
	}
	near(t, "sum of squares", total, squares, 1e-13)
	for name, p := range map[string][2]float64{
		"SF": {k.SF, want.SF}, "SS": {k.SS, want.SS}, "CF": {k.CF, want.CF}, "CS": {k.CS, want.CS}, "CC": {k.CC, want.CC},
		"SY": {k.SY, want.SY}, "CY": {k.CY, want.CY},
	} {
		near(t, name, p[0], p[1], 1e-13)
	}
}
