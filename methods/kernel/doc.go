// Package kernel holds the exact kernel machines that the random-feature methods approximate and
// are compared with.
//
//	gk.go        GK and GLK: the Gaussian kernel, and Gaussian plus linear, with square or logistic loss
//	newton.go    their problems and the truncated Newton method
//	cg.go        its systems: conjugate gradients on products with the kernel
//	nystroem.go  the preconditioner of these
//	product.go   products of the kernel matrix with several vectors at a time
//	loss.go      square and logistic loss
//	krrgd.go     KRR-GD: kernel ridge regression, kernel coefficients by gradient descent
//	loo.go       its objective: the leave-one-out error and the gradient
//	svm.go       SVM: the C-SVC with the Gaussian kernel, solved by methods/internal/svm
//	machine.go   the model they share: scoring, saving; kernel matrices
//
// GK and GLK take n^2 time for each product with the kernel, of which a solution needs some 75 at lambda = 1e-5 and fewer for larger penalties, and hold n^2/2
// elements of 8 bytes to gramLimit, or n^1.5 beyond. KRR-GD takes n^3 time for each step and holds n^2 elements.
//
// All grid points of a path and all outputs share the products with the kernel matrix. No solution starts from another one, so that
// sharing changes no bit. Everything is float64. For larger n the other families have approximations; this package has none.
package kernel
