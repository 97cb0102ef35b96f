package svm

// Float is the type of stored kernel values.
type Float interface{ float32 | float64 }

// A Kernel gives the kernel matrix of n examples by rows. Rows must not change between calls.
type Kernel[F Float] interface {
	Len() int                 // n
	Row(dst []F, i int)       // writes k(x_i, x_j) for all j; len(dst) is n
	Diagonal(dst []F)         // writes k(x_i, x_i), the same bits as in the rows
	Stored() (*Gram[F], bool) // the matrix itself, if it is in memory
	Exact() *Exact            // the same kernel in float64, or nil: see switch.go
}

// A Restricter is a Kernel that can compute its rows at the given columns alone, with the same bits. The function that Restrict returns is
// valid until the next call of Restrict.
type Restricter[F Float] interface {
	Restrict(columns []int) func(dst []F, i int)
}

// A Gram is a kernel matrix in memory: 4 or 8 n^2 bytes. It is safe for concurrent use
// once it is filled.
type Gram[F Float] struct {
	n, stride int
	data      []F
	exact     *Exact
}

// SetExact gives the matrix its float64 form.
func (g *Gram[F]) SetExact(e *Exact) { g.exact = e }

// Exact returns what SetExact set.
func (g *Gram[F]) Exact() *Exact { return g.exact }

// NewGram returns an n x n matrix of zeros, to be filled by way of At.
func NewGram[F Float](n int) *Gram[F] {
	stride := padded(n)
	return &Gram[F]{n: n, stride: stride, data: make([]F, n*stride)}
}

// GramBytes is what a Gram of n examples with values of the given size takes.
func GramBytes(n, size int) int64 { return int64(n) * int64(padded(n)) * int64(size) }

// At returns row i, which the caller may write to.
func (g *Gram[F]) At(i int) []F { return g.data[i*g.stride : i*g.stride+g.n] }

// Len returns n.
func (g *Gram[F]) Len() int { return g.n }

// Row copies row i to dst.
func (g *Gram[F]) Row(dst []F, i int) { copy(dst, g.At(i)) }

// Diagonal copies the diagonal to dst.
func (g *Gram[F]) Diagonal(dst []F) {
	for i := range dst {
		dst[i] = g.data[i*g.stride+i]
	}
}

// Stored returns g.
func (g *Gram[F]) Stored() (*Gram[F], bool) { return g, true }

// Demanded is a Kernel whose rows are computed when they are asked for. It is not safe for concurrent use.
type Demanded[F Float] struct {
	exact *Exact
	line  []float64
}

// NewDemanded returns the kernel that e describes.
func NewDemanded[F Float](e *Exact) *Demanded[F] {
	return &Demanded[F]{exact: e, line: make([]float64, len(e.Diagonal))}
}

// Len returns n.
func (d *Demanded[F]) Len() int { return len(d.line) }

// Stored returns no matrix.
func (d *Demanded[F]) Stored() (*Gram[F], bool) { return nil, false }

// Exact returns what NewDemanded was given.
func (d *Demanded[F]) Exact() *Exact { return d.exact }

// Row computes row i.
func (d *Demanded[F]) Row(dst []F, i int) {
	d.exact.Row(d.line, i)
	for j, v := range d.line {
		dst[j] = F(v)
	}
}

// Diagonal copies the diagonal to dst.
func (d *Demanded[F]) Diagonal(dst []F) {
	for i, v := range d.exact.Diagonal {
		dst[i] = F(v)
	}
}

// padded returns n rounded up to a multiple of eight. Arrays over n elements have this length, so that vector loops have no
// remainder.
func padded(n int) int { return (n + 7) &^ 7 }
