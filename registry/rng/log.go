package rng

import (
	"math"
	"math/bits"
)

// log returns the natural logarithm of s in (0, 1), rounded to nearest except for about one argument in a thousand,
// where it returns the other neighbour. The C library's logarithm, which NumPy's polar method calls, is as exact, so 4
// of 10,000 normals differ in the last bit. Go's logarithm differs for 3 of 100, and between processors.
//
// With s = m 2^k, m in [181/256, 181/128), and r = m j/256 - 1 for an integer j near 256/m,
//
//	log s = k log 2 + log(256/j) + log(1 + r),
//
// where r is exact, the first two terms are sums of a multiple of 2^-42 and a rest, and the
// third is a Taylor polynomial.
func log(s float64) float64 {
	b := math.Float64bits(s)
	k := int64(b-nearRootHalf) >> 52
	m := math.Float64frombits(b - uint64(k)<<52)
	at := &logs[b>>(52-indexBits)&(1<<indexBits-1)]

	top := math.Float64frombits(math.Float64bits(m) &^ (1<<32 - 1))
	r := (float64(top*at.factor) - 1) + float64((m-top)*at.factor)

	high := float64(float64(k)*ln2High) + at.high
	sum := high + r
	low := (high - sum) + r
	low += float64(float64(k)*ln2Low) + at.low
	square := float64(r * r)
	p := 1.0/7 - float64(r*(1.0/8))
	p = 1.0/5 - float64(r*(1.0/6-float64(r*p)))
	p = 1.0/3 - float64(r*(1.0/4-float64(r*p)))
	return sum + (low + float64(square*(float64(r*p)-0.5)))
}

const (
	nearRootHalf = 0x3fe6a00000000000 // bits of 181/256, where an entry of the table begins
	indexBits    = 8
	ln2High      = 0x1.62e42fefa38p-1 // a multiple of 2^-42
	ln2Low       = 0x1.ef35793c7673p-45
)

// logs holds j/256 and the logarithm of its inverse by the leading bits of the fraction of s.
var logs = logTable()

type logEntry struct{ factor, high, low float64 }

func logTable() (table [1 << indexBits]logEntry) {
	var inverse [384]logEntry // by j
	inverse[256] = logEntry{factor: 1}
	for _, way := range []int{1, -1} {
		var sum fixed // of log((i+1)/i) between 256 and j
		for j := 256 + way; j > 176 && j < len(inverse); j += way {
			sum = sum.add(logRatio(uint64(min(j, j-way))))
			high, low := sum.split()
			inverse[j] = logEntry{float64(j) / 256, float64(-way) * high, float64(-way) * low}
		}
	}
	for i := range table {
		m := 1 + (float64(i)+0.5)/(1<<indexBits)
		if m > 181.0/128 {
			m /= 2
		}
		table[i] = inverse[int(math.Round(256/m))]
	}
	return table
}

// A fixed is a number in [0, 1) in units of 2^-128.
type fixed struct{ high, low uint64 }

func (f fixed) add(g fixed) fixed {
	low, carry := bits.Add64(f.low, g.low, 0)
	high, _ := bits.Add64(f.high, g.high, carry)
	return fixed{high, low}
}

func (f fixed) over(by uint64) fixed {
	low, _ := bits.Div64(f.high%by, f.low, by)
	return fixed{f.high / by, low}
}

// split returns f as a multiple of 2^-42 and the rest.
func (f fixed) split() (high, low float64) {
	rest := f.high << 42 >> 42
	return float64(f.high>>22) * 0x1p-42, float64(rest)*0x1p-64 + float64(f.low)*0x1p-128
}

// logRatio returns log((i+1)/i) = 2 atanh(x) = 2 (x + x^3/3 + x^5/5 + ..), x = 1/(2i+1).
func logRatio(i uint64) (sum fixed) {
	term := fixed{high: 1 << 63}.over(2*i + 1)
	term = term.add(term)
	term = term.add(term)
	for k := uint64(1); term != (fixed{}); k += 2 {
		sum = sum.add(term.over(k))
		term = term.over((2*i + 1) * (2*i + 1))
	}
	return sum
}
