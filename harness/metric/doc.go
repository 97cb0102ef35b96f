// Package metric says what may be computed from the score of a prediction, and picks grid points
// by it.
//
//	metric.go         Metric, the list of them, and names
//	classes.go        what is computed from counts of rows
//	errors.go         what is computed from the errors of a regression
//	probabilities.go  what probabilities are worth
//	auc.go            the count of ordered pairs under the area under the ROC curve
//	select.go         the grid point with the best mean over the folds
//
// Values are exact rationals, so that means, ties and ranks of them can be exact too. A value that
// is irrational by nature (mcc, rmse) is its float64, exactly.
//
// Whether a value exists depends on the targets alone, never on what a model predicts, as long as
// the errors of a regression are finite. All methods and all grid points have it or lack it together.
// Metrics of probabilities are the exception: they are of methods that give some.
//
// The package scores no rows: the harness counts, and every metric is computed from the counts.
package metric
