package vmath

import "math"

// MatMul sets dst (m x n) to the product of a (m x k) and b (k x n), all row-major.
// dst must not overlap them.
func MatMul(dst, a []float64, m, k int, b []float64, n int) {
	matMulLengths("MatMul", dst, a, m, k, b, n)
	matMul(dst, a, k, m, k, b, n, false)
}

// MatMulT sets dst (m x n) to the product of a (m x k) and the transpose of b (n x k), all
// row-major: the inner products of the rows of a with those of b. dst must not overlap them.
func MatMulT(dst, a []float64, m, k int, b []float64, n int) {
	matMulLengths("MatMulT", dst, a, m, k, b, n)
	matMul(dst, a, k, m, k, b, n, true)
}

// panelSlack is the most columns by which the kernels pad b, for every instruction set.
const panelSlack = 24

// panelValues is about how many values of b are packed at a time, so that the copy stays in the second-level cache.
// panelDepth is DEPTH of gemm.h.
const panelValues, panelDepth = 1 << 17, 192

// PanelBytes is the memory that a product takes at most besides its result, for copies of parts of its second matrix (k
// x n).
func PanelBytes(k, n int) int { return 8 * max(panelValues, min(k, panelDepth)*(n+panelSlack)) }

// MatMulTPart is MatMulT for rows of a that start lda elements apart, as those of a part of a wider matrix do.
func MatMulTPart(dst, a []float64, lda, m, k int, b []float64, n int) {
	sameLength("MatMulTPart", "dst", len(dst), "its shape", m*n)
	sameLength("MatMulTPart", "b", len(b), "its shape", k*n)
	if lda < k || len(a) < (m-1)*lda+k {
		panic("vmath: MatMulTPart: a is shorter than its shape")
	}
	matMul(dst, a, lda, m, k, b, n, true)
}

// MatMulAdd adds to dst (m x n) the product of a (m x k) and b (k x n), all row-major, whose rows start ldc, lda and
// ldb elements apart. It continues the chains of multiply-adds, so that calls for blocks of k, one after the other,
// give the bits of one MatMul. dst must not overlap a or b.
func MatMulAdd(dst []float64, ldc int, a []float64, lda, m, k int, b []float64, ldb, n int) {
	stridedLength("MatMulAdd", "dst", len(dst), ldc, m, n)
	stridedLength("MatMulAdd", "a", len(a), lda, m, k)
	stridedLength("MatMulAdd", "b", len(b), ldb, k, n)
	matMulAdd(dst, ldc, a, lda, m, k, b, ldb, n)
}

// Gram sets dst (n x n) to the inner products of the rows of a (n x k, row-major). It has the
// bits of MatMulT(dst, a, n, k, a, n) at about half the cost.
func Gram(dst, a []float64, n, k int) {
	matMulLengths("Gram", dst, a, n, k, a, n)
	gram(dst, a, n, k)
}

// GramAdd adds the inner products of the rows of a (n x k, row-major) to the upper triangle of the n x n matrix dst, in
// rows from .. to-1. It continues the chains of multiply-adds, so that calls for blocks of columns, one after the
// other, give the bits of one Gram. Elements left of the diagonal have no meaning afterwards; see Mirror.
func GramAdd(dst, a []float64, n, k, from, to int) {
	sameLength("GramAdd", "dst", len(dst), "its shape", n*n)
	sameLength("GramAdd", "a", len(a), "its shape", n*k)
	GramAddPart(dst, n, a, k, n, k, from, to)
}

// GramAddPart is GramAdd for rows of dst and a that start ldc and lda elements apart, as those of a part of a wider
// matrix do.
func GramAddPart(dst []float64, ldc int, a []float64, lda, n, k, from, to int) {
	stridedLength("GramAddPart", "dst", len(dst), ldc, n, n)
	stridedLength("GramAddPart", "a", len(a), lda, n, k)
	if from < 0 || to > n || from > to {
		panic("vmath: GramAddPart: there are no such rows")
	}
	if from < to {
		gramAdd(dst, ldc, a, lda, n, k, from, to)
	}
}

// Mirror copies the elements right of the diagonal of the n x n matrix c to their places left of it.
func Mirror(c []float64, n int) {
	sameLength("Mirror", "c", len(c), "its shape", n*n)
	mirror(c, n)
}

// Gaussian sets dst[j] to the Gaussian kernel exp(-g |x - x_j|^2) from the inner products
// dots[j] = x.x_j, the squared norms squares[j] = x_j.x_j and square = x.x. A distance
// that rounding makes negative counts as zero. dst may be dots.
func Gaussian(dst, dots, squares []float64, square, g float64) {
	equalLengths("Gaussian", len(dots), dst, squares)
	gaussian(dst, dots, squares, square, g)
}

// rounding is the squared distance, relative to the squared norms of two points, below which Laplace takes the points
// as equal: smaller distances are rounding, since they are differences of inner products.
const rounding = 1e-13

// Laplace sets dst[j] to the Laplace kernel exp(-r/bandwidth) of the distance r = |x - x_j|, from the inner products
// dots[j] = x.x_j, the squared norms squares[j] = x_j.x_j and square = x.x. Unless slopes is nil, slopes[j] is dst[j] /
// (r bandwidth), or 0 for equal points. dst may be dots; slopes must not overlap the others.
func Laplace(dst, slopes, dots, squares []float64, square, bandwidth float64) {
	equalLengths("Laplace", len(dots), dst, squares)
	if slopes != nil {
		equalLengths("Laplace", len(dots), slopes)
	}
	laplace(dst, slopes, dots, squares, square, bandwidth)
}

func matMulLengths(f string, dst, a []float64, m, k int, b []float64, n int) {
	sameLength(f, "dst", len(dst), "its shape", m*n)
	sameLength(f, "a", len(a), "its shape", m*k)
	sameLength(f, "b", len(b), "its shape", k*n)
}

func matMulRef(dst, a []float64, lda, m, k int, b []float64, n int, turned bool) {
	if turned {
		for i := range m {
			matVecRef(dst[i*n:(i+1)*n], b, n, k, a[i*lda:i*lda+k])
		}
		return
	}
	clear(dst)
	for i := range m {
		row := dst[i*n : (i+1)*n]
		for q, v := range a[i*lda : i*lda+k] {
			for j, u := range b[q*n : (q+1)*n] {
				row[j] = math.FMA(v, u, row[j])
			}
		}
	}
}

func gramRef(dst, a []float64, n, k int) {
	for i := range n {
		matVecRef(dst[i*n+i:(i+1)*n], a[i*k:], n-i, k, a[i*k:(i+1)*k])
		for j := range i {
			dst[i*n+j] = dst[j*n+i]
		}
	}
}

func matMulAddRef(dst []float64, ldc int, a []float64, lda, m, k int, b []float64, ldb, n int) {
	for i := range m {
		row := dst[i*ldc : i*ldc+n]
		for q, v := range a[i*lda : i*lda+k] {
			for j, u := range b[q*ldb : q*ldb+n] {
				row[j] = math.FMA(v, u, row[j])
			}
		}
	}
}

func gramAddRef(dst []float64, ldc int, a []float64, lda, n, k, from, to int) {
	for i := from; i < to; i++ {
		for j := i; j < n; j++ {
			s := dst[i*ldc+j]
			for q, v := range a[i*lda : i*lda+k] {
				s = math.FMA(v, a[j*lda+q], s)
			}
			dst[i*ldc+j] = s
		}
	}
}

func mirrorRef(c []float64, n int) {
	for i := range n {
		for j := range i {
			c[i*n+j] = c[j*n+i]
		}
	}
}

func gaussianRef(dst, dots, squares []float64, square, g float64) {
	for j, p := range dots {
		q := math.FMA(-2, p, square+squares[j])
		if q < 0 {
			q = 0
		}
		dst[j] = expRef(-g * q)
	}
}

func laplaceRef(dst, slopes, dots, squares []float64, square, bandwidth float64) {
	for j, p := range dots {
		sum := square + squares[j]
		q, r := math.FMA(-2, p, sum), 0.0
		apart := rounding*sum < q
		if apart {
			r = math.Sqrt(q)
		}
		dst[j] = expRef(-(r / bandwidth))
		switch {
		case slopes == nil:
		case apart:
			slopes[j] = dst[j] / (r * bandwidth)
		default:
			slopes[j] = 0
		}
	}
}
