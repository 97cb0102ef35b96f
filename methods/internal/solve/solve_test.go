package solve

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// numbers draws n numbers.
func numbers(t *rapid.T, n int, what string) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, what)
}

// products returns a a' for the row-major n x k matrix a, with shift on the diagonal.
func products(a []float64, n, k int, shift float64) *mat.Dense {
	rows, out := mat.NewDense(n, k, a), mat.NewDense(n, n, nil)
	out.Mul(rows, rows.T())
	for i := range n {
		out.Set(i, i, out.At(i, i)+shift)
	}
	return out
}

// solution solves a x = b by elimination.
func solution(t *rapid.T, a *mat.Dense, b []float64) []float64 {
	var x mat.VecDense
	must.Do(t, x.SolveVec(a, mat.NewVecDense(len(b), b)))
	return x.RawVector().Data
}

// near compares within a share of the largest value that is wanted.
func near(t *rapid.T, what string, got, want []float64, share float64) {
	t.Helper()
	most := 1e-3
	for _, v := range want {
		most = max(most, math.Abs(v))
	}
	for i, v := range got {
		if len(got) != len(want) || !(math.Abs(v-want[i]) <= share*most) {
			t.Fatalf("%s: %v, want %v", what, got, want)
		}
	}
}

// ridgeRef solves the normal equations of the weights and the intercept, which is the last feature and has no penalty.
func ridgeRef(t *rapid.T, f []float64, p, n int, y []float64, rho float64) []float64 {
	for range n {
		f = append(f, 1)
	}
	a := products(f, p+1, n, rho*float64(n))
	a.Set(p, p, float64(n))
	right := make([]float64, p+1)
	mat.NewVecDense(p+1, right).MulVec(mat.NewDense(p+1, n, f), mat.NewVecDense(n, y))
	return solution(t, a, right)
}

func TestHalvings(t *testing.T) {
	must.Be(t, slices.Collect(Halvings(4)), []float64{1, 0.5, 0.25, 0.125})
}

// TestRidge: both forms, with an intercept, are the solution of the normal equations, for two penalties; and without
// one targets of zero mean and features of zero mean have the same weights.
func TestRidge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, n, k := rapid.IntRange(1, 9).Draw(t, "p"), rapid.IntRange(2, 9).Draw(t, "n"),
			rapid.IntRange(1, 3).Draw(t, "k")
		f, y := numbers(t, p*n, "f"), numbers(t, k*n, "y")
		var r, plain Ridge
		centred := append([]float64(nil), f...)
		must.Do(t, r.Set(context.Background(), centred, p, n, true))
		must.Do(t, plain.Set(context.Background(), centred, p, n, false))
		for _, rho := range []float64{0.1, 1} {
			w, s, fitted, err := r.Solve(context.Background(), y, k, rho)
			must.Do(t, err)
			for c := range k {
				target := y[c*n : (c+1)*n]
				near(t, "weights", append(w[c*p:(c+1)*p:(c+1)*p], s[c]), ridgeRef(t, f[:p*n:p*n], p, n, target, rho),
					1e-9)
				centre(target)
				for i := range n {
					score := s[c]
					for j := range p {
						score += w[c*p+j] * f[j*n+i]
					}
					near(t, "fitted", fitted[c*n+i:c*n+i+1], []float64{score}, 1e-9)
				}
			}
			again, zero, _, err := plain.Solve(context.Background(), y, k, rho)
			must.Do(t, err)
			near(t, "weights without intercept", again, w, 1e-9)
			near(t, "intercept", zero, make([]float64, k), 0)
		}
	})
}

// TestRidgeRenews: where the first features have changed, the solution has the bits of one for new features.
func TestRidgeRenews(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, n := rapid.IntRange(1, 40).Draw(t, "p"), rapid.IntRange(2, 40).Draw(t, "n")
		count, y := rapid.IntRange(0, p).Draw(t, "count"), numbers(t, n, "y")
		f, other := numbers(t, p*n, "f"), numbers(t, count*n, "other")
		whole := append(slices.Clone(other), f[count*n:]...)
		var r, anew Ridge
		must.Do(t, r.Set(context.Background(), f, p, n, true))
		copy(f, other)
		must.Do(t, r.Renew(context.Background(), count))
		must.Do(t, anew.Set(context.Background(), whole, p, n, true))
		w, s, fitted, err := r.Solve(context.Background(), y, 1, 0.1)
		must.Do(t, err)
		w2, s2, fitted2, err := anew.Solve(context.Background(), y, 1, 0.1)
		must.Do(t, err)
		if !slices.Equal(w, w2) || s[0] != s2[0] || !slices.Equal(fitted, fitted2) {
			t.Errorf("%d of %d features of %d rows: %v %v, want %v %v", count, p, n, w, s, w2, s2)
		}
	})
}

// TestShifted: the system of a lower triangle within a wider matrix is that of its definition, or is refused.
func TestShifted(t *testing.T) {
	var s Shifted
	rapid.Check(t, func(t *rapid.T) {
		n, zeros := rapid.IntRange(1, 9).Draw(t, "n"), rapid.IntRange(0, 1).Draw(t, "zeros")
		ld := n + rapid.IntRange(0, 3).Draw(t, "more")
		a := products(numbers(t, n*n, "a"), n, n, 0.1)
		g := make([]float64, n*ld)
		for i := range n {
			for j := range ld {
				if g[i*ld+j] = math.NaN(); j <= i {
					g[i*ld+j] = a.At(i, j)
				}
			}
			if i >= zeros {
				a.Set(i, i, a.At(i, i)+2)
			}
		}
		b := numbers(t, n, "b")
		want := solution(t, a, b)
		must.Do(t, s.Factor(context.Background(), g, ld, n, zeros, 2))
		must.Do(t, s.Solve(context.Background(), b))
		near(t, "solution", b, want, 1e-9)
		g[n*ld-ld+n-1] = -3
		must.Is(t, s.Factor(context.Background(), g, ld, n, zeros, 2), ErrNotPositive)
	})
}

// A small system is one of Conjugate that is preconditioned by the diagonal of its matrix, or by a part of it.
type small struct {
	CG
	a     *mat.Dense
	power float64
	most  int
}

func (s *small) Precondition(context.Context) (float64, error) {
	sum := 0.0
	for i, r := range s.R {
		s.Z[i] = r / math.Pow(s.a.At(i, i), s.power)
		sum += r * s.Z[i]
	}
	return sum, nil
}

func (s *small) Done() bool { return s.RZ <= 1e-26 || s.Turn == s.most }

// TestConjugate: systems of several sizes, side by side, have the solution of elimination; a turn lowers the error in
// the norm of A, as no other direction of the Krylov space does better; and a system without curvature ends where it
// is.
func TestConjugate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []*small
		var want [][]float64
		for range rapid.IntRange(1, 3).Draw(t, "systems") {
			n := rapid.IntRange(1, 8).Draw(t, "n")
			s := &small{CG: NewCG(n), a: products(numbers(t, n*n, "a"), n, n, 0.5),
				power: float64(rapid.IntRange(0, 1).Draw(t, "power")), most: 60}
			s.Z = make([]float64, n)
			copy(s.R, numbers(t, n, "b"))
			all, want = append(all, s), append(want, solution(t, s.a, append([]float64(nil), s.R...)))
		}
		apply := func(left []*small) error {
			for _, s := range left {
				mat.NewVecDense(len(s.P), s.AP).MulVec(s.a, mat.NewVecDense(len(s.P), s.P))
			}
			return nil
		}
		errors := make([]float64, len(all))
		for i := range errors {
			errors[i] = math.Inf(1)
		}
		must.Do(t, Conjugate(context.Background(), all, func(left []*small) error {
			for i, s := range all {
				d := make([]float64, len(s.X))
				for j, x := range s.X {
					d[j] = x - want[i][j]
				}
				v := mat.NewVecDense(len(d), d)
				now := mat.Inner(v, s.a, v)
				if now > errors[i]+1e-12 {
					t.Fatalf("turn %d raises the error from %v to %v", s.Turn, errors[i], now)
				}
				errors[i] = now
			}
			return apply(left)
		}))
		for i, s := range all {
			near(t, "solution", s.X, want[i], 1e-9)
		}
		flat := all[0]
		flat.a.Scale(-1, flat.a)
		flat.power, flat.R[0] = 0, 1
		must.Do(t, Conjugate(context.Background(), all[:1], apply))
		near(t, "solution without curvature", flat.X, make([]float64, len(flat.X)), 0)
	})
}
