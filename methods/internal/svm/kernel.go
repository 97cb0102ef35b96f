package svm

// Float is the type of stored kernel values.
type Float interface{ float32 | float64 }

// A Kernel is the kernel matrix of n examples: in memory, in 4 or 8 n^2 bytes, or computed by rows. It serves one solver at a time.
type Kernel[F Float] struct {
	Exact *Exact // the same kernel in float64; a matrix in memory can do without: see switch.go

	n, stride int
	data      []F // the matrix, or nil where rows are computed
	line      []float64
}

// NewGram returns an n x n matrix of zeros, to be filled by way of At. exact may be nil.
func NewGram[F Float](n int, exact *Exact) *Kernel[F] {
	return &Kernel[F]{n: n, stride: padded(n), data: make([]F, n*padded(n)), Exact: exact}
}

// NewDemanded returns a kernel whose rows are computed when they are asked for.
func NewDemanded[F Float](exact *Exact) *Kernel[F] {
	n := len(exact.Diagonal)
	return &Kernel[F]{n: n, Exact: exact, line: make([]float64, n)}
}

// GramBytes is what a matrix in memory of n examples with values of the given size takes.
func GramBytes(n, size int) int64 { return int64(n) * int64(padded(n)) * int64(size) }

// Len returns n.
func (k *Kernel[F]) Len() int { return k.n }

// Stored reports whether the matrix is in memory.
func (k *Kernel[F]) Stored() bool { return k.data != nil }

// At returns row i of a matrix in memory, which the caller may write to.
func (k *Kernel[F]) At(i int) []F { return k.data[i*k.stride : i*k.stride+k.n] }

// Row writes row i to dst.
func (k *Kernel[F]) Row(dst []F, i int) {
	if k.Stored() {
		copy(dst, k.At(i))
		return
	}
	k.convert(dst, i, k.Exact.Row)
}

// convert writes what row gives in float64.
func (k *Kernel[F]) convert(dst []F, i int, row func(dst []float64, i int)) {
	line := k.line[:len(dst)]
	row(line, i)
	for j, v := range line {
		dst[j] = F(v)
	}
}

// diagonal returns element i of the diagonal.
func (k *Kernel[F]) diagonal(i int) float64 {
	if k.Stored() {
		return float64(k.data[i*k.stride+i])
	}
	return float64(F(k.Exact.Diagonal[i]))
}

// restrict returns a function that writes rows of the given columns alone, valid until the next call of restrict, or nil if there
// is none.
func (k *Kernel[F]) restrict(columns []int) func(dst []F, i int) {
	if k.Stored() || k.Exact.Restrict == nil {
		return nil
	}
	row := k.Exact.Restrict(columns)
	return func(dst []F, i int) { k.convert(dst, i, row) }
}

// padded returns n rounded up to a multiple of eight. Arrays over n elements have this length, so that vector loops have no
// remainder.
func padded(n int) int { return (n + 7) &^ 7 }
