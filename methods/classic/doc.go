// Package classic holds the methods that every reader looks for first: logistic regression, linear discriminant analysis and
// nearest neighbours.
//
// logistic.go and lda.go fit the linear model of linear.go; knn.go keeps the training rows. Each file opens with the problem that
// it solves. None has kernels, feature selection or weights of rows, and none takes missing values.
package classic
