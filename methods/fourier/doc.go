// Package fourier holds the kernel learning by random Fourier features of Bazavan, Li and Sminchisescu, Fourier Kernel
// Learning, ECCV 2012: linear models on an explicit random map. The kernel of the map has parameters sigma. They can be
// learned too, since sigma only stretches the random draws, which stay the same.
//
// All methods minimise the general model (5),
//
//	f(sigma, w) = sum_c loss(psi_sigma(X) w_c, y_c) + lambda nu(w) + rho eta(sigma),
//
// with classes one against the rest (targets -1 and +1) that share the map:
//
//	RFF-SQL-SKL          one embedding of all features (4), square loss, l2 on w, sigma fixed
//	RFF-SKL              RFF-SQL-SKL with sigma learned (9)
//	RFF-SQL-SQR-MKL      one embedding for each channel, side by side (13), square loss, l2 on w
//	RFF-SQL-MKL          RFF-SQL-SQR-MKL with the l2,1 norm on w, which drops channels
//	RFF-MKL              RFF-SQL-MKL with the epsilon-insensitive gamma-logistic loss (19)
//	RFF-SQL-MKL-JOINT    RFF-SQL-MKL with sigma learned
//	RFF-MKL-JOINT        RFF-MKL with sigma learned
//
// A channel is a block of the data set's features. A feature outside of every block is a channel of its own. So on a
// set without blocks the product form has one sigma for each feature, and the sum form is additive in the features.
//
//	kernel.go        the kernels of Table 1: quantiles, domains, the chi-square map
//	embedding.go     draws, eqs. (4) and (13), rows embedded in blocks
//	loss.go          the losses of Table 2, their derivatives and conjugates
//	objective.go     (5) with l2 penalties, and its gradient (6), (11)
//	ridge.go         (10), ridge regression in closed form
//	skl.go           RFF-SKL: descent in sigma
//	channel.go       the rows of a channel, each value once
//	columns.go       the embedding of all rows in orthonormal bases of its channels, and products with it
//	grouplasso.go    (19) by a semismooth Newton method, for all classes and penalties at once
//	newton.go        its steps, by conjugate gradients; direct.go by Cholesky's factorisation
//	mkl.go joint.go  the methods with the l2,1 norm; methods.go those at fixed sigma
//	machine.go       scoring and saving
//	fit.go memory.go   the start of a fit; estimates of memory
//
// # Departures
//
// The code has 2 lambda in (10), as the 1/2 in (9) demands. The gradient in sigma omits the derivative (8) of w, since
// w minimises the same objective. The paper has no regression; here its targets are standardised. The penalties of the
// group lasso are fractions of the least penalty that makes all weights zero.
//
// What is not here: the hinge and the logistic loss, penalties of sigma other than l2, and the l1 norm of w.
package fourier
