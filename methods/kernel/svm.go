package kernel

import (
	"context"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/svm"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// SVM declares the C-SVC with a Gaussian kernel, one against the rest for more than two classes. For each output, with
// y in {-1,+1}, it solves
//
//	min over f in H, b  1/2 ||f||^2 + C sum_i max(0, 1 - y_i (f(x_i) + b))
//
// by methods/internal/svm, to libsvm's stopping criterion. The grid of C is PBRFF's, and the grid of gamma is GBRFF2's.
func SVM() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "SVM", Version: "2", Tasks: registry.Binary | registry.Multiclass,
		Growth:  registry.Growth{Rows: 1.75, Features: 0.2, Outputs: 0.95, Points: 0.75},
		Source:  "Cortes and Vapnik, Machine Learning 1995, as libsvm states it",
		Summary: "support vector machine with a Gaussian kernel",
		Load:    fitting.NearLoad(load),
	}, SVMParams{C: 1, Gamma: 0.1}, registry.Grid{
		{Name: "gamma", Values: registry.Powers(2, -2, 2), Per: registry.PerFeature},
		{Name: "c", Values: registry.Powers(10, -2, 2)},
	}, fitting.NearPath(pathSVM), registry.Memory(memorySVM))
}

// SVMParams holds the parameters of SVM.
type SVMParams struct {
	C     float64 `json:"c" range:"(0,)" means:"cost of an example on the wrong side of its margin"`
	Gamma float64 `json:"gamma" range:"(0,)" means:"coefficient of the kernel exp(-gamma |x-x'|^2)"`
}

// rowsLimit is the most memory in bytes that SVM takes for rows of the kernel, and activeLimit for their columns of
// active examples. On 25,000 rows of bankmarketing the solver asks for 14,000 rows of each kernel.
const rowsLimit, activeLimit = 3 << 30, 1 << 30

// memorySVM counts the kernel matrix or its kept rows, the solver's cache of active rows and interior points, the
// copies of the data's rows, and the model.
func memorySVM(s registry.Shape, _ SVMParams) int64 {
	n := int64(s.N)
	solver, factor := svm.InteriorBytes(s.N)
	gram := svm.GramBytes(s.N, 8)
	return min(gram, rowsLimit) + min(gram, activeLimit) + solver + factor + 8*n*int64(4*s.D+2*s.Outputs()+40) +
		8*rowsAtOnce*n
}

// pathSVM computes the kernel matrix once for consecutive grid points with the same gamma. Every solution has a cold
// start, so that a path gives the same bits as single fits.
func pathSVM(ctx context.Context, env registry.Env, train registry.Data, ps []SVMParams,
	yield func(i int, m registry.Model) error) error {
	x, d := slices.Clone(fitting.Rows(train.X)), train.Shape().D
	solver := svm.Solver[float64]{Cache: activeLimit}
	var matrix *svm.Kernel[float64]
	for i, p := range ps {
		if i == 0 || p.Gamma != ps[i-1].Gamma {
			var err error
			if matrix, err = gaussianKernel(ctx, matrix, x, d, p.Gamma); err != nil {
				return err
			}
		}
		m := &machine{N: matrix.Len(), D: d, Outputs: train.Shape().Outputs(), X: x,
			Gamma: slices.Repeat([]float64{p.Gamma}, d)}
		for _, y := range fitting.OneAgainstRest(train) {
			var sol svm.Solution
			if err := solver.Solve(ctx, matrix, svm.Classification(y, p.C), &sol); err != nil {
				return fmt.Errorf("SVM with C=%v, gamma=%v: %w", p.C, p.Gamma, err)
			}
			if sol.Capped {
				env.Log.Warn("SVM ended before its optimum", "c", p.C, "gamma", p.Gamma, "violation",
					fmt.Sprintf("%.1g", sol.Gap), "tolerance", svm.DefaultTol)
			}
			m.Coef, m.Bias = append(m.Coef, sol.Beta...), append(m.Bias, sol.Bias)
		}
		if err := yield(i, m.support()); err != nil {
			return err
		}
	}
	return nil
}

// gaussianKernel is the kernel matrix of the rows with themselves: in memory up to rowsLimit. Of a larger matrix,
// as many rows as this limit holds are kept. It uses the memory of other, the kernel of another gamma for as many rows,
// unless that is nil.
func gaussianKernel(ctx context.Context, other *svm.Kernel[float64], x []float64, d int,
	gamma float64) (*svm.Kernel[float64], error) {
	scaled, squares := scaleRows(x, d, slices.Repeat([]float64{gamma}, d))
	n := len(squares)
	packed := vmath.Pack(scaled, n, d) // a product with one row is twice as fast
	exact := &svm.Exact{Diagonal: slices.Repeat([]float64{1}, n), Row: func(dst []float64, i int) {
		packed.MatVec(dst, scaled[i*d:(i+1)*d])
		vmath.Gaussian(dst, dst, squares, squares[i], 1)
		dst[i] = 1
	}}
	large, gram := svm.GramBytes(n, 8) > rowsLimit, other
	switch {
	case other != nil:
		gram.Renew(exact)
	case large:
		gram = svm.NewDemanded[float64](exact, rowsLimit)
	default:
		gram = svm.NewGram[float64](n, exact)
	}
	if large {
		return gram, nil
	}
	strip := make([]float64, min(rowsAtOnce, n)*n)
	err := fitting.Blocks(ctx, n, rowsAtOnce, func(lo, hi int) {
		gaussian(strip[:(hi-lo)*n], scaled[lo*d:hi*d], squares[lo:hi], scaled, squares, d)
		for i := lo; i < hi; i++ {
			row := gram.At(i)
			copy(row, strip[(i-lo)*n:(i-lo+1)*n])
			row[i] = 1
		}
	})
	return gram, err
}

// support returns the machine without the rows whose coefficients are zero for all outputs.
func (m *machine) support() *machine {
	var needed []int
	for i := range m.N {
		for c := range m.Outputs {
			if m.Coef[c*m.N+i] != 0 {
				needed = append(needed, i)
				break
			}
		}
	}
	if needed == nil { // the machine is constant; it keeps one row, since a machine needs at least one
		needed = []int{0}
	}
	out := &machine{N: len(needed), D: m.D, Outputs: m.Outputs, Gamma: m.Gamma, Bias: m.Bias}
	for _, i := range needed {
		out.X = append(out.X, m.X[i*m.D:(i+1)*m.D]...)
	}
	for c := range m.Outputs {
		for _, i := range needed {
			out.Coef = append(out.Coef, m.Coef[c*m.N+i])
		}
	}
	return out
}
