// Package gbdt grows boosted trees as LightGBM and as XGBoost do.
//
// Both minimise a loss over sums of trees, one tree a round (Friedman 2001), each
// tree fitted to the gradients g_i and hessians h_i of the loss at the current scores;
// a leaf with sums G and H has the value -G/(H+lambda) times the learning rate (Chen
// and Guestrin 2016, eq. 5). The two libraries search for splits in different ways and make them in a different order:
//
//	leafwise.go   LightGBM: values in at most 255 bins, a histogram a leaf, the leaf
//	              with the largest gain first (Ke et al. 2017)
//	levels.go     XGBoost, tree_method exact: all values, level by level
//
// The aim is to grow the trees that these libraries grow, with the same splits from the same data, so that a column of
// results may carry their names. Small things decide which tree grows, and we keep them: how bins are chosen (bin.go)
// and features bundled (bundle.go), which sums are in single and which in double precision, the order of sums, which
// bins are computed by subtraction, and how ties are broken. lightgbm_test.go and xgboost_test.go train the libraries,
// and our trees, on the catalogue's sets. The golden files hold a few of their trees, for machines without the
// libraries.
//
//	dataset.go, bin.go, bundle.go, random.go   a sample in bins
//	node.go, kernels_*, node_kernel.h          histograms and scans, in Go and in C
//	leafwise.go, boost.go, path.go             LightGBM's trees, rounds, grids
//	sparse.go                                  the features of a row from which histograms of indicators are built
//	sorted.go, levels.go, depthwise.go         XGBoost's sample, trees, rounds
//	expf.go                                    the exponential that XGBoost calls
//	ranks.go, cut_kernel.h                     XGBoost's cuts from histograms of ranks
//	objective.go                               losses
//	tree.go, model.go                          trees and models
//	text.go, textread.go                       LightGBM's text format, version 3
//
// # Memory layout
//
// Features are stored in blocks of eight; the eight bytes of a row are side by side. A block's histogram has eight
// pairs (gradient, hessian) for each bin, so that one vector instruction advances the scan of eight features. The Go
// functions in node.go define the result; the C kernels give the same bits.
//
// # What it leaves out
//
// Categorical features, row and column sampling, L1 and other penalties, monotone constraints, early stopping, several
// threads. LightGBM's own results change in the last bits with its number of threads; ours are those of one thread. A
// missing value is NaN. It has a bin of its own for LightGBM's trees (bin.go), and rank 0 for XGBoost's trees
// (sorted.go). Both learn at each split to which side missing values go.
package gbdt
