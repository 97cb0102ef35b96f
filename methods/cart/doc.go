// Package cart holds CART, one decision tree, and CART-golearn, the same tree grown by golearn.
//
// A classification or regression tree splits one feature at a threshold in each
// inner node and is constant in each leaf (Breiman, Friedman, Olshen and Stone,
// Classification and Regression Trees, 1984). golearn's trees are the baseline that Go
// programs have had. CART grows the same trees, equal in every bit, by sorted scans
// where golearn counts all labels anew at every threshold.
//
// Its parts: cart.go declares both methods and their parameters; grow.go grows
// CART's trees; golearn.go carries data to golearn and copies the grown tree out of
// it; model.go is the tree, which scores and is saved; look.go is what it tells about
// itself; cost.go predicts time and memory.
//
// Trees are pruned by depth only (golearn has neither cost-complexity pruning nor a
// least leaf size). There are no missing values and no categories: codes are split as numbers.
//
// golearn cannot be interrupted. A cancelled fit of CART-golearn returns at once, but
// golearn's goroutine runs to its end, which took 32 to 51 s for 6,440 rows of 178 features; it
// touches nothing of the caller's, and its result is dropped. At most GOMAXPROCS such
// goroutines exist, abandoned ones included: a fit that finds all places taken
// waits, under its own context. To get the time back, run the fit in a process
// that can be killed.
package cart
