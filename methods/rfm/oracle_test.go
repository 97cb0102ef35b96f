package rfm

import (
	"fmt"
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// TestEqualsThePublishedProgram compares scores with testdata/published.json, which testdata/published.py wrote with
// xRFM's own machine in double precision. The tolerance of 1e-6 of the largest score is for five iterations, each of
// which solves the system of the kernel matrix with a metric that the one before has rounded.
func TestEqualsThePublishedProgram(t *testing.T) {
	type machine struct {
		fits.Problem
		Iterations        int
		Lambda, Bandwidth float64
	}
	fits.Each(t, "testdata/published.json", 12, func(t *testing.T, c *machine) {
		f := newFit(c.X, c.D, c.Targets(), nil)
		must.Do(t, f.follow(t.Context(), c.Bandwidth, c.Lambda, []int{c.Iterations}, func(int) error { return nil }))
		c.Compare(t, f.model(0), 1e-6)
	})
}

// TestGradients compares the gradients with differences of the predictions, away from the rows of the training part,
// where the kernel has a kink.
func TestGradients(t *testing.T) {
	train := toydata.Easy(registry.Regression, 40, 3, 5)
	x := train.X.RawMatrix().Data
	metric := []float64{1, 0.2, 0, 0.2, 0.5, 0.1, 0, 0.1, 0.3}
	m := &model{N: 40, D: 3, Outputs: 1, X: x, Metric: metric, Bandwidth: 2, Coef: train.Y, Bias: []float64{0}}
	m.ready()
	value := func(z []float64) float64 {
		out := make([]float64, 1)
		must.Do(t, m.Score(t.Context(), mat.NewDense(1, 3, z), out))
		return out[0]
	}
	// The kernel has no gradient at a row of its own. Without coefficients of the first five rows the predictions have
	// one there.
	clear(m.Coef[:5])
	f := newFit(x, 3, [][]float64{train.Y}, nil)
	f.metric, f.bandwidth = metric, 2
	must.Do(t, f.solve(t.Context(), 0.1, true))
	f.alpha = m.Coef
	got := must.Get(f.gradients(t.Context()))(t)
	for i := range 5 {
		for q := range 3 {
			const step = 1e-5
			z := append([]float64(nil), x[i*3:i*3+3]...)
			z[q] += step
			up := value(z)
			z[q] -= 2 * step
			if want := (up - value(z)) / (2 * step); !(math.Abs(got[q*40+i]-want) <= 1e-5*(1+math.Abs(want))) {
				t.Errorf("row %d, feature %d: gradient %v, differences %v", i, q, got[q*40+i], want)
			}
		}
	}
}

// TestFindsTheFeature: of ten features the targets depend on one alone. The metric finds it, and the machine then errs
// less than half as much as with the Euclidean metric.
func TestFindsTheFeature(t *testing.T) {
	all := toydata.Easy(registry.Regression, 400, 10, 8)
	for i := range all.Y {
		all.Y[i] = math.Sin(3 * all.X.At(i, 4))
	}
	train := registry.Data{Task: registry.Regression, X: mat.DenseCopyOf(all.X.Slice(0, 200, 0, 10)), Y: all.Y[:200]}
	errors := make([]float64, 2)
	for i, iterations := range []int{0, 4} {
		m, err := RFM().Fit(t.Context(), registry.Env{}, train,
			[]byte(fmt.Sprintf(`{"iterations":%d,"lambda":0.001,"bandwidth":10}`, iterations)))
		must.Do(t, err)
		scores := make([]float64, 200)
		must.Do(t, m.Score(t.Context(), mat.DenseCopyOf(all.X.Slice(200, 400, 0, 10)), scores))
		vmath.Axpy(-1, all.Y[200:], scores)
		errors[i] = vmath.Dot(scores, scores)
		if metric := m.(*model).Metric; iterations > 0 && metric[44] != 1 {
			t.Errorf("the metric has %v for the feature that counts, where its largest element is 1", metric[44])
		}
	}
	if errors[1] > errors[0]/2 {
		t.Errorf("squared error %v with the learned metric, %v without", errors[1], errors[0])
	}
}
