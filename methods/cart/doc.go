// Package cart holds CART, one decision tree.
//
// A classification or regression tree splits one feature at a threshold in each inner node and is constant in each leaf
// (Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984). golearn is the usual library for trees in
// Go. CART grows golearn's trees, equal in every bit, but faster: it scans sorted rows, where golearn counts all labels again at
// every threshold. golearn itself is the oracle of the tests.
//
//	cart.go   declares the method and its parameters
//	grow.go   grows trees
//	model.go  values of the leaves, importances, the model, its tree as text
//	cost.go   predicts time and memory
//
// Trees are pruned by depth only (golearn has neither cost-complexity pruning nor a
// least leaf size). There are no missing values and no categories: codes are split as numbers.
package cart
