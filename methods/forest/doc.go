// Package forest holds RF, the random forest by the rules of Breiman 2001: forest.go declares it,
// grow.go grows trees, model.go is the model, which tells importances and prints its trees.
package forest
