//go:build !cgo || !amd64 || windows || purego

package vmath

func outer(c []float64, m int, a []float64, ld, rows, from int, how Change) {
	outerRef(c, m, a, ld, rows, from, how)
}

func scale(dst []float64, to int, a []float64, ld, rows, cols int, s []float64) {
	scaleRef(dst, to, a, ld, rows, cols, s)
}

func factor(u, c []float64, m int, scale float64, shift []float64) bool {
	return factorRef(u, c, m, scale, shift)
}

func back(x, u []float64, m, column int) { backRef(x, u, m, column) }

func addRows(dst, a []float64, n int, which []int, c []float64) { addRowsRef(dst, a, n, which, c) }

func columns(dst []float64, ld int, a []float64, n int, which []int) {
	columnsRef(dst, ld, a, n, which)
}

func logistic(f, moved, y, residual, root, slope []float64, sums *[32]float64) {
	logisticRef(f, moved, y, residual, root, slope, sums)
}

func signed(x, y []float64, b float64) { signedRef(x, y, b) }

func hingeMove(h *Hinge, step, sigma, c float64) HingeSums { return hingeMoveRef(h, step, sigma, c) }

func hingeSlope(h *Hinge, step, sigma, c float64) (product, square float64) {
	return hingeSlopeRef(h, step, sigma, c)
}

func wave(s, c, z, f, y []float64) WaveSums { return waveRef(s, c, z, f, y) }

func waveSlope(slope, f, s, c, y []float64, a, t [3]float64) float64 {
	return waveSlopeRef(slope, f, s, c, y, a, t)
}
