package vmath

import (
	"math"
	"math/bits"
)

// twoOverPi holds 64 zero bits and then the first 1280 bits of 2/pi after the point.
var twoOverPi = [...]uint64{0,
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
	0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
	0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
	0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
}

// reduceFar returns r and q with x = q pi/2 + r (mod 2 pi), |r| <= pi/4, for a
// finite x > 2^30 (Payne and Hanek 1983): with x = m 2^e, the bits of 2/pi whose
// product with m 2^e is a multiple of 4 do not matter, and 192 bits after them
// are enough for every double.
func reduceFar(x float64) (r float64, q uint64) {
	b := math.Float64bits(x)
	m := b&(1<<52-1) | 1<<52
	e := int(b>>52) - 1075

	// The window starts at the bit of weight 2^(1-e), at e+62 in the table.
	word, shift := (e+62)/64, uint(e+62)%64
	window := func(i int) uint64 { return twoOverPi[word+i]<<shift | twoOverPi[word+i+1]>>(64-shift) }

	// hi, mid, lo = m times the window modulo 2^192: quadrant in two bits, then the fraction.
	carry1, lo := bits.Mul64(m, window(2))
	carry2, mid := bits.Mul64(m, window(1))
	mid, c := bits.Add64(mid, carry1, 0)
	hi := m*window(0) + carry2 + c

	q = hi >> 62
	hi, mid, lo = hi<<2|mid>>62, mid<<2|lo>>62, lo<<2
	negative := hi>>63 != 0
	if negative { // round to the nearest quadrant
		q++
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		mid, borrow = bits.Sub64(0, mid, borrow)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	scale := 1.0
	if hi == 0 {
		hi, mid, lo = mid, lo, 0
		scale = 0x1p-64
	}
	n := uint(bits.LeadingZeros64(hi))
	hi, mid = hi<<n|mid>>(64-n), mid<<n|lo>>(64-n)
	scale *= power(-int64(n))

	// The leading 53 bits and the next 64, as parts of the fraction of a quadrant.
	f1 := float64(hi>>11) * 0x1p-53 * scale
	f2 := float64(hi<<53|mid>>11) * 0x1p-117 * scale
	r = math.FMA(f1, halfPi1, math.FMA(f1, halfPi2, float64(f2*halfPi1)))
	if negative {
		r = -r
	}
	return r, q
}
