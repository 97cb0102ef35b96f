package kernel

import (
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/testenv"
	"github.com/kernelboosting/bench/methods/internal/frame"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
)

// partialOf is the partial problem of data with one bandwidth a feature, with pivots chosen at theta.
func partialOf(t *testing.T, data registry.Data, lambda float64, theta []float64) *partialLOO {
	t.Helper()
	_, d := data.X.Dims()
	p := &partialLOO{looProblem: newLOOVectors(t.Context(), frame.Rows(data.X), d, frame.Upto(d), lambda)}
	p.y = slices.Clone(data.Y)
	floats.AddConst(-floats.Sum(p.y)/float64(len(p.y)), p.y)
	if err := p.choose(theta, leastLOORank, mostLOORank(p.n)); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPartialLOOGradient compares the gradient with central differences, the pivots fixed: near the start and where the bandwidths have moved so far that
// pivots are left out. It is that of the stated function, so it holds for a factor of a rank far too small as well.
func TestPartialLOOGradient(t *testing.T) {
	testenv.NotUnderRace(t)
	for _, c := range []struct {
		n, d   int
		lambda float64
		start  float64
	}{{300, 3, 1e-3, -1}, {300, 3, 1e-5, -1}, {400, 8, 1e-2, 0.5}} {
		data := wavy(registry.Regression, c.n, c.d)
		theta, gradient, ignored := slices.Repeat([]float64{c.start}, c.d), make([]float64, c.d), make([]float64, c.d)
		p := partialOf(t, data, c.lambda, theta)
		for _, move := range []float64{0, 0.3} {
			for j := range theta {
				theta[j] += move * float64(1-2*(j%2))
			}
			p.value(theta, gradient)
			if p.err != nil {
				t.Fatal(p.err)
			}
			for j := range theta {
				const h = 1e-4
				up, down := slices.Clone(theta), slices.Clone(theta)
				up[j] += h
				down[j] -= h
				slope := (p.value(up, ignored) - p.value(down, ignored)) / (2 * h)
				if math.Abs(slope-gradient[j]) > 1e-5*max(0.01, floats.Norm(gradient, math.Inf(1))) {
					t.Errorf("n %d, d %d, lambda %v, rank %d: the gradient in %d is %v, by differences %v", c.n, c.d, c.lambda, p.partial.Rank, j, gradient[j], slope)
				}
			}
		}
	}
}

// TestPartialLOOAgainstExact: where the kernel has a low rank, error and gradient are the exact ones within a thousandth.
func TestPartialLOOAgainstExact(t *testing.T) {
	testenv.NotUnderRace(t)
	data := wavy(registry.Regression, 600, 3)
	for _, lambda := range []float64{1e-5, 1e-3, 1} {
		theta, got, want := []float64{-1.8, -1.8, -1.8}, make([]float64, 3), make([]float64, 3)
		p := partialOf(t, data, lambda, theta)
		x, err := newLOOProblem(t.Context(), frame.Rows(data.X), 3, frame.Upto(3), lambda)
		if err != nil {
			t.Fatal(err)
		}
		x.y = p.y
		a, b := p.value(theta, got), x.value(theta, want)
		if p.err != nil || x.err != nil {
			t.Fatal(p.err, x.err)
		}
		if math.Abs(a-b) > 1e-3*b || floats.Distance(got, want, math.Inf(1)) > 1e-2*floats.Norm(want, math.Inf(1)) {
			t.Errorf("lambda %v: error %v and gradient %v at rank %d, exactly %v and %v", lambda, a, got, p.partial.Rank, b, want)
		}
	}
}

// TestPartialTrialTooFar: bandwidths that overflow are infinitely bad and end nothing, as in TestTrialTooFar.
func TestPartialTrialTooFar(t *testing.T) {
	p := partialOf(t, wavy(registry.Regression, 50, 2), 1e-3, []float64{0, 0})
	gradient := []float64{0, 0}
	want := p.value([]float64{0, 0}, gradient)
	if e := p.value([]float64{1e4, 0}, gradient); !math.IsInf(e, 1) || p.err != nil {
		t.Errorf("bandwidths that overflow give %v, %v", e, p.err)
	}
	if e := p.value([]float64{0, 0}, gradient); e != want {
		t.Errorf("the next point gives %v, before %v", e, want)
	}
}
