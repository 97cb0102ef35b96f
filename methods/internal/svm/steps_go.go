//go:build !cgo || !amd64 || windows || nokernels

package svm

func steps[F Float](w *work[F], n int, epsilon, tol float64,
	budget int) (s status, done, need int, minUp, maxDown float64) {
	return run(w, n, epsilon, tol, budget)
}

func addFour[F Float](fit []float64, rows *[4][]F, by *[4]float64) { addFourRef(fit, rows, by) }
