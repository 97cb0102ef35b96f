// Package kernel holds the exact kernel machines that the random-feature methods approximate and
// are compared with.
//
//	gk.go           GK and GLK: the Gaussian kernel, and Gaussian plus linear, with square or logistic loss
//	krrgd.go        KRR-GD: kernel ridge regression, kernel coefficients by gradient descent
//	svm.go          SVM: the C-SVC with the Gaussian kernel, solved by methods/internal/svm
//	exact.go        GK's problems through a factor of the whole kernel matrix: up to exactRows rows
//	large.go        the same problems, beyond, at the price of the kernel's rank: who shares what, which rank
//	partial.go      its start: Newton's method with a partial factor, which then is the preconditioner
//	solution.go     its end: Newton's method with conjugate gradients and the whole kernel, checked by the duality gap
//	loss.go         square and logistic loss, as those two need them
//	product.go      rows of the kernel and products with it, of elements that are computed when they are needed
//	loo.go          its objective: the leave-one-out error and the gradient
//	machine.go      the model they share: scoring, saving; kernel matrices
//
// Up to exactRows (1000) rows everything is dense: n^2 memory, n^3 time, nearly all of it in methods/internal/cholesky. Beyond, GK and GLK factor no n x n matrix, and
// above keptRows hold none: n r memory, n r^2 time, and n^2 for each product with the kernel, for a rank r that the data and the penalty choose. What they return is exact
// all the same: the rank is only that of a preconditioner, and the answer is accepted by its optimality with the whole kernel.
// KRR-GD takes n^3 time for each step and holds n^2 elements for any n.
//
// Settings of a path and outputs share the kernel's elements and the factor, and nothing that would change a bit: each starts from its own beginning.
// Everything is float64. There is no other approximation here for larger n; that is what the other families are for.
package kernel
