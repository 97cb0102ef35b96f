// Package trees holds the ensembles of decision trees: LGBM and XGB, which boost trees by the algorithms of LightGBM
// and XGBoost, split for split, and RF, the random forest by the rules of Breiman 2001.
//
// lgbm.go and xgb.go hold grids and paths; package methods/internal/gbdt grows the trees. LGBM puts a sample into bins
// once for a whole grid, and grid points of different depths share rounds. XGB sorts once. boostedmodel.go is the
// model, saved as LightGBM's text, and boostedmemory.go has the estimates of memory. forest.go declares RF,
// forestgrow.go grows its trees, and forestmodel.go is its model.
package trees
