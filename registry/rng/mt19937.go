package rng

// The generator MT19937 of Matsumoto and Nishimura (ACM TOMACS 8, 1998): 624 words of state,
// of which a whole new set is made at a time. Two words, the earlier one in the lower half,
// share a variable and go through all steps together; masks keep shifted bits from
// crossing over.
const (
	pairsOfWords = 312
	words        = 2 * pairsOfWords
)

type mt19937 struct {
	state [pairsOfWords]uint64
	out   [pairsOfWords]uint64 // state, tempered
	next  int                  // word in out
}

func (g *mt19937) seed(seed uint32) {
	for i := range uint32(words) {
		g.state[i/2] = g.state[i/2]>>32 | uint64(seed)<<32
		seed = 1812433253*(seed^seed>>30) + i + 1
	}
	g.next = words
}

func both(word uint64) uint64 { return word<<32 | word }

// straddle returns the pair that begins with the later word of a and ends with the earlier one of b.
func straddle(a, b uint64) uint64 { return a>>32 | b<<32 }

// twist returns the word pair that replaces now. after is the pair one word later, far the pair 397 words later.
func twist(now, after, far uint64) uint64 {
	y := now&both(0x80000000) | after&both(0x7fffffff)
	return far ^ y>>1&both(0x7fffffff) ^ y&both(1)*0x9908b0df
}

func (g *mt19937) refill() {
	const far, last = 198, pairsOfWords - 1 // 397 words are 198 pairs and a word
	s := &g.state
	for i := range last - far {
		s[i] = twist(s[i], straddle(s[i], s[i+1]), straddle(s[i+far], s[i+far+1]))
	}
	s[last-far] = twist(s[last-far], straddle(s[last-far], s[last-far+1]), straddle(s[last], s[0]))
	for i := last - far + 1; i < last; i++ {
		s[i] = twist(s[i], straddle(s[i], s[i+1]), straddle(s[i+far-last-1], s[i+far-last]))
	}
	s[last] = twist(s[last], straddle(s[last], s[0]), straddle(s[far-1], s[far]))
	for i, y := range s {
		y ^= y >> 11 & both(0x001fffff)
		y ^= y << 7 & both(0x9d2c5680)
		y ^= y << 15 & both(0xefc60000)
		g.out[i] = y ^ y>>18&both(0x00003fff)
	}
	g.next = 0
}

func (g *mt19937) uint32() uint32 {
	if g.next == words {
		g.refill()
	}
	v := uint32(g.out[g.next/2] >> (32 * (g.next % 2)))
	g.next++
	return v
}

// pair returns the next two words, the first in the lower half.
func (g *mt19937) pair() uint64 {
	at := g.next
	if at > words-2 {
		first := g.uint32()
		return uint64(g.uint32())<<32 | uint64(first)
	}
	g.next += 2
	if at%2 == 0 {
		return g.out[at/2]
	}
	return straddle(g.out[at/2], g.out[at/2+1])
}
