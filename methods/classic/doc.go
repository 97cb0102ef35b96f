// Package classic holds the best known methods: logistic regression, linear discriminant analysis and nearest
// neighbours.
//
// logistic.go and lda.go fit the linear model of linear.go; knn.go keeps the training rows. Each file begins with the
// problem that it solves. The package has no kernels, no feature selection, no weights of rows, and takes no missing
// values.
package classic
