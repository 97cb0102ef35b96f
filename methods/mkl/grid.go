package mkl

import (
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/svm"
	"github.com/kernelboosting/bench/registry"
)

// This file holds what both boosting methods share.

// boostBytes counts the kernel matrices or rows, a dual solution with its fit and the exact form of each kernel, an
// interior point with factors of a few kernels, and the model of t rounds.
func boostBytes(s registry.Shape, kernels, size, t int) int64 {
	n := int64(s.N)
	solver, factor := svm.InteriorBytes(s.N)
	return gramBytes(s.N, kernels, size) + solver + 3*factor + n*int64(24*kernels+16*t+16*s.D+200) + 8*rowsAtOnce*n
}

// reportCapped logs how many learners' machines ended before their optimum, by max_iter or by rounding, and the largest
// violation of the KKT conditions.
func reportCapped(env registry.Env, method string, c, violation float64, learners []learner) {
	capped := 0
	for _, l := range learners {
		if l.Capped {
			capped++
		}
	}
	if capped > 0 {
		env.Log.Warn("support vector machines ended before their optimum", "method", method, "c", c, "rounds", capped,
			"violation", fmt.Sprintf("%.1g", violation), "tolerance", svm.DefaultTol)
	}
}

// withC adds the name of the method and the C of the grid point to an error.
func withC(method string, c float64, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s with C=%v: %w", method, c, err)
}
