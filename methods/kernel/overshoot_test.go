package kernel

import (
	"math"
	"testing"
)

// TestTrialTooFar (KRR-GD on pima, split 1, fold 3 once failed by it): a point without a Cholesky factor is infinitely bad and ends
// nothing; the next point is evaluated as if it had not been.
func TestTrialTooFar(t *testing.T) {
	x := []float64{0, 1, 2, 3, 5, 8}
	p, err := newLOOProblem(t.Context(), x, 1, []int{0}, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	p.y = []float64{1, -1, 1, -1, 1, -1}
	gradient := []float64{0}
	want := p.value([]float64{-1}, gradient)
	if e := p.value([]float64{1e4}, gradient); !math.IsInf(e, 1) || p.err != nil {
		t.Errorf("kernel coefficients that overflow give %v, %v", e, p.err)
	}
	if e := p.value([]float64{-1}, gradient); e != want {
		t.Errorf("the next point gives %v, before %v", e, want)
	}
}
