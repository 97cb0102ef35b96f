// Package rng holds the generator that methods draw from. It is NumPy's legacy one
// (numpy.random.RandomState), the part of it that the published experiments used, bit for bit:
// the MT19937 stream seeded by one integer, 53-bit doubles, the polar Gauss with its
// cached second value, integers below a bound by masked rejection, and the
// shuffle, permutation and choice built on them. With it the same seeds give the
// same splits and the same random features as a run of the published Python.
//
// A method gets its generator from Env.Rand of package registry and names the type here where
// it hands the generator on:
//
//	func frequencies(draws *rng.RandomState, count int) []float64
//
// [New] makes further streams: one for each part of a fit, say, seeded by draws of the first.
//
// Normals call the C library's logarithm in NumPy, whose last bit depends on the library and
// the processor; log.go says how near ours is. Nothing else of NumPy is here, and the
// generator is not for new designs: it is what comparability asks for.
//
// mt19937.go is the stream, log.go the logarithm.
package rng

import (
	"math"
	"math/bits"
)

// RandomState is a generator at a position of its stream. It is not safe for
// concurrent use.
type RandomState struct {
	src      mt19937
	gauss    float64 // the second value of the last polar pair
	hasGauss bool
}

// New returns the generator that RandomState(seed) gives in NumPy.
func New(seed uint32) *RandomState {
	r := new(RandomState)
	r.src.seed(seed)
	return r
}

// Uint32 returns the next 32 bits of the stream.
func (r *RandomState) Uint32() uint32 { return r.src.uint32() }

// Float64 returns a double in [0, 1) with 53 random bits (random_sample).
func (r *RandomState) Float64() float64 { return float64(r.bits53()) * 0x1p-53 }

// bits53 are the upper 27 of a word and then the upper 26 of the next.
func (r *RandomState) bits53() int64 {
	pair := r.src.pair()
	return int64(pair&0xffffffff>>5<<26 | pair>>38)
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
	var pair [2]float64
	r.pairs(pair[:])
	r.gauss, r.hasGauss = pair[1], true
	return pair[0]
}

// Norms fills dst with standard normals in order (randn of any shape).
func (r *RandomState) Norms(dst []float64) {
	if r.hasGauss && len(dst) > 0 {
		dst[0] = r.Norm()
		dst = dst[1:]
	}
	even := len(dst) &^ 1
	r.pairs(dst[:even])
	for i := range dst[even:] {
		dst[even+i] = r.Norm()
	}
}

// pairs fills dst, of even length, by the polar method: a point uniform in the unit disc
// gives two independent normals. Points come in batches, first all draws and then all
// logarithms, and one outside the disc is overwritten by the next instead of branched on.
func (r *RandomState) pairs(dst []float64) {
	const most = 64
	var x, y, square [most]float64
	for len(dst) > 0 {
		accepted := uint64(0)
		for range min(most, len(dst)/2) { // as many as could all be needed
			at := accepted % most                   // without a check of bounds
			x[at] = float64(r.bits53())*0x1p-52 - 1 // 2 Float64() - 1
			y[at] = float64(r.bits53())*0x1p-52 - 1
			s := float64(x[at]*x[at]) + float64(y[at]*y[at])
			square[at] = s
			_, inside := bits.Sub64(math.Float64bits(s)-1, oneBits-1, 0) // 0 < s < 1
			accepted += inside
		}
		for i, s := range square[:accepted] {
			f := math.Sqrt(-2 * log(s) / s)
			dst[2*i], dst[2*i+1] = f*y[i], f*x[i]
		}
		dst = dst[2*accepted:]
	}
}

const oneBits = 0x3ff0000000000000 // of 1.0

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
	if n < 1 || uint64(n) > math.MaxUint32 {
		panic("rng: Intn needs 1 <= n < 2^32")
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
