//go:build !cgo || !amd64 || windows || purego

package vmath

func sin(s, x []float64) (far bool) {
	sinArrayRef(s, x)
	return false
}

func cos(c, x []float64) (far bool) {
	cosArrayRef(c, x)
	return false
}

func sinCos(s, c, x []float64) (far bool) {
	sinCosArrayRef(s, c, x)
	return false
}

func exp(dst, x []float64) { expArrayRef(dst, x) }

func dot(x, y []float64) float64 { return dotRef(x, y) }

func sum(x []float64) float64 { return sumRef(x) }

func axpy(a float64, x, y []float64) { axpyRef(a, x, y) }

func matVec(dst, a []float64, rows, cols int, v []float64) { matVecRef(dst, a, rows, cols, v) }

func rowDots(dst, a []float64, ld, rows, cols int, v []float64) {
	rowDotsRef(dst, a, ld, rows, cols, v)
}

func matTVec(dst, a []float64, ld, rows, cols int, c []float64) {
	matTVecRef(dst, a, ld, rows, cols, c)
}

func pack(x, a []float64, n, d int) { packRef(x, a, n, d) }

func packedMatVec(dst, x []float64, n, d int, v []float64) { packedMatVecRef(dst, x, n, d, v) }

func packedMatTVec(dst, x []float64, n, d int, c []float64) { packedMatTVecRef(dst, x, n, d, c) }

func packedTrig(dst, x []float64, n, d int, w []float64, m int) { packedTrigRef(dst, x, n, d, w, m) }

func packedCosines(dst, x []float64, n, d int, w, phase []float64) {
	packedCosinesRef(dst, x, n, d, w, phase)
}

func expCos(x []float64, n, d int, w []float64, b float64, r, cosines, grad []float64) float64 {
	return expCosRef(x, n, d, w, b, r, cosines, grad)
}

func expLinear(x []float64, n, d int, v, r, scores, grad []float64) float64 {
	return expLinearRef(x, n, d, v, r, scores, grad)
}

func squareLinear(x []float64, n, d int, v, r, scores, grad []float64) float64 {
	return squareLinearRef(x, n, d, v, r, scores, grad)
}

func expPairs(x []float64, n, m int, cu, su, r, losses []float64) {
	expPairsRef(x, n, m, cu, su, r, losses)
}

func squarePairs(x []float64, n, m int, cu, su, r, losses []float64) {
	squarePairsRef(x, n, m, cu, su, r, losses)
}

func expShift(r, c, s []float64, cb, sb float64) float64 { return expShiftRef(r, c, s, cb, sb) }

func reweight(score, w, r, y, h []float64, alpha float64) float64 {
	return reweightRef(score, w, r, y, h, alpha)
}

func margins(y, h, w []float64) (plus, minus float64) { return marginsRef(y, h, w) }

func matMul(dst, a []float64, m, k int, b []float64, n int, turned bool) {
	matMulRef(dst, a, m, k, b, n, turned)
}

func gram(dst, a []float64, n, k int) { gramRef(dst, a, n, k) }

func gramAdd(dst, a []float64, n, k, from, to int) { gramAddRef(dst, a, n, k, from, to) }

func mirror(c []float64, n int) { mirrorRef(c, n) }

func gaussian(dst, dots, squares []float64, square, g float64) {
	gaussianRef(dst, dots, squares, square, g)
}

func addGaussians(dst, dots, rows, points, coefs []float64, g float64) {
	addGaussiansRef(dst, dots, rows, points, coefs, g)
}
