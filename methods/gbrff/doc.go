// Package gbrff holds the two boosting methods of Gautheron, Germain, Habrard,
// Metzler, Morvant, Sebban and Zantedeschi, Landmark-based Ensemble Learning with
// Random Fourier Features and Gradient Boosting, ECML PKDD 2020.
//
// Both grow a vote H(x) = H^0 + sum over t of alpha^t h^t(x) on the exponential
// loss, mean over i of exp(-y_i H(x_i)). A weak learner h^t is a weighted sum of K
// random Fourier features of the Gaussian kernel exp(-gamma ||x-x'||^2), seen from
// a landmark x^t that is learned; GBRFF1 (gbrff1.go, Algorithm 2) weights K draws in
// closed form, GBRFF2 (gbrff2.go, Algorithm 3) has K = 1, replaces the landmark by a
// phase b and learns the frequency too. Each file reads like its algorithm and
// carries its line numbers.
//
//	sample.go    the training set, checked
//	vote.go      what the algorithms share: lines 1, 3, 4, 8 and 9
//	ensemble.go  the model: scoring, stages, saving
//
// All normals are drawn before the first round, so that draws do not depend on
// the parameters. The passes over rows are methods/internal/vmath's. One fit runs on
// one goroutine.
//
// # Departures
//
// The step size alpha is finite: see [stepSize]. Residuals are bounded by
// [maxResidual]. Neither bound is near on the paper's data (wine, german, spambase,
// occupancy, bankmarketing: weights below 20, step sizes below 2). With labels of one
// class only, H^0 is infinite and the fit is refused.
package gbrff
