// Package numpy reproduces, bit for bit, the part of NumPy's legacy generator
// (numpy.random.RandomState) that the published experiments drew from: the
// MT19937 stream seeded by one integer, 53-bit doubles, the polar Gauss with its
// cached second value, integers below a bound by masked rejection, and the
// shuffle, permutation and choice built on them. With it the same seeds give the
// same splits and the same random features as a run of the published Python.
//
// The stream itself is gonum's MT19937. Nothing else of NumPy is here, and the
// generator is not for new designs: it is what comparability asks for.
package numpy

import (
	"math"

	"gonum.org/v1/gonum/mathext/prng"
)

// RandomState is a generator at a position of its stream. It is not safe for
// concurrent use.
type RandomState struct {
	src      *prng.MT19937
	gauss    float64 // the second value of the last polar pair
	hasGauss bool
}

// NewRandomState returns the generator that RandomState(seed) gives in NumPy.
func NewRandomState(seed uint32) *RandomState {
	src := prng.NewMT19937()
	src.Seed(uint64(seed))
	return &RandomState{src: src}
}

// Uint32 returns the next 32 bits of the stream.
func (r *RandomState) Uint32() uint32 { return r.src.Uint32() }

// Float64 returns a double in [0, 1) with 53 random bits (random_sample).
func (r *RandomState) Float64() float64 {
	a, b := r.Uint32()>>5, r.Uint32()>>6
	return (float64(a)*67108864 + float64(b)) / 9007199254740992
}

// Uniform returns a double in [low, high) (uniform).
func (r *RandomState) Uniform(low, high float64) float64 {
	return low + float64((high-low)*r.Float64())
}

// Norm returns a standard normal by the polar method (randn). Values come in
// pairs; the second one is kept for the next call.
func (r *RandomState) Norm() float64 {
	if r.hasGauss {
		r.hasGauss = false
		return r.gauss
	}
	for {
		x := 2*r.Float64() - 1
		y := 2*r.Float64() - 1
		s := float64(x*x) + float64(y*y)
		if s >= 1 || s == 0 {
			continue
		}
		f := math.Sqrt(-2 * math.Log(s) / s)
		r.gauss, r.hasGauss = f*x, true
		return f * y
	}
}

// Norms fills dst with standard normals in order (randn of any shape).
func (r *RandomState) Norms(dst []float64) {
	for i := range dst {
		dst[i] = r.Norm()
	}
}

// below returns an integer in [0, max] by masked rejection of 32-bit words
// (random_interval for max < 2^32).
func (r *RandomState) below(max uint32) uint32 {
	if max == 0 {
		return 0
	}
	mask := max
	for _, shift := range []uint{1, 2, 4, 8, 16} {
		mask |= mask >> shift
	}
	for {
		if v := r.Uint32() & mask; v <= max {
			return v
		}
	}
}

// Intn returns an integer in [0, n) (randint with a bound below 2^32). It panics
// if n < 1.
func (r *RandomState) Intn(n int) int {
	if n < 1 || n > math.MaxUint32 {
		panic("numpy: Intn needs 1 <= n < 2^32")
	}
	return int(r.below(uint32(n - 1)))
}

// Choice returns k indices in [0, n), drawn with replacement (choice).
func (r *RandomState) Choice(n, k int) []int {
	out := make([]int, k)
	for i := range out {
		out[i] = r.Intn(n)
	}
	return out
}

// Shuffle permutes n elements in place (shuffle).
func (r *RandomState) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, int(r.below(uint32(i))))
	}
}

// Permutation returns a random permutation of 0..n-1 (permutation).
func (r *RandomState) Permutation(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	r.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}
