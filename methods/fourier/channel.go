package fourier

import (
	"encoding/binary"
	"math"
	"slices"
)

// A channel is a part of an embedding with the rows that the part sees. Many rows of a channel of one feature are
// equal, and all that an embedding makes of them is equal too. So a channel has each of them once, as a value.
type channel struct {
	*embedding           // of this part alone
	n          int       // values
	values     []float64 // n x inputs
	which      []int32   // the value of each row of the problem, nil where every row is a value of its own
	roots      []float64 // the root of the number of rows with each value, unless which is nil
}

// channel returns the channel of part j. Where more than half of the rows differ, every row is a value of its own.
func (p *problem) channel(j int) *channel {
	if p.channels == nil {
		p.channels = make([]*channel, len(p.parts))
	}
	if p.channels[j] == nil {
		p.channels[j] = p.newChannel(j)
	}
	return p.channels[j]
}

func (p *problem) newChannel(j int) *channel {
	from, to := p.parts[j].from, p.parts[j].to
	c := &channel{embedding: p.only(j), n: p.n, values: make([]float64, 0, p.n*(to-from))}
	row := func(r int) []float64 { return p.a[r*p.inputs+from : r*p.inputs+to] }
	seen, key := map[string]int32{}, []byte(nil)
	which, counts := make([]int32, p.n), []float64(nil)
	for r := range p.n {
		key = key[:0]
		for _, v := range row(r) {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
		}
		at, ok := seen[string(key)]
		if !ok {
			if at = int32(len(seen)); 2*len(seen) >= p.n {
				c.values = c.values[:0]
				for r := range p.n {
					c.values = append(c.values, row(r)...)
				}
				return c
			}
			seen[string(key)] = at
			c.values, counts = append(c.values, row(r)...), append(counts, 0)
		}
		which[r] = at
		counts[at]++
	}
	for i, count := range counts {
		counts[i] = math.Sqrt(count)
	}
	c.n, c.values, c.which, c.roots = len(counts), slices.Clip(c.values), which, counts
	return c
}

// collect sets sums to the sums of v over the rows of each value.
func (c *channel) collect(sums, v []float64) {
	if c.which == nil {
		copy(sums, v)
		return
	}
	clear(sums)
	for i, at := range c.which {
		sums[at] += v[i]
	}
}
