package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
)

// TestSVMAgainstLibsvm: the Gaussian C-SVCs of svm_libsvm.json, which libsvm solved at tolerance 1e-8: intercepts and
// decisions within 2e-3, the number of support vectors within 3 % (at a coarser tolerance some of them have no weight
// yet), and every test label.
func TestSVMAgainstLibsvm(t *testing.T) {
	type solved struct {
		Kind      string    `json:"kind"`
		Kernel    string    `json:"kernel"`
		Gamma     float64   `json:"gamma"`
		Dataset   string    `json:"dataset"`
		Seed      uint32    `json:"seed"`
		C         float64   `json:"C"`
		Intercept float64   `json:"intercept"`
		Support   int       `json:"n_support"`
		Accuracy  float64   `json:"test_accuracy"`
		Decision  []float64 `json:"decision_test_first3"`
	}
	var rows []solved
	testenv.ReadOracle(t, "svm_libsvm.json", &rows)
	rows = slices.DeleteFunc(rows, func(r solved) bool { return r.Kind != "C-SVC" || r.Kernel != "rbf" })
	fits.EachSet(t, rows, func(r solved) string { return r.Dataset }, func(t *testing.T, _ *datasets.Set, r solved) {
		t.Run(fmt.Sprintf("%g-%g", r.C, r.Gamma), func(t *testing.T) {
			train, test := fits.Load(t, r.Dataset, r.Seed)
			m, _ := fitted(t, SVM(), 0, train, `{"c":%v,"gamma":%v}`, r.C, r.Gamma)
			n, scores := len(test.Y), fits.Scores(t, m, test)
			// libsvm's tolerance is finer than ours, which bounds what a decision is off by.
			const near = 2e-3
			if math.Abs(m.Bias[0]-r.Intercept) > near || math.Abs(float64(m.N-r.Support)) > 2+0.03*float64(r.Support) {
				t.Errorf("intercept %v and %d support vectors; libsvm has %v and %d", m.Bias[0], m.N, r.Intercept,
					r.Support)
			}
			for i, want := range r.Decision {
				must.Near(t, scores[i], want, near, "decision of test row", i)
			}
			right := fits.Correct(t, m, test)
			must.Be(t, right, int(math.Round(r.Accuracy*float64(n))), n)
		})
	})
}

// TestSVMOnDemand: rows on demand give the machine of the matrix in memory.
func TestSVMOnDemand(t *testing.T) {
	data := small(registry.Binary)
	x, d := data.X.RawMatrix().Data, data.Shape().D
	matrix := must.Get(gaussianKernel(t.Context(), nil, x, d, 0.3))(t)
	demanded := make([]float64, matrix.Len())
	for i := range matrix.Len() {
		stored := matrix.At(i)
		matrix.Exact.Row(demanded, i)
		for j := range stored {
			want := 0.0
			for k := range d {
				v := x[i*d+k] - x[j*d+k]
				want += v * v
			}
			must.Be(t, stored[j], demanded[j], "kernel of", i, j)
			must.Near(t, stored[j], math.Exp(-0.3*want), 1e-13, "kernel of", i, j)
		}
	}
}

// TestKernelsLendTheirMemory: the kernel of the next gamma lies where that of the last one was, and has the bits of a
// new one.
func TestKernelsLendTheirMemory(t *testing.T) {
	const n, d = 40, 3
	x := make([]float64, n*d)
	rng.New(1).Norms(x)
	first := must.Get(gaussianKernel(t.Context(), nil, x, d, 0.3))(t)
	want := must.Get(gaussianKernel(t.Context(), nil, x, d, 2))(t)
	got, err := gaussianKernel(t.Context(), first, x, d, 2)
	if err != nil || got != first {
		t.Fatalf("the second kernel takes memory of its own, %v", err)
	}
	for i := range n {
		must.Be(t, got.At(i), want.At(i), "row", i)
	}
}
