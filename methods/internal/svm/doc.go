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
// so that an SVR has n variables, not the 2n of the textbook form.
//
// # KKT conditions
//
// Let g = K beta - target be the gradient of the smooth part, and epsilon s+ and epsilon s- the derivatives of epsilon
// |beta| for moves upwards and downwards: s+ is the sign of beta with s+(0) = 1, and s- the same with s-(0) = -1. beta
// is optimal if
//
//	gap = max(g + epsilon s- over beta > lower) - min(g + epsilon s+ over beta < upper) <= 0.
//
// The pair of examples that attains the maximum and the minimum is the most violating pair.
//
// # Algorithm
//
// Sequential minimal optimisation (SMO; Platt 1998) with the second-order working set selection of Fan, Chen and Lin
// (JMLR 2005, WSS 2) and their shrinking. An SMO step increases one element beta_i and decreases another element beta_j
// by the same amount t. i has the least g + epsilon s+ of the elements below their upper bound. j has, of the elements
// above their lower bound, the largest
//
//	(g_j + epsilon s-_j - g_i - epsilon s+_i)^2 / (K_ii + K_jj - 2 K_ij).
//
// t minimises the objective, which is piecewise quadratic in t, within the bounds.
//
// # Stopping rule
//
// The gap is below Tol. This is libsvm's criterion, and Tol has the same meaning there. The bias is libsvm's too: minus
// the mean of g + epsilon s over the elements strictly inside their bounds (and, where epsilon > 0, not zero). If there
// is no such element, the bias is minus the middle of the interval that the KKT conditions allow.
//
// # Files
//
//	problem.go      the problem, its two special cases, the solution
//	kernel.go       kernel matrices: in memory, or rows on demand
//	solver.go       SMO, the outer loop: warm start, stopping, cancellation
//	active.go       the active set: shrinking, the row cache, reconstructing the gradient
//	steps.go        SMO steps in Go; smo.h has the same steps in vector registers, with equal bits
//	multikernel.go  several kernels at once, where few examples are support vectors: decomposition
//	linear.go       the linear kernel where features are few: Newton's method on the smoothed primal
//	switch.go       the switch to an interior point where SMO is slow
//	interior.go     the interior point; its linear systems are in systems.go and lowrank.go
//	mixture.go      a sum of kernels, with weights, in the interior point
//	mix.go          multiple kernel learning: the weights of a sum of kernels, learned with the machine
//
// Kernel rows are float32 or float64; sums are always float64. A float32 row halves memory and time, and moves
// decisions by about 1e-7 of the kernel's scale. But float32 spoils the low rank of a kernel: with large costs C the
// optimum then differs, and takes many more steps. The package has no kernel functions, no scoring and no multi-class
// scheme: the packages of the methods have these.
package svm
