// Package solve has the solvers that several methods share:
//
//	ridge.go      ridge regression, by the smaller of two systems
//	conjugate.go  systems of linear equations, side by side, by conjugate gradients
//	logistic.go   the logistic loss of linear functions, by Newton's method
//	lbfgs.go      smooth functions, by L-BFGS with the line search of search.go
//	brent.go      functions of one variable on an interval
//	cholesky.go   A = L L': factor, solve, invert
//	lowrank.go    K = V V' of low rank from the rows of K, by pivots
//	gram.go       products of a matrix with its transpose
//	vector.go     sums and products of short vectors
//
// Each file opens with its problem, its symbols and its stopping rule. The package runs on the caller's goroutine.
package solve
