// Package cart holds CART, one decision tree, and CART-golearn, the same tree grown by golearn.
//
// A classification or regression tree splits one feature at a threshold in each inner node and is constant in each leaf
// (Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984). golearn is the usual library for
// trees in Go. CART grows the same trees, equal in every bit, but faster: it scans sorted rows, where golearn counts
// all labels again at every threshold.
//
//	cart.go     declares both methods and their parameters
//	grow.go     grows CART's trees
//	golearn.go  copies data to golearn, and the grown tree back
//	model.go    the tree: scoring, saving
//	memory.go   predicts memory
//
// Trees are pruned by depth only (golearn has neither cost-complexity pruning nor a
// least leaf size). There are no missing values and no categories: codes are split as numbers.
//
// golearn cannot be interrupted. A cancelled fit of CART-golearn returns at once, but golearn's goroutine runs to its
// end, which took 32 to 51 s for 6,440 rows of 178 features. The goroutine touches none of the caller's data, and its
// result is dropped. At most GOMAXPROCS such goroutines exist, abandoned ones included. If there are as many, a fit
// waits, under its own context. To stop golearn early, run the fit in a process that can be killed.
package cart
