// Package metric defines the metrics that are computed from the score of a prediction, and selects grid
// points by a metric.
//
//	metric.go         Metric, the list of metrics, and names
//	classes.go        metrics of counts of rows
//	errors.go         metrics of the errors of a regression
//	probabilities.go  metrics of probabilities
//	auc.go            the count of ordered pairs under the area under the ROC curve
//	select.go         the grid point with the best mean over the folds
//
// Values are exact rationals, so that their means, ties and ranks can be exact too. An irrational value (mcc,
// rmse) is replaced by its float64, exactly.
//
// Whether a value exists depends on the targets alone, never on the predictions of a model, as long as the
// errors of a regression are finite. So all methods and all grid points have the value or lack it together.
// Metrics of probabilities are the exception: only some methods give probabilities.
//
// The package scores no rows: the harness counts, and every metric is computed from the counts.
package metric
