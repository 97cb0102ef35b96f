// Package kernel holds the exact kernel machines that the random-feature methods approximate and
// are compared with.
//
//	gk.go        GK and GLK: the Gaussian kernel, and Gaussian plus linear, with square or logistic loss
//	krrgd.go     KRR-GD: kernel ridge regression, kernel parameters by gradient descent
//	loo.go       its objective: the leave-one-out error and the gradient
//	machine.go   the model they share: scoring, saving; kernel matrices
//
// All of them spend their time in methods/internal/cholesky.
//
// Everything is float64 and dense: n^2 memory, n^3 time. A fit over several penalties makes the kernel
// matrix once. There is no approximation here for larger n; that is what the other families are for.
package kernel
