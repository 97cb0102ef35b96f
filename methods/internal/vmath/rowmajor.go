package vmath

import "math"

// MatVec sets dst, of rows elements, to the product of the row-major rows x cols
// matrix a with v, of cols elements.
func MatVec(dst, a []float64, rows, cols int, v []float64) {
	sameLength("MatVec", "a", len(a), "rows x cols", rows*cols)
	sameLength("MatVec", "dst", len(dst), "rows", rows)
	sameLength("MatVec", "v", len(v), "cols", cols)
	matVec(dst, a, rows, cols, v)
}

// MatTVec sets dst, of cols elements, to the product of the transpose of the
// row-major rows x cols matrix a with c, of rows elements.
func MatTVec(dst, a []float64, rows, cols int, c []float64) {
	sameLength("MatTVec", "a", len(a), "rows x cols", rows*cols)
	sameLength("MatTVec", "dst", len(dst), "cols", cols)
	sameLength("MatTVec", "c", len(c), "rows", rows)
	matTVec(dst, a, cols, rows, cols, c)
}

// RowDots sets dst[i] to the inner product of v, of cols elements, with the first cols elements of row i of a, whose
// rows are ld apart. Column k goes to lane k mod 8. RowDots is several times as fast as MatVec, which sums in the order
// of the columns.
func RowDots(dst, a []float64, ld, rows, cols int, v []float64) {
	stridedLength("RowDots", "a", len(a), ld, rows, cols)
	sameLength("RowDots", "dst", len(dst), "rows", rows)
	sameLength("RowDots", "v", len(v), "cols", cols)
	rowDots(dst, a, ld, rows, cols, v)
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

func matVecRef(dst, a []float64, rows, cols int, v []float64) {
	for i := range rows {
		s := 0.0
		for k, x := range a[i*cols : (i+1)*cols] {
			s = math.FMA(x, v[k], s)
		}
		dst[i] = s
	}
}

func rowDotsRef(dst, a []float64, ld, rows, cols int, v []float64) {
	for i := range rows {
		var lanes [8]float64
		for k, x := range a[i*ld : i*ld+cols] {
			lanes[k%8] = math.FMA(x, v[k], lanes[k%8])
		}
		for k := cols; k%8 != 0; k++ { // the padding of a register adds 0, which turns -0 into 0
			lanes[k%8] += 0
		}
		dst[i] = tree8(lanes[:])
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

// Transposed returns the transpose (cols x rows) of a (rows x cols), both by rows.
func Transposed(a []float64, rows, cols int) []float64 {
	t := make([]float64, len(a))
	Transpose(t, rows, a, cols, rows, cols)
	return t
}

// Transpose writes the transpose of a rows x cols matrix to dst. The rows of src are lds elements apart, those of dst
// ldd.
func Transpose(dst []float64, ldd int, src []float64, lds, rows, cols int) {
	stridedLength("Transpose", "dst", len(dst), ldd, cols, rows)
	stridedLength("Transpose", "src", len(src), lds, rows, cols)
	transpose(dst, ldd, src, lds, rows, cols)
}

func transposeRef(dst []float64, ldd int, src []float64, lds, rows, cols int) {
	for i := range rows {
		for j, v := range src[i*lds:][:cols] {
			dst[j*ldd+i] = v
		}
	}
}

// Room returns a slice of n elements. The slice has the memory of x if the capacity of x is at least n, else new
// memory. The elements are not set to zero.
func Room[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}
