package cholesky

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A Partial is a pivoted Cholesky factor V of a positive semidefinite K (n x n) that may stop before the rank of K:
//
//	K = V'V + E,   E positive semidefinite and zero in the rows of the pivots.
//
// The first rows of V are the partial factor of that rank.
type Partial struct {
	N, Rank int
	V       []float64 // Rank x N
	Pivots  []int     // the rows of K that were taken, in order
	Left    []float64 // the diagonal of E
	Ends    []End     // after each block of pivots
}

// An End is a rank with the trace of E at that rank.
type End struct {
	Rank  int
	Trace float64
}

const (
	// candidates is the number of rows of K that a block of pivots is taken from.
	candidates = 128
	// worth is the part of a candidate's mean diagonal below which it is left to a later block.
	worth = 0.2
	// noise is the part of the largest diagonal below which a pivot is rounding.
	noise = 1e-12
)

// PartialBytes is what NewPartial allocates, the rows of K included.
func PartialBytes(n, most int) int64 {
	return 8 * (int64(most)*int64(n) + 3*candidates*int64(n) + 3*candidates*candidates + 4*int64(n) + int64(candidates*most))
}

// NewPartial factors the n x n matrix with the given diagonal, of which rows writes the rows of the given numbers, one after the other, to
// dst. It stops after the block that is enough, when only rounding is left, or before the rank exceeds most. The pivots up to an end do not depend on
// what is enough.
//
// It is the randomly pivoted Cholesky factorisation by blocks (Chen, Epperly, Tropp and Webber, 2022; Epperly, Tropp and Webber, 2024) with
// systematic samples instead of random ones: the candidates of a block lie evenly in the running sum of E's diagonal.
// Within a block the largest diagonal goes first, and candidates that the others have made small are dropped. Almost all the work is products of
// matrices: n rank^2 / 2 multiply-adds.
func NewPartial(ctx context.Context, diag []float64, rows func(dst []float64, at []int), enough func(End) bool, most int) (*Partial, error) {
	n := len(diag)
	p := &Partial{N: n, Left: append([]float64(nil), diag...)}
	p.V = make([]float64, most*n)
	block, update := make([]float64, candidates*n), make([]float64, candidates*n)
	largest := 0.0
	for _, v := range diag {
		largest = max(largest, v)
	}
	for round := 0; p.Rank < most && vmath.Sum(p.Left) > 0; round++ {
		at := p.sample(round, min(candidates, most-p.Rank))
		rows(block[:len(at)*n], at)
		if err := p.subtract(ctx, block[:len(at)*n], update, at); err != nil {
			return nil, err
		}
		taken := p.take(block[:len(at)*n], at, noise*largest, worth)
		if taken == 0 {
			break
		}
		end := End{p.Rank, vmath.Sum(p.Left)}
		if p.Ends = append(p.Ends, end); enough(end) {
			break
		}
	}
	p.V = p.V[:p.Rank*n]
	return p, ctx.Err()
}

// PartialAmong factors with the given pivots only, in blocks of that order, leaving out those whose diagonal in E is at most least.
func PartialAmong(ctx context.Context, diag []float64, rows func(dst []float64, at []int), pivots []int, least float64) (*Partial, error) {
	n := len(diag)
	p := &Partial{N: n, Left: append([]float64(nil), diag...), V: make([]float64, len(pivots)*n)}
	block, update := make([]float64, candidates*n), make([]float64, candidates*n)
	for lo := 0; lo < len(pivots); lo += candidates {
		at := pivots[lo:min(lo+candidates, len(pivots))]
		rows(block[:len(at)*n], at)
		if err := p.subtract(ctx, block[:len(at)*n], update, at); err != nil {
			return nil, err
		}
		p.take(block[:len(at)*n], at, least, 0)
	}
	p.V = p.V[:p.Rank*n]
	return p, ctx.Err()
}

// sample returns at most count row numbers, ascending, spread evenly over the running sum of what is left of the diagonal.
func (p *Partial) sample(round, count int) []int {
	const golden = 0.6180339887498949 // shifts the samples of successive blocks
	_, shift := math.Modf(0.5 + float64(golden*float64(round)))
	step := vmath.Sum(p.Left) / float64(count)
	var at []int
	sum, next := 0.0, float64(step*shift)
	for i, v := range p.Left {
		sum += v
		if sum > next && v > 0 {
			at = append(at, i)
			for next < sum {
				next += step
			}
		}
	}
	return at[:min(len(at), count)]
}

// subtract makes rows of K rows of E.
func (p *Partial) subtract(ctx context.Context, block, update []float64, at []int) error {
	n, b := p.N, len(at)
	high := max(1, work/(b*n))
	for lo := 0; lo < p.Rank; lo += high {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+high, p.Rank)
		coef := make([]float64, b*(hi-lo))
		for i, row := range at {
			for j := lo; j < hi; j++ {
				coef[i*(hi-lo)+j-lo] = p.V[j*n+row]
			}
		}
		vmath.MatMul(update[:b*n], coef, b, hi-lo, p.V[lo*n:hi*n], n)
		vmath.Axpy(-1, update[:b*n], block)
	}
	return ctx.Err()
}

// take appends to V what the candidates at, rows of E in block, are worth, and returns how many pivots that were.
func (p *Partial) take(block []float64, at []int, least, worth float64) int {
	n, b := p.N, len(at)
	inner, mean := make([]float64, b*b), 0.0
	for i := range b {
		for j, col := range at {
			inner[i*b+j] = block[i*n+col]
		}
		mean += inner[i*b+i] / float64(b)
	}
	order, factor := pivots(inner, b, max(least, worth*mean))
	if len(order) == 0 {
		return 0
	}
	// The new rows are the inverse of the candidates' factor times their rows of E.
	r := len(order)
	inverse, chosen := make([]float64, r*r), make([]float64, r*n)
	for i, c := range order {
		copy(chosen[i*n:(i+1)*n], block[c*n:(c+1)*n])
		inverse[i*r+i] = 1
		for j := range i {
			vmath.Axpy(-factor[i*b+j], inverse[j*r:j*r+r], inverse[i*r:i*r+r])
		}
		for j := range i + 1 {
			inverse[i*r+j] /= factor[i*b+i]
		}
	}
	rows := p.V[p.Rank*n : (p.Rank+r)*n]
	vmath.MatMul(rows, inverse, r, r, chosen, n)
	for i := range r {
		for j, v := range rows[i*n : (i+1)*n] {
			p.Left[j] = max(0, p.Left[j]-float64(v*v))
		}
	}
	for _, c := range order {
		p.Left[at[c]] = 0
		p.Pivots = append(p.Pivots, at[c])
	}
	p.Rank += r
	return r
}

// pivots factors the b x b matrix a with pivots above least, the largest first. It returns their order and the factor: row i,
// b apart, is that of pivot i.
func pivots(a []float64, b int, least float64) (order []int, factor []float64) {
	left, columns := make([]float64, b), make([]float64, b*b) // row k of columns: step k's column of the factor
	for i := range left {
		left[i] = a[i*b+i]
	}
	for k := range b {
		at := 0
		for i, v := range left {
			if v > left[at] {
				at = i
			}
		}
		if !(left[at] > least) {
			break
		}
		root, column := math.Sqrt(left[at]), columns[k*b:(k+1)*b]
		copy(column, a[at*b:(at+1)*b])
		for j := range k {
			vmath.Axpy(-columns[j*b+at], columns[j*b:(j+1)*b], column)
		}
		for i := range column {
			column[i] /= root
			left[i] -= float64(column[i] * column[i])
		}
		column[at], left[at] = root, math.Inf(-1)
		order = append(order, at)
	}
	factor = make([]float64, b*b)
	for i, c := range order {
		for j := range i + 1 {
			factor[i*b+j] = columns[j*b+c]
		}
	}
	return order, factor
}
