// Package kernel holds the exact kernel machines that the random-feature methods approximate and are compared with, and
// three machines on the kernel functions of some rows alone, for larger sets.
//
//	gk.go           GK and GLK: the Gaussian kernel, and Gaussian plus linear, with square or logistic loss
//	newton.go       the problems of GK and GLK, and the truncated Newton method that solves them
//	cg.go           the linear systems of Newton's method: conjugate gradients on products with the kernel
//	precondition.go the preconditioner of the conjugate gradients
//	product.go      products of the kernel matrix with several vectors at a time
//	loss.go         square and logistic loss
//	krrgd.go        KRR-GD: kernel ridge regression, kernel coefficients by gradient descent
//	loo.go          the objective of KRR-GD: the leave-one-out error and its gradient
//	svm.go          SVM: the C-SVC with the Gaussian kernel, solved by methods/internal/svm
//	falkon.go       FALKON: ridge regression on landmarks by preconditioned conjugate gradients
//	falkonlogistic.go  the same with the logistic loss, by Newton's method
//	nystroem.go     NYSTROEM: ridge and logistic regression on the Nystroem features of landmarks
//	eigenpro.go     EIGENPRO: least squares on landmarks, by gradient descent preconditioned by eigenvectors
//	spectrum.go     the largest eigenvalues of a kernel matrix, and their vectors
//	landmarks.go    the kernel of rows with landmarks, for FALKON, NYSTROEM and EIGENPRO
//	machine.go      the model of all these methods: scoring, saving; kernel matrices
//
// GK and GLK take n^2 time for each product with the kernel matrix. A solution needs about 75 products at lambda =
// 1e-5, and fewer for larger penalties. They hold n^2/2 elements of 8 bytes, 4 GiB at most, and about n^1.5
// besides. KRR-GD takes n^3 time for each step and holds n^2 elements.
//
// Grid points and outputs of GK and GLK share the products with the kernel matrix, and so do those of FALKON. No
// solution of these methods starts from another one. The numbers of epochs of EIGENPRO are stages of one descent.
// Sharing changes no bit. Everything is float64. Random features are in other families.
package kernel
