// Package rffsvm holds methods that represent a row by sines and cosines of frequencies, and train a linear support
// vector machine on this representation.
//
//	gfc.go             GFC: frequencies are learned greedily
//	gfcstep.go         the objective of a greedy step and its gradient
//	pbrff.go           PBRFF: frequencies are drawn, and weighted at landmarks
//	representation.go  landmarks, draws, alignment losses and weights of PBRFF
//	gfcmodel.go, pbrffmodel.go  scoring and saving
//
// # Departure
//
// The published programs stop libsvm after 10,000 iterations, which for C = 100 is often far from the optimum. Here the
// machine is solved to a relative duality gap of linear.Tolerance, or the fit warns.
package rffsvm

import (
	"context"
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/linear"
	"github.com/kernelboosting/bench/registry"
)

// blockRows rows at a time are scored, so that their sines and cosines stay in the cache.
const blockRows = 128

// trained returns the machine of the method for a C, after at most maxIter steps, or any number if that is zero.
func trained(ctx context.Context, env registry.Env, method string, svm *linear.Problem, c float64,
	maxIter int) (linear.Solution, error) {
	s, err := svm.Solve(ctx, c, maxIter)
	if err != nil {
		return s, fmt.Errorf("%s: %w", method, err)
	}
	if s.Gap > linear.Tolerance*s.Objective {
		env.Log.Warn(method+"'s machine ended before its optimum", "c", c, "relative gap",
			fmt.Sprintf("%.1g", s.Gap/s.Objective))
	}
	return s, nil
}
