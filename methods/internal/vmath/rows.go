package vmath

// RowsExpCosLoss is [Packed.ExpCosLoss] of the row-major rows x cols matrix a, with equal bits, for matrices too large
// for a packed copy. It packs one block of rows at a time, in the cache, which costs time but no memory. One pass over
// a.
func RowsExpCosLoss(a []float64, rows, cols int, w []float64, b float64, r, cosines, grad []float64) float64 {
	sameLength("RowsExpCosLoss", "a", len(a), "rows x cols", rows*cols)
	equalLengths("RowsExpCosLoss", cols, w, grad)
	equalLengths("RowsExpCosLoss", rows, r, cosines)
	f := rowsExpCos(a, rows, cols, w, b, r, cosines, grad)
	return mean(f, grad, rows)
}

func rowsExpCosRef(a []float64, n, d int, w []float64, b float64, r, cosines, grad []float64) float64 {
	tile, lanes := scratch(block*d), scratch(8*d)
	defer pool.Put(tile)
	defer pool.Put(lanes)
	var total [8]float64
	for i := 0; i < n; i += block {
		rows := min(block, n-i)
		packRef(*tile, a[i*d:(i+rows)*d], rows, d)
		expCosBlockRef(*tile, i, n, d, w, b, r, cosines, *lanes, &total)
	}
	sumLanes(grad, *lanes)
	return tree8(total[:])
}
