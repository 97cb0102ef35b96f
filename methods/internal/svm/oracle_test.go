package svm

import (
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// solved is one row of svm_libsvm.json: a solution of libsvm at tolerance 1e-8 (1e-6 for the
// linear SVR).
type solved struct {
	Kind      string    `json:"kind"`
	Kernel    string    `json:"kernel"`
	Gamma     float64   `json:"gamma"`
	Epsilon   float64   `json:"epsilon"`
	Dataset   string    `json:"dataset"`
	Seed      uint32    `json:"seed"`
	C         float64   `json:"C"`
	Primal    *float64  `json:"primal_objective"`
	Intercept float64   `json:"intercept"`
	Support   int       `json:"n_support"`
	SumDual   *float64  `json:"sum_abs_dual"`
	Accuracy  *float64  `json:"test_accuracy"`
	SqError   *float64  `json:"train_sq_error"`
	Decision  []float64 `json:"decision_test_first3"`
	Predict   []float64 `json:"predict_test_first3"`
}

// The tolerances: objectives 1e-6 relative; decisions, intercepts, sums and squared errors 1e-3 of
// the scale of the number. Rows are of either type.
//
// Linear kernels of larger C are another matter. libsvm's own rows are float32, which moves its
// optimum: on heart, C-SVC, C = 100 its objective is 6598.498 where float64 rows give 6598.441, with a
// duality gap of 2e-3 as the proof. So a linear objective may be lower than libsvm's, as far as our dual
// value certifies it. Its linear SVR of C = 100 on heart needs 3.1e7 steps (intercept -0.12185). Files
// of others may be of a libsvm that was stopped before (after 2e6 steps: -0.1156), so theirs is
// compared to 3 %.
func TestLibsvm(t *testing.T) {
	var rows []solved
	testenv.ReadOracle(t, "svm_libsvm.json", &rows)
	fits.EachSet(t, rows, func(r solved) string { return r.Dataset }, func(t *testing.T, _ *datasets.Set, r solved) {
		name := fmt.Sprintf("%s-%g-%s-%g", r.Kind, r.C, r.Kernel, r.Gamma)
		if r.Kind == "epsilon-SVR" && r.Kernel == "linear" && r.C == 100 && r.Dataset != "wine" &&
			!testenv.ThoroughPart(t, name) {
			return // it takes as long as all that remains
		}
		t.Run(name+"-float32", func(t *testing.T) { compare[float32](t, r) })
		t.Run(name+"-float64", func(t *testing.T) { compare[float64](t, r) })
	})
}

func compare[F Float](t *testing.T, r solved) {
	train, test := fits.Load(t, r.Dataset, r.Seed)
	k := kernelFunction(r.Kernel, r.Gamma)
	p := Classification(train.Y, r.C)
	if r.Kind == "epsilon-SVR" {
		p = Regression(train.Y, r.Epsilon, r.C)
	}
	s := Solver[F]{Tol: 1e-7}
	if r.Kernel == "linear" && r.Kind == "epsilon-SVR" {
		s.Tol = 1e-5 // millions of steps even so
	}
	var sol Solution
	must.Do(t, s.Solve(t.Context(), gramOf[F](train.X, k), p, &sol))
	near := func(what string, got, want, tol float64) {
		t.Helper()
		if !(math.Abs(got-want) <= tol) {
			t.Errorf("%s is %.9g; libsvm has %.9g", what, got, want)
		}
	}
	loose := 1e-3
	if r.Kernel == "linear" && r.C > 1 {
		loose = 2e-3
		if r.Dataset == "heart" && r.Kind != "C-SVC" && os.Getenv("BENCH_ORACLE") != "" {
			loose = 0.03
		}
	}
	near("intercept", sol.Bias, r.Intercept, loose)
	norm, loss, absolute, squared := 0.0, 0.0, 0.0, 0.0
	for i, b := range sol.Beta {
		f := sol.Fit[i] + sol.Bias
		norm += b * sol.Fit[i]
		absolute += math.Abs(b)
		squared += (f - train.Y[i]) * (f - train.Y[i])
		if r.Kind == "C-SVC" {
			loss += r.C * max(0, 1-train.Y[i]*f)
		} else {
			loss += r.C * max(0, math.Abs(f-train.Y[i])-r.Epsilon)
		}
	}
	primal := norm/2 + loss
	near("duality gap", primal+sol.Objective, 0, 2*s.Tol*r.C*float64(len(train.Y)))
	if r.Primal != nil {
		near("primal objective", primal, min(*r.Primal, max(primal, -sol.Objective)), 1e-6**r.Primal)
		near("libsvm's primal objective", *r.Primal, -sol.Objective, 1e-4**r.Primal)
	}
	if r.SumDual != nil {
		near("sum of |dual|", absolute, *r.SumDual, 1e-3**r.SumDual)
	}
	if r.SqError != nil {
		near("training squared error", squared, *r.SqError, loose**r.SqError)
	}
	near("support vectors", float64(len(support(sol))), float64(r.Support), max(2, 2*loose*float64(r.Support)))
	decide := func(x []float64) float64 {
		f := sol.Bias
		for i, b := range sol.Beta {
			if b != 0 {
				f += b * k(train.X.RawRowView(i), x)
			}
		}
		return f
	}
	for i, want := range append(r.Decision, r.Predict...) {
		near(fmt.Sprintf("decision of test row %d", i), decide(test.X.RawRowView(i)), want, loose)
	}
	if r.Accuracy != nil {
		right := 0
		for i, y := range test.Y {
			if (decide(test.X.RawRowView(i)) >= 0) == (y > 0) {
				right++
			}
		}
		near("test accuracy", float64(right), *r.Accuracy*float64(len(test.Y)), 0.5+math.Floor(50*(loose-1e-3)))
	}
}
