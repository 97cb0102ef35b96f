// Package linear trains linear classifiers exactly: the soft-margin support vector machine with an intercept that is
// not penalised.
//
// # Problem
//
// For n examples x_i in R^d with labels y_i = -1 or +1 and a cost C > 0, as the linear C-SVC of libsvm states it,
//
//	primal   min over w in R^d, b in R of   P(w, b) = 1/2 |w|^2 + C sum_i max(0, 1 - y_i (w.x_i + b))
//	dual     max over a in R^n of           D(a) = sum_i a_i - 1/2 |sum_i a_i y_i x_i|^2
//	         subject to                     0 <= a_i <= C,  sum_i a_i y_i = 0
//
// The a_i are the multipliers, t_i = 1 - y_i (w.x_i + b) the slacks, and P(w, b) - D(a) >= 0 is the duality gap.
//
// # Algorithm
//
// The proximal point method solves the dual (Rockafellar, Augmented Lagrangians and applications of the proximal point
// algorithm in convex programming, Mathematics of Operations Research 1976), which is the method of multipliers on the
// primal. A stage is
//
//	alpha' = argmax over a of   D(a) - |a - alpha|^2 / (2 sigma)
//
// with a penalty sigma that grows from stage to stage. The dual of this problem is to minimise a smooth, piecewise
// quadratic function of (w, b). Semismooth Newton steps do this (newton.go). A Newton step costs O(nd) and the
// factorisation of a matrix of at most d + 1 rows (system.go). As P is piecewise quadratic, a few stages with a large
// sigma identify the examples on the margin, and the gap drops to rounding.
//
// # Stopping rule
//
// A solution is returned when its relative duality gap is at most Target, or at most Tolerance where rounding lets the
// gap fall no further. Where the gap stays above Tolerance, the best point is returned with its gap.
//
// # Scope
//
// The package is made for dense features, many fewer than examples (d of 10 to 300, n to 10^5). The features may be
// nearly dependent, where decomposition methods need millions of steps or stop early. The package has no kernels, no
// other losses, no weights of examples and no sparse features.
//
// Inner loops are methods/internal/vmath's, so a solution has the same bits on every machine. It depends on (X, y, C)
// alone, so that a path of C equals single fits bit for bit. Warm starts along C would break this, and gain little: on
// a path of GFC they save at most two fifths of the Newton steps, and on pima they take a sixth more.
package linear
