// Package svm solves the dual problems of kernel support vector machines with a bias.
//
// # Problem
//
// With K the n x n kernel matrix, the dual problem of all these machines is
//
//	min over beta in R^n  1/2 beta'K beta - target'beta + epsilon |beta|_1
//	subject to            sum beta = 0,  lower <= beta <= upper
//
// and the machine is f(x) = sum_i beta_i k(x_i, x) + bias:
//
//	C-SVC, y in {-1,+1}   beta = y alpha, target y, epsilon 0, y beta in [0, C_i]     Classification
//	epsilon-SVR           beta = alpha - alpha*, target y, beta in [-C_i, C_i]        Regression
//
// so that an SVR has n variables, not the 2n of the textbook form. The costs C_i of examples are the box.
//
// # KKT conditions
//
// Let g = K beta - target be the gradient of the smooth part, and epsilon s+ and epsilon s- the derivatives of epsilon |beta| for moves
// upwards and downwards: s+ is the sign of beta with s+(0) = 1, and s- the same with s-(0) = -1. beta is optimal if
//
//	gap = max(g + epsilon s- over beta > lower) - min(g + epsilon s+ over beta < upper) <= 0.
//
// The pair of examples that attains the maximum and the minimum is the most violating pair.
//
// # Algorithm
//
// Sequential minimal optimisation (SMO; Platt 1998) with the second-order working set selection of Fan, Chen and Lin (JMLR
// 2005, WSS 2) and their shrinking. An SMO step moves the element i that minimises g + epsilon s+ among those below their upper bound
// upwards, and downwards the element j above its lower bound for which
//
//	(g_j + epsilon s-_j - g_i - epsilon s+_i)^2 / (K_ii + K_jj - 2 K_ij)
//
// is largest, as far as the piecewise quadratic objective falls.
//
// # Stopping rule
//
// The gap is below Tol: libsvm's criterion, so Tol means the same here and there. The bias is libsvm's too: minus the mean of
// g + epsilon s over elements strictly inside their bounds (and, where epsilon > 0, not zero), or minus the middle of the interval that the
// KKT conditions leave.
//
// # Files
//
//	problem.go      the problem, its two special cases, the solution
//	kernel.go       kernel matrices: in memory, or rows on demand
//	solver.go       SMO, the outer loop: warm start, stopping, cancellation
//	active.go       the active set: shrinking, the row cache, reconstructing the gradient
//	steps.go        SMO steps and their definition; smo.h is the same for vector registers, with equal bits
//	multikernel.go  several kernels at once, where few examples are support vectors: decomposition
//	linear.go       the linear kernel where features are few: Newton's method on the smoothed primal
//	switch.go       the switch from SMO, where it crawls, to an interior point
//	interior.go     the interior point; systems.go and lowrank.go its linear systems, mixture.go its kernels and their weights
//	mix.go          multiple kernel learning: the weights of a sum of kernels, learned with the machine
//
// Kernel rows are float32 or float64; sums are float64 always. A float32 row halves memory and time and moves decisions by about 1e-7 of
// the kernel's scale, unless the kernel has low rank, which rounding to float32 spoils: with large costs the optimum is then another one,
// and many steps away. The package has no kernel functions, no scoring and no multi-class scheme: those are the families'.
package svm
