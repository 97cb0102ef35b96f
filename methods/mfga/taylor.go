package mfga

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// The sets of candidates. Section 5 of the paper uses both kernels. But the number of candidates in its Table 2 for
// regression, (d+1)(d+2)/2, is that of merged and of cross+linear.
const (
	mergedLinear = "merged+linear"
	merged       = "merged"
	crossLinear  = "cross+linear"
)

// count returns the number of candidates for d features, M0 in the paper.
func (k kernelOf) count(d int) int {
	return k.gaussians(d) + k.linear(d)
}

func (k kernelOf) gaussians(d int) int {
	if k.Order == 1 {
		return 1 + d
	}
	if k.Pool == crossLinear {
		return 1 + d + d*(d-1)/2
	}
	return 1 + d + d*(d+1)/2
}

func (k kernelOf) linear(d int) int {
	if k.Pool == merged {
		return 0
	}
	return d
}

// A taylor holds the candidates of MFGA on the training rows. In order, they are the Taylor features of the
// Gaussian kernel of width s (Cotter, Keshet and Srebro 2011), with e(x) = exp(-|x|^2 / 2s^2),
//
//	e,   e x_j / s,   e x_j x_k / s^2 for j < k and e x_j^2 / (sqrt(2) s^2), lexicographically,
//
// and the features x_j of the linear kernel. If there are two kernels, each has the weight 1/2, so that all columns are
// multiplied by sqrt(1/2).
type taylor struct {
	kernelOf
	x      []float64 // n x d
	n, d   int
	scale  float64   // sqrt(1/2), or 1 for one kernel
	factor []float64 // e(x_i)

	weighted, part []float64       // workspace of derivatives, for a block of rows
	squares        *signedProducts // workspace of derivatives, for the candidates of degree 2
}

// blockRows is how many rows are worked on at a time, so that they stay in the cache.
const blockRows = 256

func newTaylor(ctx context.Context, k kernelOf, x []float64, d int) (*taylor, error) {
	n := len(x) / d
	t := &taylor{kernelOf: k, x: x, n: n, d: d, scale: 1, factor: make([]float64, n),
		weighted: make([]float64, blockRows), part: make([]float64, d)}
	if k.Order == 2 {
		t.squares = newSignedProducts(d)
	}
	if k.linear(d) > 0 {
		t.scale = math.Sqrt(0.5)
	}
	return t, fitting.Blocks(ctx, n, blockRows, func(lo, hi int) {
		gaussianFactors(t.factor[lo:hi], x[lo*d:hi*d], d,
			k.Width)
	})
}

// gaussianFactors sets dst to exp(-|x_i|^2 / 2s^2) of the rows of x.
func gaussianFactors(dst, x []float64, d int, width float64) {
	half := -1 / (2 * width * width)
	for i := range dst {
		sum := 0.0
		for _, v := range x[i*d : (i+1)*d] {
			sum = math.FMA(v, v, sum)
		}
		dst[i] = half * sum
	}
	vmath.Exp(dst, dst)
}

// A monomial is a candidate: Coef x_J x_K e(x), or Coef x_J x_K if it is linear. The input -1 is the constant 1.
type monomial struct {
	Coef   float64
	Linear bool
	J, K   int
}

// monomial returns the candidate with the given index.
func (t *taylor) monomial(index int) monomial {
	s := t.Width
	switch {
	case index == 0:
		return monomial{Coef: t.scale, J: -1, K: -1}
	case index <= t.d:
		return monomial{Coef: t.scale / s, J: index - 1, K: -1}
	case index >= t.gaussians(t.d):
		return monomial{Coef: t.scale, Linear: true, J: index - t.gaussians(t.d), K: -1}
	}
	index -= 1 + t.d
	for j := range t.d {
		first := t.partner(j)
		if row := t.d - first; index >= row {
			index -= row
			continue
		}
		return monomial{Coef: t.pair(j, first+index), J: j, K: first + index}
	}
	panic("mfga: no candidate has this index")
}

// pair is the coefficient of e x_j x_k.
func (t *taylor) pair(j, k int) float64 {
	c := t.scale / (t.Width * t.Width)
	if j == k {
		c *= math.Sqrt(0.5)
	}
	return c
}

// partner is the least k of the pairs (j, k) among the candidates.
func (k kernelOf) partner(j int) int {
	if k.Pool == crossLinear {
		return j + 1
	}
	return j
}

// fill writes the monomial's values for the rows of x into a column of dst, whose rows are ld apart.
func (m monomial) fill(dst []float64, ld int, x []float64, d int, factor []float64) {
	switch {
	case m.Linear:
		for i := range factor {
			dst[i*ld] = m.Coef * x[i*d+m.J]
		}
	case m.J < 0:
		for i, e := range factor {
			dst[i*ld] = m.Coef * e
		}
	case m.K < 0:
		for i, e := range factor {
			dst[i*ld] = m.Coef * e * x[i*d+m.J]
		}
	default:
		for i, e := range factor {
			dst[i*ld] = m.Coef * e * x[i*d+m.J] * x[i*d+m.K]
		}
	}
}

// cachedRows rows of some hundred features stay in the first-level cache while one column after the other is filled.
const cachedRows = 32

// fillAll fills the first columns of dst with the values of monomials.
func fillAll(list []monomial, dst []float64, ld int, x []float64, d int, factor []float64) {
	for lo := 0; lo < len(factor); lo += cachedRows {
		hi := min(lo+cachedRows, len(factor))
		for c, m := range list {
			m.fill(dst[lo*ld+c:], ld, x[lo*d:hi*d], d, factor[lo:hi])
		}
	}
}

// columns implements basis.
func (t *taylor) columns(which []int) func(dst []float64, ld, lo, hi int) {
	list := t.expansion(which).Monomials
	return func(dst []float64, ld, lo, hi int) {
		fillAll(list, dst, ld, t.x[lo*t.d:hi*t.d], t.d, t.factor[lo:hi])
	}
}

// derivatives sets dst to the sums over i of phi_j(x_i) v_i for all candidates, without computing their columns. The
// sums of the linear candidates, and of those of degree 0 and 1, are products of X' with v and with v e. The sums of
// degree 2 are the symmetric product X' diag(v e) X.
func (t *taylor) derivatives(ctx context.Context, dst, v []float64) error {
	d, n := t.d, t.n
	gauss := t.gaussians(d)
	clear(dst)
	squares, part := t.squares, t.part
	if squares != nil {
		squares.reset()
	}
	err := fitting.Blocks(ctx, n, blockRows, func(lo, hi int) {
		h, x := hi-lo, t.x[lo*d:hi*d]
		if gauss < len(dst) {
			vmath.MatTVec(part, x, h, d, v[lo:hi])
			floats.Add(dst[gauss:], part)
		}
		w := t.weighted[:h]
		floats.MulTo(w, v[lo:hi], t.factor[lo:hi])
		if squares != nil {
			squares.add(x, w)
			return
		}
		vmath.MatTVec(part, x, h, d, w)
		floats.Add(dst[1:1+d], part)
		dst[0] += vmath.Sum(w)
	})
	if err != nil {
		return err
	}
	if squares != nil {
		squares.flush()
		squares.column(dst[1:1+d], d)
		dst[0] = squares.at(d, d)
	}
	floats.Scale(t.scale, dst)
	floats.Scale(1/t.Width, dst[1:1+d])
	for at, j := 1+d, 0; squares != nil && j < d; j++ {
		for k := t.partner(j); k < d; k++ {
			dst[at] = t.pair(j, k) * squares.at(j, k)
			at++
		}
	}
	return nil
}

// A signedProducts is the sum of w_i (x_i, 1)(x_i, 1)' for weights of both signs. vmath.Outer adds or subtracts outer
// products of rows without weights. So rows with positive weights and rows with negative weights are gathered apart,
// times sqrt|w_i|.
type signedProducts struct {
	d, m  int
	sum   []float64 // m x m, the upper triangle
	rows  [2][]float64
	count [2]int
}

// productRows is how many rows are gathered before they are multiplied.
const productRows = 128

func newSignedProducts(d int) *signedProducts {
	m := (d + 1 + 7) &^ 7
	s := &signedProducts{d: d, m: m, sum: make([]float64, m*m)}
	for side := range s.rows {
		s.rows[side] = make([]float64, productRows*m)
	}
	return s
}

// reset sets the sum to zero.
func (s *signedProducts) reset() {
	clear(s.sum)
	s.count = [2]int{}
}

// add takes rows with their weights.
func (s *signedProducts) add(x, w []float64) {
	for i, v := range w {
		if v == 0 {
			continue
		}
		side := 0
		if v < 0 {
			side = 1
		}
		row := s.rows[side][s.count[side]*s.m:][:s.m]
		root := math.Sqrt(math.Abs(v))
		floats.ScaleTo(row[:s.d], root, x[i*s.d:(i+1)*s.d])
		row[s.d] = root
		if s.count[side]++; s.count[side] == productRows {
			s.multiply(side)
		}
	}
}

func (s *signedProducts) multiply(side int) {
	vmath.Outer(s.sum, s.m, s.rows[side], s.m, s.count[side], 0, []vmath.Change{vmath.Add, vmath.Subtract}[side])
	s.count[side] = 0
}

// flush adds the gathered rows to the sum.
func (s *signedProducts) flush() {
	for side := range s.rows {
		s.multiply(side)
	}
}

func (s *signedProducts) at(j, k int) float64 { return s.sum[j*s.m+k] }

// column copies, for each j < len(dst), the sum over i of w_i x_ij x_ik, or of w_i x_ij for k = d.
func (s *signedProducts) column(dst []float64, k int) {
	for j := range dst {
		dst[j] = s.at(j, k)
	}
}
