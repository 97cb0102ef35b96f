// Package gbrff holds the boosting methods of two papers by Gautheron, Germain, Habrard,
// Metzler, Morvant, Sebban and Zantedeschi: Learning Landmark-Based Ensembles with
// Random Fourier Features and Gradient Boosting, arXiv:1906.06203 (2019), and
// Landmark-based Ensemble Learning with Random Fourier Features and Gradient Boosting,
// ECML PKDD 2020.
//
// All grow a vote H(x) = H^0 + sum over t of alpha^t h^t(x). A weak learner h^t is a
// weighted sum of K random Fourier features of the Gaussian kernel exp(-gamma ||x-x'||^2),
// seen from a landmark x^t. GBRFF (gbrff2019.go) fits the residuals y - H in least squares,
// with learned landmarks or, as GBRFF-random, drawn ones. The methods of 2020 lower the
// exponential loss, mean over i of exp(-y_i H(x_i)): GBRFF1 (gbrff1.go, Algorithm 2) learns
// landmarks and weights K draws in closed form, GBRFF2 (gbrff2.go, Algorithm 3) has K = 1,
// replaces the landmark by a phase b and learns the frequency too. Each file reads like its
// algorithm and carries its line numbers.
//
//	sample.go    the training set as rows
//	learner.go   GBRFF's and GBRFF1's search for landmark and weights
//	state.go     GBRFF1's and GBRFF2's lines 1, 3, 4, 8 and 9; everyone's draws
//	path.go      several grid points at a time
//	ensemble.go  the model: scoring, stages, saving
//
// All normals are drawn before the first round, so that draws do not depend on
// the parameters. Grid points of GBRFF and of GBRFF1 with the same frequencies are advanced
// round by round together and share what depends on frequencies alone. GBRFF2 learns its
// frequencies: its grid points could share only draws and packing, a small part of a fit. The
// passes over rows are methods/internal/vmath's. One fit runs on one goroutine.
//
// # Departures
//
// In GBRFF1 and GBRFF2 the step size alpha is finite: see [stepSize]. Residuals are bounded by
// [maxResidual]. Neither bound is near on the paper's data (wine, german, spambase,
// occupancy, bankmarketing: weights below 20, step sizes below 2). With labels of one
// class only, H^0 is infinite and the fit is refused.
package gbrff
