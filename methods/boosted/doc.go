// Package boosted holds the methods that boost decision trees, LGBM and XGB. They are the algorithms
// of LightGBM and XGBoost, split for split; package methods/internal/gbdt grows them.
//
// This package declares the methods. lgbm.go and xgb.go hold grids and paths. LGBM puts a sample into bins once for a
// whole grid, and grid points of different depths share rounds. XGB sorts once. model.go is the model, saved as
// LightGBM's text. cost.go has the estimates of time and memory.
package boosted
