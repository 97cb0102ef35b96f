// Package mfga holds the multi feature greedy approximation of Shahrampour and Tarokh, Learning Bounds
// for Greedy Approximation with Explicit Feature Maps from Multiple Kernels, NeurIPS 2018, and the random
// features that it is compared with.
//
// All four methods fit a linear function of M explicit columns phi_j of kernels,
//
//	min over theta, b   (1/n) sum_i L(y_i, f_i) + lambda |theta|^2,   f_i = sum_j theta_j phi_j(x_i) + b,
//
// with L = (f-y)^2 for regression and log(1 + exp(-y f)) for classes, one against the rest. The intercept b
// is not penalised and can be left out. The methods differ in the columns:
//
//	MFGA  Taylor features of the Gaussian kernel, and linear features: a step adds the columns with the
//	      largest derivative of the risk, and solves again on all active columns
//	RKS   random Fourier features (Rahimi and Recht 2008)
//	EERF  of many random Fourier features, those that correlate most with the target (Shahrampour et al. 2018)
//	LKRF  features drawn from many random Fourier features, by weights that maximise alignment (Sinha and Duchi 2016)
//
// The parts:
//
//	mfga.go      MFGA: parameters, greedy steps
//	largest.go   which columns are chosen, and what happens on ties
//	taylor.go    the candidates of MFGA: columns, and the derivatives in all of them
//	random.go    RKS, EERF, LKRF: parameters, grid points that share work
//	fourier.go   random columns and their scores
//	lkrf.go      the weights of LKRF in closed form
//	design.go    the matrix of active columns, which solvers and grid points share
//	ridge.go     the solver for the square loss
//	logistic.go  the solver for the logistic loss
//	output.go    the solutions on growing active sets, for one target
//	model.go     scoring, stages, saving
//	memory.go    declared memory
//
// The exact kernels of the same paper, GK and GLK, are in methods/kernel. Weights of the kernels are uniform, as in the
// paper's experiments. Methods that learn the weights are in methods/mkl.
package mfga
