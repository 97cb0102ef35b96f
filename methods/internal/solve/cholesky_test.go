package solve_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/kernelboosting/bench/methods/internal/solve"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// TestGramOfNoRows: the large examples of a support vector machine can be none, whatever the rank of its kernel.
func TestGramOfNoRows(t *testing.T) {
	must.Do(t, solve.Gram(t.Context(), nil, nil, 0, 1000))
}

// TestAgainstGonum compares Factor, Solve, Invert and Gram with gonum's.
func TestAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 150).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		b := mat.NewDense(n, n, normals(rng, n*n))
		var a mat.Dense
		a.Mul(b, b.T())
		l := make([]float64, n*n)
		must.Do(t, solve.Gram(t.Context(), l, b.RawMatrix().Data, n, n))
		for i, v := range a.RawMatrix().Data {
			must.Near(t, v, l[i], 1e-10, "element", i)
		}
		for i := range n {
			a.Set(i, i, a.At(i, i)+1)
			l[i*n+i]++
		}
		var want mat.Dense
		must.Do(t, want.Inverse(&a))
		f := solve.NewFactorizer(n)
		must.Do(t, f.Factor(t.Context(), l))
		got := make([]float64, n*n)
		must.Do(t, f.Invert(t.Context(), got, l))
		y := normals(rng, n)
		x := append([]float64(nil), y...)
		must.Do(t, f.Solve(t.Context(), l, x))
		for i := range n {
			sum := 0.0
			for j := range n {
				if d := math.Abs(got[i*n+j] - want.At(i, j)); d > 1e-8 {
					t.Fatalf("inverse at %d, %d differs by %v", i, j, d)
				}
				sum += a.At(i, j) * x[j]
			}
			must.Near(t, sum, y[i], 1e-8, "equation", i)
		}
	})
}

// TestLarge: where panels and strips are cut, the inverse is still one.
func TestLarge(t *testing.T) {
	const n = 1930
	rng := rand.New(rand.NewPCG(2, 2))
	a, l := normals(rng, n*n), make([]float64, n*n)
	for i := range n {
		for j := range i {
			a[j*n+i] = a[i*n+j]
		}
		a[i*n+i] += 4 * math.Sqrt(n)
	}
	copy(l, a)
	f := solve.NewFactorizer(n)
	must.Do(t, f.Factor(t.Context(), l))
	got := make([]float64, n*n)
	must.Do(t, f.Invert(t.Context(), got, l))
	const count = 100
	rows := normals(rng, count*n)
	once := append([]float64(nil), rows...)
	must.Do(t, f.ForwardRows(t.Context(), l, rows, count))
	for i := range count {
		must.Do(t, f.Forward(t.Context(), l, once[i*n:(i+1)*n]))
	}
	for i, v := range once {
		must.Near(t, v, rows[i], 1e-12, "element", i)
	}
	for i := 0; i < n; i += 77 {
		for j := 0; j < n; j += 31 {
			sum := 0.0
			for k := range n {
				sum += a[i*n+k] * got[k*n+j]
			}
			if i == j {
				sum--
			}
			if math.Abs(sum) > 1e-9 {
				t.Fatalf("element %d, %d of the product with the inverse is off by %v", i, j, sum)
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	must.Is(t, solve.NewFactorizer(2).Factor(t.Context(), []float64{1, 0, 2, 1}), solve.ErrNotPositive)
}

// TestLowRank: the product of the factor with its transpose is the matrix within the tolerance, its rank that of a
// matrix of known rank, and a rank beyond the bound is refused.
func TestLowRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, rank := rapid.IntRange(1, 60).Draw(t, "n"), rapid.IntRange(1, 12).Draw(t, "rank")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		b := mat.NewDense(n, rank, normals(rng, n*rank))
		var k mat.Dense
		k.Mul(b, b.T())
		diag := make([]float64, n)
		for i := range diag {
			diag[i] = k.At(i, i)
		}
		row := func(dst []float64, i int) { copy(dst, k.RawRowView(i)) }
		v := must.Get(solve.LowRank(t.Context(), diag, row, 1e-12, n))(t)
		got := len(v) / n
		if want := min(n, rank); got != want {
			t.Fatalf("rank %d, not %d", got, want)
		}
		largest := mat.Max(&k)
		for i := range n {
			for j := range n {
				sum := 0.0
				for r := range got {
					sum += v[r*n+i] * v[r*n+j]
				}
				must.Near(t, sum, k.At(i, j), 1e-11*largest, "element", i, j)
			}
		}
		if v, err := solve.LowRank(t.Context(), diag, row, 1e-12, got-1); v != nil || err != nil {
			t.Fatalf("rank %d is given under a bound of %d", len(v)/n, got-1)
		}
	})
}

// TestCancellation: what takes seconds notices the end of its context.
func TestCancellation(t *testing.T) {
	const n = 4000
	rng := rand.New(rand.NewPCG(1, 1))
	a := normals(rng, n*n)
	for i := range n {
		a[i*n+i] = 10 * n
	}
	dst := make([]float64, n*n)
	f := solve.NewFactorizer(n)
	for name, run := range map[string]func(context.Context) error{
		"Gram":   func(ctx context.Context) error { return solve.Gram(ctx, dst, a, n, n) },
		"Factor": func(ctx context.Context) error { return f.Factor(ctx, a) },
		"Invert": func(ctx context.Context) error { return f.Invert(ctx, dst, a) },
	} {
		t.Run(name, func(t *testing.T) { testenv.CheckCancellation(t, run, 50*time.Millisecond) })
	}
}
