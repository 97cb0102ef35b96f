package fourier

import (
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A penalty is nu(w) or eta(sigma) of the general model (5), without its factor (Table 2): the squared l2 norm, the l1
// norm, or the l2,1 norm, the sum of the l2 norms of blocks.
type penalty string

const (
	l2  penalty = "l2"
	l1  penalty = "l1"
	l21 penalty = "l21"
)

// value returns the penalty of w, and adds `by` times its gradient to grad. At zeros l1 has no gradient, and at zero
// blocks l2,1 has none: there value adds the subgradient zero. ends are the ascending ends of the blocks, which only
// l2,1 uses.
func (p penalty) value(w []float64, ends []int, by float64, grad []float64) float64 {
	sum, from := 0.0, 0
	switch p {
	case l2:
		vmath.Axpy(2*by, w, grad)
		return vmath.Dot(w, w)
	case l1:
		for i, v := range w {
			sum += math.Abs(v)
			if v != 0 {
				grad[i] += math.Copysign(by, v)
			}
		}
		return sum
	}
	for _, to := range ends {
		if norm := math.Sqrt(vmath.Dot(w[from:to], w[from:to])); norm > 0 {
			sum += norm
			vmath.Axpy(by/norm, w[from:to], grad[from:to])
		}
		from = to
	}
	return sum
}
