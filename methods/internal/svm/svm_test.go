package svm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// A case is a random problem with its kernel matrix.
type randomCase struct {
	x *mat.Dense
	k func(a, b []float64) float64
	p Problem
}

func drawCase(t *rapid.T, least, most int) randomCase {
	n, d := rapid.IntRange(least, most).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "d")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	c := randomCase{x: x, k: kernelFunction(rapid.SampledFrom([]string{"rbf", "linear"}).Draw(t, "kernel"),
		rng.Float64()+0.1)}
	y, costs := make([]float64, n), make([]float64, n)
	scale := math.Pow(10, rapid.Float64Range(-2, 1).Draw(t, "log C"))
	classify := rapid.Bool().Draw(t, "classify")
	for i := range y {
		y[i] = rng.NormFloat64() + x.At(i, 0)
		if classify {
			y[i] = math.Copysign(1, y[i])
		}
		costs[i] = scale * (0.5 + rng.Float64())
	}
	if classify {
		c.p = Classification(y, costs...)
	} else {
		c.p = Regression(y, rapid.Float64Range(0, 0.5).Draw(t, "epsilon"), costs...)
	}
	return c
}

func value(p Problem, k *Kernel[float64], beta []float64) float64 {
	v := 0.0
	for i, b := range beta {
		for j, c := range beta {
			v += 0.5 * b * k.At(i)[j] * c
		}
		v += p.Epsilon*math.Abs(b) - p.Target[i]*b
	}
	return v
}

// bruteForce minimises p by trying, for every variable, each bound, zero, and both signs of a free
// one, with the free ones from the linear equations of their stationarity and of the sum.
func bruteForce(p Problem, k *Kernel[float64]) float64 {
	n := len(p.Target)
	best := 0.0 // beta = 0 is feasible
	state := make([]int, n)
	for {
		beta := make([]float64, n)
		var free []int
		for i, s := range state {
			switch s {
			case 0:
				beta[i] = p.Lower[i]
			case 1:
				beta[i] = p.Upper[i]
			case 3, 4:
				free = append(free, i)
			}
		}
		if solveFree(p, k, beta, free, state) {
			best = min(best, value(p, k, beta))
		}
		i := 0
		for ; i < n; i++ {
			if state[i]++; state[i] < 5 {
				break
			}
			state[i] = 0
		}
		if i == n {
			return best
		}
	}
}

// solveFree sets the free variables and reports whether the point is feasible.
func solveFree(p Problem, k *Kernel[float64], beta []float64, free, state []int) bool {
	m := len(free)
	a, rhs := mat.NewDense(m+1, m+1, nil), mat.NewVecDense(m+1, nil)
	for r, i := range free {
		sign := float64(2*(state[i]-3) - 1)
		right := p.Target[i] - sign*p.Epsilon
		for j, b := range beta {
			right -= k.At(i)[j] * b
		}
		rhs.SetVec(r, right)
		a.Set(r, m, 1)
		a.Set(m, r, 1)
		for c, j := range free {
			a.Set(r, c, k.At(i)[j])
		}
	}
	sum := 0.0
	for _, b := range beta {
		sum += b
	}
	if m == 0 {
		return math.Abs(sum) < 1e-12
	}
	rhs.SetVec(m, -sum)
	var out mat.VecDense
	if err := out.SolveVec(a, rhs); err != nil {
		return false
	}
	for r, i := range free {
		beta[i] = out.AtVec(r)
		if !(beta[i] >= p.Lower[i]-1e-12 && beta[i] <= p.Upper[i]+1e-12) {
			return false
		}
	}
	return true
}

func TestBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t, 2, 5)
		k := gramOf[float64](c.x, c.k)
		var sol Solution
		s := Solver[float64]{Tol: 1e-9}
		must.Do(t, s.Solve(context.Background(), k, c.p, &sol))
		want := bruteForce(c.p, k)
		if got := value(c.p, k, sol.Beta); math.Abs(got-want) > 1e-6*max(1e-3, math.Abs(want)) ||
			math.Abs(got-sol.Objective) > 1e-9 {
			t.Fatalf("objective %.12g (stated %.12g), by brute force %.12g", got, sol.Objective, want)
		}
	})
}

// TestOptimal checks feasibility, the stated gap against its definition, and the warm start from
// another problem's solution, on problems large enough to shrink and with rows of all origins.
func TestOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t, 30, 150)
		k := gramOf[float64](c.x, c.k)
		demanded := NewDemanded[float64](exactOf(c.x, c.k), 0)
		const tol = 1e-4
		solve := func(s Solver[float64], from *Kernel[float64], start Solution) Solution {
			s.Tol = tol
			must.Do(t, s.Solve(context.Background(), from, c.p, &start))
			sum := 0.0
			for i, b := range start.Beta {
				sum += b
				if b < c.p.Lower[i] || b > c.p.Upper[i] {
					t.Fatalf("beta %d is %v, outside [%v, %v]", i, b, c.p.Lower[i], c.p.Upper[i])
				}
			}
			if math.Abs(sum) > 1e-9 {
				t.Fatalf("the betas sum to %v", sum)
			}
			if start.Gap >= tol || start.Capped {
				t.Fatalf("gap %v, capped %v", start.Gap, start.Capped)
			}
			if v := value(c.p, k, start.Beta); math.Abs(v-start.Objective) > 1e-8*max(1, math.Abs(v)) {
				t.Fatalf("objective %v stated as %v", v, start.Objective)
			}
			return start
		}
		plain := solve(Solver[float64]{}, k, Solution{})
		slack := 2 * tol * c.p.totalRoom()
		other := Solution{Beta: make([]float64, len(plain.Beta))}
		for i := range other.Beta {
			other.Beta[i] = 3*math.Sin(float64(i)) + 0.2
		}
		// Fit follows Scale by the rows of some elements alone; kept rows have the bits of computed ones.
		scaled, by := plain, make([]float64, len(plain.Beta))
		scaled.Beta, scaled.Fit = slices.Clone(plain.Beta), slices.Clone(plain.Fit)
		for i := range by {
			by[i] = []float64{0.5, 0.9, 0.5, 1.5}[i%4]
		}
		scaled.Scale(by)
		first := solve(Solver[float64]{}, demanded, Solution{})
		for rows := range int64(8) {
			few := NewDemanded[float64](demanded.Exact, rows*8*int64(len(plain.Beta)))
			for range 2 {
				if again := solve(Solver[float64]{Cache: 1}, few, Solution{}); !slices.Equal(again.Beta, first.Beta) ||
					again.Bias != first.Bias {
					t.Fatalf("room for %d rows changes the solution", rows)
				}
			}
		}
		for name, again := range map[string]Solution{
			"rows on demand":           first,
			"a cache of two rows":      solve(Solver[float64]{Cache: 1}, demanded, Solution{}),
			"a start with other costs": solve(Solver[float64]{}, k, scaled),
			"a start from afar":        solve(Solver[float64]{}, k, other),
			"a start from the solution": solve(Solver[float64]{}, k,
				Solution{Beta: append([]float64(nil), plain.Beta...)}),
		} {
			if math.Abs(again.Objective-plain.Objective) > slack {
				t.Fatalf("%s: objective %v, not %v", name, again.Objective, plain.Objective)
			}
			if name == "a start from the solution" && again.Steps > plain.Steps/2+1 {
				t.Fatalf("a start from the solution takes %d steps, a cold one %d", again.Steps, plain.Steps)
			}
		}
	})
}

// totalRoom bounds how much a gap of one may cost in the objective.
func (p Problem) totalRoom() float64 {
	sum := 0.0
	for i := range p.Lower {
		sum += p.Upper[i] - p.Lower[i]
	}
	return sum
}

// TestTube: if the targets fit in the tube, the solution is zero and the bias the middle of the
// interval that is left, as libsvm has it.
func TestTube(t *testing.T) {
	y := []float64{0.31, 0.25, 0.4, 0.33}
	x := mat.NewDense(4, 1, []float64{1, 2, 3, 4})
	var s Solver[float64]
	var sol Solution
	must.Do(t, s.Solve(t.Context(), gramOf[float64](x, kernelFunction("rbf", 1)), Regression(y, 0.1, 5), &sol))
	must.Be(t, len(support(sol)), 0, "support")
	must.Near(t, sol.Bias, 0.325, 1e-15, "support")
}

func TestDegenerate(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{1, 2, 3})
	k := gramOf[float64](x, kernelFunction("rbf", 1))
	var s Solver[float64]
	var sol Solution
	must.Do(t, s.Solve(t.Context(), k, Classification([]float64{1, 1, 1}, 1), &sol))
	must.Be(t, sol.Bias, 1, support(sol))
	must.Be(t, len(support(sol)), 0, support(sol))
	for name, p := range map[string]Problem{
		"a target that is not a number": Regression([]float64{1, math.NaN(), 1}, 0.1, 1),
		"an infinite cost":              Regression([]float64{1, 2, 1}, 0.1, math.Inf(1)),
		"a negative cost":               Regression([]float64{1, 2, 1}, 0.1, -1),
		"two examples for three":        Classification([]float64{1, -1}, 1),
	} {
		if err := s.Solve(t.Context(), k, p, &Solution{}); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// hard is a problem that takes minutes to converge.
func hard() (*Kernel[float32], Problem) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := mat.NewDense(1500, 3, nil), make([]float64, 1500)
	for i := range y {
		for j := range 3 {
			x.Set(i, j, rng.NormFloat64())
		}
		y[i] = rng.NormFloat64()
	}
	return gramOf[float32](x, kernelFunction("linear", 0)), Regression(y, 0.1, 1e6)
}

func TestCancellation(t *testing.T) {
	k, p := hard()
	testenv.CheckCancellation(t, func(ctx context.Context) error {
		s := Solver[float32]{Tol: 1e-9}
		return s.Solve(ctx, k, p, &Solution{})
	}, 20*time.Millisecond, 200*time.Millisecond)
}

func TestCapped(t *testing.T) {
	k, p := hard()
	s := Solver[float32]{Tol: 1e-9, MaxSteps: 5000}
	var sol Solution
	must.Do(t, s.Solve(t.Context(), k, p, &sol))
	if !sol.Capped || sol.Steps != 5000 || sol.Gap < 1e-9 {
		t.Errorf("capped %v after %d steps at gap %v", sol.Capped, sol.Steps, sol.Gap)
	}
}

// TestNoWorseThanZero: one step from a bad start leaves a point that is worse than beta = 0, which becomes the
// solution.
func TestNoWorseThanZero(t *testing.T) {
	k, p := hard()
	s, sol := Solver[float32]{MaxSteps: 1}, Solution{Beta: slices.Clone(p.Upper)}
	for i := range sol.Beta {
		sol.Beta[i] *= float64(1 - 2*(i%2))
	}
	must.Do(t, s.Solve(t.Context(), k, p, &sol))
	if !sol.Capped || sol.Objective != 0 || slices.ContainsFunc(sol.Beta, func(b float64) bool { return b != 0 }) {
		t.Errorf("capped %v at objective %v", sol.Capped, sol.Objective)
	}
}

// TestSameBits: the C kernels take the steps of run and add rows as addFourRef does, bit for bit.
func TestSameBits(t *testing.T) {
	onEveryLevel(t, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			c := drawCase(t, 2, 100)
			sameBits[float32](t, c)
			sameBits[float64](t, c)
		})
	})
}

func sameBits[F Float](t *rapid.T, c randomCase) {
	k := gramOf[F](c.x, c.k)
	rows := [4][]F{k.At(0), k.At(1), k.At(k.n - 1), k.At(k.n / 2)}
	by := [4]float64{0.1, -3, c.p.Target[0], c.p.Target[1]}
	sum, want := slices.Clone(c.p.Target), slices.Clone(c.p.Target)
	addFour(sum, &rows, &by)
	if addFourRef(want, &rows, &by); !slices.Equal(sum, want) {
		t.Fatalf("sums of rows: %v and %v", sum, want)
	}
	start := func() *work[F] {
		s := Solver[F]{kernel: k, problem: c.p, sol: &Solution{Beta: make([]float64, k.n), Fit: make([]float64, k.n)}}
		s.activateAll()
		return &s.w
	}
	a, b := start(), start()
	for round := range 20 {
		sa, da, na, ua, oa := steps(a, padded(k.n), c.p.Epsilon, 1e-6, round)
		sb, db, nb, ub, ob := run(b, padded(k.n), c.p.Epsilon, 1e-6, round)
		if sa != sb || da != db || na != nb || ua != ub || oa != ob {
			t.Fatalf("round %d: status %v %v, %d %d steps, row %d %d, up %v %v, down %v %v", round, sa, sb, da, db, na,
				nb, ua, ub, oa, ob)
		}
		for i := range a.beta {
			must.Be(t, math.Float64bits(a.beta[i]), math.Float64bits(b.beta[i]), "round", round, i)
			must.Be(t, math.Float64bits(a.g[i]), math.Float64bits(b.g[i]), "round", round, i)
		}
	}
}

// TestInterior: on linear machines of large cost the interior point reaches the objective of the SMO
// steps; where these are many, the switch leaves at most 200 for each example.
func TestInterior(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n, d = 150, 6
	x, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		y[i] = x.At(i, 0) - x.At(i, 1) + 0.5*rng.NormFloat64()
	}
	for _, p := range []Problem{Regression(y, 0.1, 100), Regression(y, 0, 100), Classification(signs(y), 100)} {
		k := gramOf[float64](x, kernelFunction("linear", 0))
		var plain, switched Solution
		s := Solver[float64]{Tol: 1e-4}
		must.Do(t, s.Solve(t.Context(), k, p, &plain))
		k.Exact = exactOf(x, kernelFunction("linear", 0))
		must.Do(t, s.Solve(t.Context(), k, p, &switched))
		if math.Abs(switched.Objective-plain.Objective) > 1e-5*math.Abs(plain.Objective) || switched.Gap >= s.Tol {
			t.Errorf("objective %v at gap %v after the switch, %v without one", switched.Objective, switched.Gap,
				plain.Objective)
		}
		if limit := 200 * n; plain.Steps > limit && switched.Steps > limit {
			t.Errorf("%d steps with the switch, %d without", switched.Steps, plain.Steps)
		}
		t.Logf("%d steps with the switch, %d without", switched.Steps, plain.Steps)
	}
}

func signs(y []float64) []float64 {
	out := make([]float64, len(y))
	for i, v := range y {
		out[i] = math.Copysign(1, v)
	}
	return out
}
