// Package linear trains linear classifiers exactly: the soft-margin support vector
// machine with an intercept that is not penalised,
//
//	min over w in R^d, b in R of   P(w, b) = 1/2 |w|^2 + C sum_i max(0, 1 - y_i (w.x_i + b))
//
// for labels y_i = -1 or +1, as the linear C-SVC of libsvm states it. It is made for dense
// features of which there are many fewer than examples (d of 10 to 300, n to 10^5) and
// which may be nearly dependent, where decomposition methods need millions of steps
// or stop early.
//
// svm.go holds the problem, the outer loop and what it returns; newton.go the inner
// minimisation; system.go the Newton equations. Inner loops are methods/internal/vmath's, so a
// solution has the same bits on every machine.
//
// A solution of Solve depends on (X, y, C) alone; Continue starts from the last one, for paths
// of C. PBRFF and GFC call Solve: their paths then equal single fits bit for bit. What that costs
// GFC, between a sixth more and two fifths fewer Newton steps, is measured by its BenchmarkStart.
// Kernels, other losses, weights of examples and sparse features are not here.
package linear
