// Package gbrff holds the boosting methods of two papers by Gautheron, Germain, Habrard,
// Metzler, Morvant, Sebban and Zantedeschi: Learning Landmark-Based Ensembles with
// Random Fourier Features and Gradient Boosting, arXiv:1906.06203 (2019), and
// Landmark-based Ensemble Learning with Random Fourier Features and Gradient Boosting,
// ECML PKDD 2020.
//
// All these methods grow a vote H(x) = H^0 + sum over t of alpha^t h^t(x). A weak learner h^t is a weighted sum of K
// random Fourier features of the Gaussian kernel exp(-gamma ||x-x'||^2) at x - x^t, with a landmark x^t. GBRFF
// (gbrff2019.go) fits the residuals y - H by least squares. Its landmarks are learned, and those of GBRFF-random are
// drawn. The methods of 2020 lower the exponential loss, the mean over i of exp(-y_i H(x_i)). GBRFF1 (gbrff1.go,
// Algorithm 2) learns the landmark and finds the weights of K drawn features in closed form. GBRFF2 (gbrff2.go,
// Algorithm 3) has K = 1, replaces the landmark by a phase b, and learns the frequency too. Comments give the line
// numbers of the paper's algorithms.
//
//	sample.go    the training set as rows
//	learner.go   the search for landmark and weights of GBRFF1
//	squares.go   the search for landmarks of GBRFF, of all grid points together
//	landscape.go the loss of a round of GBRFF1 over its landmark
//	state.go     lines 1, 3, 4, 8 and 9 of GBRFF1 and GBRFF2; the draws of all methods
//	path.go      several grid points at a time
//	ensemble.go  the model: scoring, stages, saving
//
// All normals are drawn before the first round, so that draws do not depend on the parameters. Grid points of GBRFF and
// of GBRFF1 with the same frequencies run round by round together, and share the cosines and sines. GBRFF2 learns its
// frequencies, so that its grid points could share only draws and packing, a small part of a fit. The passes over rows
// are in methods/internal/vmath. One fit runs on one goroutine.
//
// # Departures
//
// In GBRFF1 and GBRFF2 the step size alpha is finite: see [stepSize]. Residuals are bounded by
// [maxResidual]. Neither bound is near on the paper's data (wine, german, spambase,
// occupancy, bankmarketing: weights below 20, step sizes below 2). With labels of one
// class only, H^0 is infinite and the fit is refused.
package gbrff
