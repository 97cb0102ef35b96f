//go:build !cgo || !amd64 || windows || nokernels

package svm

func steps[F Float](w *work[F], n int, epsilon, tol float64,
	budget int) (s status, done, need int, minUp, maxDown float64) {
	return run(w, n, epsilon, tol, budget)
}
