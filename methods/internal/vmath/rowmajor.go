package vmath

import "math"

// MatVec sets dst, of rows elements, to the product of the row-major rows x cols
// matrix a with v, of cols elements.
func MatVec(dst, a []float64, rows, cols int, v []float64) {
	sameLength("MatVec", "a", len(a), "rows x cols", rows*cols)
	sameLength("MatVec", "dst", len(dst), "rows", rows)
	sameLength("MatVec", "v", len(v), "cols", cols)
	matVec(dst, a, cols, rows, cols, v)
}

// MatTVec sets dst, of cols elements, to the product of the transpose of the
// row-major rows x cols matrix a with c, of rows elements.
func MatTVec(dst, a []float64, rows, cols int, c []float64) {
	sameLength("MatTVec", "a", len(a), "rows x cols", rows*cols)
	sameLength("MatTVec", "dst", len(dst), "cols", cols)
	sameLength("MatTVec", "c", len(c), "rows", rows)
	matTVec(dst, a, cols, rows, cols, c)
}

// StridedMatVec is MatVec of the first cols columns of a matrix whose rows are ld apart, with the same bits.
func StridedMatVec(dst, a []float64, ld, rows, cols int, v []float64) {
	stridedLength("StridedMatVec", "a", len(a), ld, rows, cols)
	sameLength("StridedMatVec", "dst", len(dst), "rows", rows)
	sameLength("StridedMatVec", "v", len(v), "cols", cols)
	matVec(dst, a, ld, rows, cols, v)
}

// StridedMatTVec is MatTVec of the first cols columns of a matrix whose rows are ld apart, with the same bits.
func StridedMatTVec(dst, a []float64, ld, rows, cols int, c []float64) {
	stridedLength("StridedMatTVec", "a", len(a), ld, rows, cols)
	sameLength("StridedMatTVec", "dst", len(dst), "cols", cols)
	sameLength("StridedMatTVec", "c", len(c), "rows", rows)
	matTVec(dst, a, ld, rows, cols, c)
}

func stridedLength(f, name string, length, ld, rows, cols int) {
	if rows > 0 && (ld < cols || length < (rows-1)*ld+cols) {
		panic("vmath: " + f + ": " + name + " is too short for its rows")
	}
}

func matVecRef(dst, a []float64, ld, rows, cols int, v []float64) {
	for i := range rows {
		s := 0.0
		for k, x := range a[i*ld : i*ld+cols] {
			s = math.FMA(x, v[k], s)
		}
		dst[i] = s
	}
}

func matTVecRef(dst, a []float64, ld, rows, cols int, c []float64) {
	mem := scratch(8 * cols)
	defer pool.Put(mem)
	lanes := *mem
	for i := range rows {
		for k, x := range a[i*ld : i*ld+cols] {
			lanes[8*k+i%8] = math.FMA(x, c[i], lanes[8*k+i%8])
		}
	}
	sumLanes(dst, lanes)
}

// sumLanes sets dst[k] to the sum of the k-th eight lanes.
func sumLanes(dst, lanes []float64) {
	for k := range dst {
		dst[k] = tree8(lanes[8*k : 8*k+8])
	}
}
