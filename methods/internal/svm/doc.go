// Package svm solves the dual problems of kernel support vector machines with a bias.
//
// With K the n x n kernel matrix, all of them are
//
//	min over beta in R^n  1/2 beta'K beta - target'beta + epsilon |beta|_1
//	subject to            sum beta = 0,  lower <= beta <= upper
//
// and the machine is f(x) = sum_i beta_i k(x_i, x) + bias:
//
//	C-SVC, y in {-1,+1}   beta = y alpha, target y, epsilon 0, y beta in [0, C_i]     Classification
//	epsilon-SVR           beta = alpha - alpha*, target y, beta in [-C_i, C_i]        Regression
//
// so that an SVR has n variables, not the 2n of the textbook form. Per-example costs C_i are
// the box.
//
// The method is sequential minimal optimisation (Platt 1998) with the second-order choice of
// pairs of Fan, Chen and Lin (JMLR 2005, WSS 2) and their shrinking. With g = K beta - target, s+ the
// sign of beta with s+(0) = 1 and s- the same with s-(0) = -1, a step moves the element i that
// minimises g + epsilon s+ among those below their upper bound upwards, and downwards the element j above its
// lower bound for which (g_j + epsilon s-_j - g_i - epsilon s+_i)^2 / (K_ii + K_jj - 2 K_ij) is largest, as
// far as the piecewise quadratic falls. It stops when the gap, max(g + epsilon s-) - min(g + epsilon s+) over
// those sets, is below Tol: libsvm's criterion, so Tol means the same here and there. The bias
// is libsvm's too: the mean over elements strictly inside their bounds (and, where epsilon > 0, not zero), or
// the middle of the interval that the others leave.
//
//	problem.go   the problem, its two special cases, the solution
//	kernel.go    kernel matrices: in memory, or rows on demand
//	solver.go    the outer loop: warm start, stopping, cancellation, bias
//	together.go  several kernels on one problem, where few examples are support vectors
//	active.go    the active set: shrinking, stored rows, restoring the full gradient
//	linear.go    the linear kernel where features are few, by Newton's method in the primal
//	jump.go      where steps crawl, on to the end of an interior point
//	interior.go  the interior point; mixture.go its kernels and their weights; systems.go and lowrank.go its linear systems
//	mix.go       Mix, which learns the weights of a sum of kernels with the machine
//	steps.go     the inner loop and its definition; smo.h is the same for vector registers, with equal bits
//
// Kernel rows are float32 or float64; sums are float64 always. A float32 row halves memory and
// time and moves decisions by about 1e-7 of the kernel's scale, unless the kernel has low rank, which it
// spoils: with large costs its optimum is then another, and far in steps. The package has no kernel
// functions, no scoring and no multi-class scheme: those are the families'.
package svm
