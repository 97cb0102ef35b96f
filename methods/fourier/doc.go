// Package fourier holds the kernel learning by random Fourier features of Bazavan, Li and Sminchisescu, Fourier Kernel Learning,
// ECCV 2012: linear models on an explicit random map whose kernel has parameters sigma, which can be learned too, since the draws
// stay and sigma only stretches them.
//
// All methods are the general model (5),
//
//	f(sigma, w) = sum_c loss(psi_sigma(X) w_c, y_c) + lambda nu(w) + rho eta(sigma),
//
// with classes one against the rest (targets -1 and +1) that share the map:
//
//	RFF-SQL-SKL        one embedding of all features (4), square loss, l2 on w, sigma fixed
//	RFF-SKL            the same, sigma learned (9)
//	RFF-SQL-SQR-MKL    an embedding a channel, side by side (13), square loss, l2 on w
//	RFF-SQL-MKL        the same with the l2,1 norm: channels drop out
//	RFF-MKL            the same with the epsilon-insensitive gamma-logistic loss (19)
//	..-JOINT           the last two with sigma learned
//
// A channel is a block of the set's features, and a feature outside of blocks is one by itself: so on a set without channels the product
// form has one sigma a feature, and the sum form is additive in the features.
//
//	kernel.go        the kernels of Table 1: quantiles, domains, the chi-square map
//	embedding.go     draws, eqs. (4) and (13), rows embedded in blocks
//	loss.go          the losses of Table 2, derivatives and conjugates
//	penalty.go       the penalties of Table 2
//	objective.go     (5) with its gradients (6), (7), (11)
//	ridge.go         (10), ridge regression in closed form
//	skl.go           RFF-SKL: descent in sigma
//	columns.go       the embedding of all rows in orthonormal bases of its channels, used by products alone
//	grouplasso.go    (19): semismooth Newton's method for all classes and penalties; newton.go takes its steps
//	mkl.go joint.go  the methods with the l2,1 norm; methods.go those at fixed sigma
//	machine.go       scoring and saving
//	fit.go cost.go   what surrounds a fit; memory and time
//
// # Departures
//
// (10) has 2 lambda, as the 1/2 in (9) demands. The gradient in sigma has no derivative of w (8): w minimises the same objective. Targets
// of regression, which the paper does not have, are standardised. The penalties of the group lasso are fractions
// of the least one that makes all weights zero.
//
// What is not here: the hinge and the logistic loss, penalties of sigma other than l2, and a solver for the l1 norm, whose values
// and gradients objective.go has.
package fourier
