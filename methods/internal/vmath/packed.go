package vmath

import (
	"math"
	"sync"
	"unsafe"
)

// Packed is an n x d matrix in the layout of the fused passes: blocks of up to 32 consecutive rows, and in each block
// the columns one after the other. The last block is padded with zero rows to a multiple of eight. So eight examples
// fill a register for every d, and a block stays in the first-level cache between the product with the weights and the
// sum of the gradient. Packing costs one pass over the data, which two or three products repay.
//
// A Packed is read-only once made and may then be used by many goroutines.
type Packed struct {
	n, d int
	data []float64
}

const block = 32

// Pack copies the row-major rows x cols matrix a.
func Pack(a []float64, rows, cols int) *Packed {
	sameLength("Pack", "a", len(a), "rows x cols", rows*cols)
	p := new(Packed)
	p.reshape(rows, cols)
	pack(p.data, a, rows, cols)
	return p
}

// Rows returns the number of rows, the examples.
func (p *Packed) Rows() int { return p.n }

// Cols returns the number of columns, the features.
func (p *Packed) Cols() int { return p.d }

// PackedBytes returns the memory of a packed rows x cols matrix.
func PackedBytes(rows, cols int) int { return 8 * ((rows + 7) &^ 7) * cols }

// MatVec sets dst, of Rows elements, to the product with v, of Cols elements.
func (p *Packed) MatVec(dst, v []float64) {
	sameLength("Packed.MatVec", "dst", len(dst), "the matrix", p.n)
	sameLength("Packed.MatVec", "v", len(v), "the matrix", p.d)
	packedMatVec(dst, p.data, p.n, p.d, v)
}

// MatTVec sets dst, of Cols elements, to the product of the transpose with c, of Rows elements.
func (p *Packed) MatTVec(dst, c []float64) {
	sameLength("Packed.MatTVec", "dst", len(dst), "the matrix", p.d)
	sameLength("Packed.MatTVec", "c", len(c), "the matrix", p.n)
	packedMatTVec(dst, p.data, p.n, p.d, c)
}

// Trig returns the Rows x 2m matrix [C S] of C_ij = cos z_ij and S_ij = sin z_ij, where
// z_ij is the product of row i of p with row j of the row-major m x Cols matrix w.
// It reuses the memory of dst, which may be nil.
func (p *Packed) Trig(dst *Packed, w []float64, m int) *Packed {
	sameLength("Packed.Trig", "w", len(w), "m x Cols", m*p.d)
	dst = p.target(dst, 2*m)
	packedTrig(dst.data, p.data, p.n, p.d, w, m)
	return dst
}

// Cosines sets row j of the row-major m x Rows matrix dst to the cosines of z_ij - phase[j],
// where z_ij is the product of row i of p with row j of the row-major m x Cols matrix w.
func (p *Packed) Cosines(dst, w, phase []float64) {
	m := len(phase)
	sameLength("Packed.Cosines", "w", len(w), "m x Cols", m*p.d)
	sameLength("Packed.Cosines", "dst", len(dst), "m x Rows", m*p.n)
	packedCosines(dst, p.data, p.n, p.d, w, phase)
}

// target returns dst, or a new matrix, reshaped to p's rows and the given columns.
func (p *Packed) target(dst *Packed, cols int) *Packed {
	if dst == nil {
		dst = new(Packed)
	}
	if dst == p {
		panic("vmath: a Packed cannot receive its own product")
	}
	dst.reshape(p.n, cols)
	return dst
}

// reshape makes p rows x cols with arbitrary elements, aligned to a cache line. The caller must also write the padding
// rows.
func (p *Packed) reshape(rows, cols int) {
	p.n, p.d = rows, cols
	size := (rows + 7) &^ 7 * cols
	if cap(p.data) >= size {
		p.data = p.data[:size]
		return
	}
	const line = 8 // doubles in a cache line
	buf := make([]float64, size+line-1)
	skip := 0
	if rest := int(uintptr(unsafe.Pointer(unsafe.SliceData(buf))) / 8 % line); rest != 0 {
		skip = line - rest
	}
	p.data = buf[skip : skip+size]
}

// height returns the padded number of rows of the block that starts at row i.
func height(n, i int) int { return min(block, (n-i+7)&^7) }

// scratch returns zeroed memory of n elements, to be given back to pool.
func scratch(n int) *[]float64 {
	b := rough(n)
	clear(*b)
	return b
}

// rough is scratch whose elements are arbitrary.
func rough(n int) *[]float64 {
	b := pool.Get().(*[]float64)
	if cap(*b) < n {
		*b = make([]float64, n)
	}
	*b = (*b)[:n]
	return b
}

var pool = sync.Pool{New: func() any { return new([]float64) }}

func packRef(x, a []float64, n, d int) {
	for i := 0; i < n; i += block {
		h := height(n, i)
		for k := range d {
			column := x[i*d+k*h:][:h]
			for q := range column {
				column[q] = 0
				if i+q < n {
					column[q] = a[(i+q)*d+k]
				}
			}
		}
	}
}

func packedMatVecRef(dst, x []float64, n, d int, v []float64) {
	var z [block]float64
	for i := 0; i < n; i += block {
		h := height(n, i)
		blockMatVecRef(z[:h], x[i*d:], d, v)
		copy(dst[i:], z[:h])
	}
}

// blockMatVecRef sets z to the product of the block at x, len(z) rows high, with v.
func blockMatVecRef(z, x []float64, d int, v []float64) {
	clear(z)
	h := len(z)
	for k, vk := range v[:d] {
		for i, xi := range x[k*h : (k+1)*h] {
			z[i] = math.FMA(xi, vk, z[i])
		}
	}
}

// blockMatTVecRef adds the product of the transpose of the block at x with c to the lanes.
func blockMatTVecRef(lanes, x []float64, c []float64) {
	h := len(c)
	for k := 0; k < len(lanes)/8; k++ {
		l := (*[8]float64)(lanes[8*k:])
		for i, xi := range x[k*h : (k+1)*h] {
			l[i%8] = math.FMA(xi, c[i], l[i%8])
		}
	}
}

func packedMatTVecRef(dst, x []float64, n, d int, c []float64) {
	mem := scratch(8 * d)
	defer pool.Put(mem)
	lanes := *mem
	var cz [block]float64
	for i := 0; i < n; i += block {
		h := height(n, i)
		clear(cz[copy(cz[:h], c[i:]):])
		blockMatTVecRef(lanes, x[i*d:], cz[:h])
	}
	sumLanes(dst, lanes)
}

func packedTrigRef(dst, x []float64, n, d int, w []float64, m int) {
	for i := 0; i < n; i += block {
		h := height(n, i)
		c, s := dst[2*i*m:][:h*m], dst[2*i*m+h*m:][:h*m]
		for j := range m {
			blockMatVecRef(s[j*h:][:h], x[i*d:], d, w[j*d:])
		}
		sinCosArrayRef(s, c, s)
	}
}

func packedCosinesRef(dst, x []float64, n, d int, w, phase []float64) {
	var z [block]float64
	for j, shift := range phase {
		for i := 0; i < n; i += block {
			h := height(n, i)
			blockMatVecRef(z[:h], x[i*d:], d, w[j*d:])
			for k := range min(h, n-i) {
				_, dst[j*n+i+k] = sinCosRef(z[k] - shift)
			}
		}
	}
}
