// Package rfrboost holds RFRBoost, random feature representation boosting (Zozoulenko, Cass and Gonon, ICML 2025). The
// model is a residual network whose layers are random features. Each layer is fitted in closed form to lower the risk
// of the linear model on top.
//
// With n rows x_i, the representation Phi_t: R^d -> R^d, Phi_0(x) = x, and a linear model W_t, b_t on the
// representation, the risk is
//
//	R(W, b, Phi) = (1/n) sum_i loss(W Phi(x_i) + b, y_i) + lambda |W|^2,
//
// with the square loss, or the logistic loss of all classes at once. The algorithm of the paper (Algorithms 1 and 2),
// for t = 0 .. T-1:
//
//	1  W_t, b_t = argmin R(W, b, Phi_t)
//	2  f_t(x) = tanh(A_t Phi_t(x) + a_t) and tanh(A'_t x + a'_t), 2 M random features: see swim.go
//	3  gradient: G_i = r_i W_t, scaled to a mean square of 1, with -r_i the derivative of the loss by the scores;
//	   Delta = argmin (1/n) sum_i |G_i - Delta f_t(x_i) - c|^2 + rho |Delta|^2;
//	   s = argmin over a real number of R(W_t, b_t, Phi_t + s (Delta f_t + c)) + s^2 / 10^5
//	3' greedy, square loss: Delta = argmin (1/n) sum_i |r_i - W_t Delta f_t(x_i)|^2 + rho |Delta|^2, c = 0, s = 1
//	4  Phi_{t+1} = Phi_t + eta s (Delta f_t + c)
//
// The scores are those of W_T, b_T on Phi_T. G is H W_t, where H has one column for each output, and Delta has the same
// form. So line 3 is a ridge regression of the residuals r, and line 3' is one with the penalty rho/|w|^2. No layer
// needs a matrix of 2 M x d.
//
// rfrboost.go is the algorithm, swim.go the random features, ridge.go the regression of line 3, model.go the model:
// scoring, saving. The upscaling layer before the first representation and the batch normalisation of the published
// program are left out: the best results of its authors use neither.
package rfrboost
