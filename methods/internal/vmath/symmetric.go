package vmath

import "math"

// Outer computes the sum of the outer products of the first m elements of each row of a, whose rows are ld apart. It
// sets the columns [from, m) of the symmetric m x m matrix c to this sum (how is Set), adds the sum to them (Add) or
// subtracts it (Subtract). The rows follow one another, with one fused multiply-add each. Only elements on and above
// the diagonal have a meaning, before and after. m and from are multiples of eight.
func Outer(c []float64, m int, a []float64, ld, rows, from int, how Change) {
	eights("Outer", m)
	eights("Outer", from)
	sameLength("Outer", "c", len(c), "its shape", m*m)
	if rows > 0 && (ld < m || len(a) < (rows-1)*ld+m) {
		panic("vmath: Outer: a is too short for its rows")
	}
	outer(c, m, a, ld, rows, from, how)
}

// ScaleRows sets the first cols elements of row i of dst, whose rows are to apart, to s[i] times those of row i
// of a, whose rows are ld apart. dst must not overlap a.
func ScaleRows(dst []float64, to int, a []float64, ld, rows, cols int, s []float64) {
	stridedLength("ScaleRows", "dst", len(dst), to, rows, cols)
	stridedLength("ScaleRows", "a", len(a), ld, rows, cols)
	sameLength("ScaleRows", "s", len(s), "rows", rows)
	scale(dst, to, a, ld, rows, cols, s)
}

// A Change says whether Outer sets the matrix, adds to it or subtracts from it.
type Change int

const (
	Subtract Change = iota - 1
	Set
	Add
)

// Factor computes the Cholesky factor U of a symmetric m x m matrix, U'U = scale c + diag(shift), and solves U'Z = B
// for eight columns B. Only the part of c on and above the diagonal counts. u is m x (m + 8), row-major. On entry its
// last eight columns are B. On return its first m columns are U, with the inverses of the pivots on the diagonal, and
// its last eight columns are Z. Every element is one chain of fused multiply-adds over the rows above it. Factor
// reports whether all pivots were positive and finite; if not, u has no meaning.
//
// m is a multiple of eight: a smaller system is padded with zeros in c and B and ones in shift.
func Factor(u, c []float64, m int, scale float64, shift []float64) bool {
	eights("Factor", m)
	sameLength("Factor", "u", len(u), "m x (m + 8)", m*(m+8))
	sameLength("Factor", "c", len(c), "m x m", m*m)
	sameLength("Factor", "shift", len(shift), "m", m)
	return factor(u, c, m, scale, shift)
}

// Back solves U x = z for the factor U and one of the eight columns z that [Factor] left in u. It works on eight rows
// at a time, from the last to the first. It subtracts the products with the later elements of x, element k in lane k
// mod 8, and then solves for the eight elements, the last one first.
func Back(x, u []float64, m, column int) {
	eights("Back", m)
	sameLength("Back", "x", len(x), "m", m)
	sameLength("Back", "u", len(u), "m x (m + 8)", m*(m+8))
	if column < 0 || column > 7 {
		panic("vmath: Back: there are eight columns")
	}
	back(x, u, m, column)
}

// AddRows adds to dst, of n elements, c[r] times row which[r] of a, whose rows have n
// elements, for one r after the other.
func AddRows(dst, a []float64, n int, which []int, c []float64) {
	sameLength("AddRows", "dst", len(dst), "n", n)
	sameLength("AddRows", "c", len(c), "which", len(which))
	for _, i := range which {
		_ = a[i*n : (i+1)*n]
	}
	addRows(dst, a, n, which, c)
}

// Columns sets column r of dst, which has n rows ld apart, to row which[r] of a, whose rows have n
// elements.
func Columns(dst []float64, ld int, a []float64, n int, which []int) {
	if ld < len(which) || len(dst) < (n-1)*ld+len(which) {
		panic("vmath: Columns: dst is too small for its columns")
	}
	for _, i := range which {
		_ = a[i*n : (i+1)*n]
	}
	columns(dst, ld, a, n, which)
}

func eights(f string, m int) {
	if m < 0 || m%8 != 0 {
		panic("vmath: " + f + ": sizes must be multiples of eight")
	}
}

func outerRef(c []float64, m int, a []float64, ld, rows, from int, how Change) {
	for i := range m {
		for j := max(i, from); j < m; j++ {
			s := c[i*m+j]
			if how == Set {
				s = 0
			}
			for r := range rows {
				v := a[r*ld+i]
				if how == Subtract {
					v = -v
				}
				s = math.FMA(v, a[r*ld+j], s)
			}
			c[i*m+j] = s
		}
	}
}

func scaleRef(dst []float64, to int, a []float64, ld, rows, cols int, s []float64) {
	for i := range rows {
		for k, x := range a[i*ld : i*ld+cols] {
			dst[i*to+k] = s[i] * x
		}
	}
}

func factorRef(u, c []float64, m int, scale float64, shift []float64) bool {
	ld := m + 8
	for i := range m {
		row := u[i*ld : (i+1)*ld]
		for j := i; j < m; j++ {
			row[j] = float64(scale * c[i*m+j])
		}
		for p := range i {
			above := u[p*ld : (p+1)*ld]
			f := -above[i]
			for j := i; j < ld; j++ {
				row[j] = math.FMA(f, above[j], row[j])
			}
		}
		pivot := row[i] + shift[i]
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return false
		}
		inverse := 1 / math.Sqrt(pivot)
		for j := i + 1; j < ld; j++ {
			row[j] *= inverse
		}
		row[i] = inverse
	}
	return true
}

func backRef(x, u []float64, m, column int) {
	ld := m + 8
	for i := m - 8; i >= 0; i -= 8 {
		var z [8]float64
		for q := range z {
			row := u[(i+q)*ld : (i+q+1)*ld]
			var lanes [8]float64
			for k := i + 8; k < m; k++ {
				lanes[k%8] = math.FMA(row[k], x[k], lanes[k%8])
			}
			z[q] = row[m+column] - tree8(lanes[:])
		}
		for q := 7; q >= 0; q-- {
			x[i+q] = z[q] * u[(i+q)*ld+i+q]
			for p := range q {
				z[p] = math.FMA(-u[(i+p)*ld+i+q], x[i+q], z[p])
			}
		}
	}
}

func addRowsRef(dst, a []float64, n int, which []int, c []float64) {
	for r, i := range which {
		for k, v := range a[i*n : (i+1)*n] {
			dst[k] = math.FMA(c[r], v, dst[k])
		}
	}
}

func columnsRef(dst []float64, ld int, a []float64, n int, which []int) {
	for r, i := range which {
		for k, v := range a[i*n : (i+1)*n] {
			dst[k*ld+r] = v
		}
	}
}
