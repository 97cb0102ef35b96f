package stats

import (
	"cmp"
	"encoding/binary"
	"math/big"
	"slices"
	"sync"

	"github.com/kernelboosting/bench/registry/rng"
	"golang.org/x/sync/errgroup"
)

// MostFlipped is the most data sets of which all flips of signs are counted; for more, MostFlips flips are drawn.
const MostFlipped = 16

// MostFlips is the number of flips that are drawn, those as observed included. Each one counts with its negative.
const MostFlips = 10_000

// SignedRanks are the signed ranks of a comparison of two methods over the data sets of a family of comparisons. Where
// the methods do not differ, each difference has either sign with the same probability. The sets of a family are the
// same ones, so that a flip turns the differences of all comparisons on a set, and keeps how they depend on each other.
type SignedRanks struct {
	ranks []int32   // doubled, with the sign of the difference; 0 for no difference and for a set without one
	sum   int32     // of the ranks as observed
	tail  []float64 // tail[total+s] is the probability of a sum of at least s, for s from -total to total
	total int32     // of the ranks without signs
}

// NewSignedRanks ranks the absolute differences, one a data set of the family, nil for a set that is not compared.
// There is at least one difference.
func NewSignedRanks(differences []*big.Rat) SignedRanks {
	var places []int
	var known []*big.Rat
	for i, d := range differences {
		if d != nil {
			places, known = append(places, i), append(known, d)
		}
	}
	c := SignedRanks{ranks: make([]int32, len(differences))}
	for i, r := range signedRanks(known) {
		c.ranks[places[i]] = int32(r)
		c.sum += int32(r)
		c.total += int32(max(r, -r))
	}
	return c
}

// Sign is 1 if the typical difference is above zero by the signed ranks, -1 if it is below, and else 0.
func (c *SignedRanks) Sign() int { return cmp.Compare(c.sum, 0) }

// TwoSided is the p-value of Wilcoxon's test. It is known once there is a family.
func (c *SignedRanks) TwoSided() float64 { return c.twoSided(c.sum) }

// Above is the one-sided p-value, which is small if the differences are above zero. It is known once there is a family.
func (c *SignedRanks) Above() float64 { return c.above(c.sum) }

// Least is the smallest p-value that a two-sided test of a comparison in a family can have.
func (c *SignedRanks) Least() float64 { return c.twoSided(c.total) }

// above is the one-sided p-value of a sum, which is small if the differences are above zero.
func (c *SignedRanks) above(sum int32) float64    { return c.tail[c.total+sum] }
func (c *SignedRanks) twoSided(sum int32) float64 { return min(1, 2*c.above(max(sum, -sum))) }

// p is the p-value of a sum.
func (c *SignedRanks) p(sum int32, oneSided bool) float64 {
	if oneSided {
		return c.above(sum)
	}
	return c.twoSided(sum)
}

// tabulate fills the tails. Comparisons with the same ranks share a table.
func tabulate(columns []SignedRanks, tables map[string][]float64) {
	for i := range columns {
		c := &columns[i]
		if c.tail != nil {
			continue
		}
		var sizes []int
		for _, r := range c.ranks {
			if r != 0 {
				sizes = append(sizes, int(max(r, -r)))
			}
		}
		slices.Sort(sizes)
		key := make([]byte, 0, 2*len(sizes))
		for _, size := range sizes {
			key = binary.AppendUvarint(key, uint64(size))
		}
		if tables[string(key)] == nil {
			tables[string(key)] = tails(sizes)
		}
		c.tail = tables[string(key)]
	}
}

// Binding chooses of two one-sided tests of each comparison that with the larger p-value.
func Binding(one, other []SignedRanks) []SignedRanks {
	tables := map[string][]float64{}
	tabulate(one, tables)
	tabulate(other, tables)
	out := slices.Clone(one)
	for i := range out {
		if other[i].above(other[i].sum) > one[i].above(one[i].sum) {
			out[i] = other[i]
		}
	}
	return out
}

// tails are the probabilities of a signed sum of at least -total, -total+1 and so on up to total.
func tails(sizes []int) []float64 {
	total := 0
	for _, r := range sizes {
		total += r
	}
	out := make([]float64, 2*total+1)
	p := signSums(sizes, total) // of the sum of the positive ranks, s; the signed sum is 2s - total
	reached := 0.0
	for s := total; s >= 0; s-- {
		reached += p[s]
		out[2*s] = reached
		if s > 0 {
			out[2*s-1] = reached
		}
	}
	return out
}

// A Family is comparisons over the same data sets, whose p-values are adjusted together by flips of signs.
type Family struct {
	columns []SignedRanks
	sets    int
	exact   bool
	seed    uint32
	total   int // number of flips, without the negatives

	twoSided        sync.Once
	adjusted, least []float64 // of the two-sided tests: what Adjusted returns; the least p under each flip, sorted
}

// NewFamily takes comparisons with the same number of data sets. Equal seeds draw equal flips.
func NewFamily(columns []SignedRanks, seed uint32) *Family {
	f := &Family{columns: columns, total: MostFlips, seed: seed}
	tabulate(columns, map[string][]float64{})
	if len(columns) > 0 {
		f.sets = len(columns[0].ranks)
	}
	if f.exact = f.sets <= MostFlipped; f.exact {
		f.total = 1 << max(0, f.sets-1) // the first set need not turn, since each flip counts with its negative
	}
	return f
}

// drawn are functions that return the flips of so many sets by a seed. Families with both the same share them.
var drawn sync.Map

// flips are those of the family: the bits of flips[k][i] are which of the sets 8k to 8k+7 turn under flip i.
func (f *Family) flips() [][]byte {
	made, _ := drawn.LoadOrStore([2]int{f.sets, int(f.seed)}, sync.OnceValue(f.draw))
	return made.(func() [][]byte)()
}

// draw makes the flips; the first one turns no set.
func (f *Family) draw() [][]byte {
	stream := rng.New(f.seed)
	flips := make([][]byte, (f.sets+7)/8)
	for k := range flips {
		flips[k] = make([]byte, f.total)
	}
	for i := range f.total {
		for s := range f.sets {
			turned := f.exact && i<<1>>s&1 == 1 || !f.exact && i > 0 && stream.Intn(2) == 1
			if turned {
				flips[s/8][i] |= 1 << (s % 8)
			}
		}
	}
	return flips
}

// fill computes the sums of a comparison under the flips from one on, by a table of what each eight sets add.
func (f *Family) fill(sums []int32, c *SignedRanks, flips [][]byte, from int) {
	for i := range sums {
		sums[i] = c.sum
	}
	var twice [256]int32
	for k, flips := range flips {
		for bit, r := range c.ranks[8*k : min(8*k+8, f.sets)] {
			for b := range 1 << bit {
				twice[1<<bit+b] = twice[b] + 2*r
			}
		}
		for i, flip := range flips[from:][:len(sums)] {
			sums[i] -= twice[flip]
		}
	}
}

// parts is into how many parts flips are divided for the cores; it changes no result.
const parts = 8

// A visitor gets the comparisons one after another, each with its sums under the flips of a part, and adds to counts
// then or at the end.
type visitor struct {
	visit func(at int, sums []int32, counts []int)
	end   func(counts []int)
}

// each visits comparisons in an order, with their sums under each flip but its negative, and adds up what the visitors
// of the parts count. begin makes the visitor of the flips from one on.
func (f *Family) each(order []int, counters int, begin func(from, flips int) visitor) []int {
	flips, partial := f.flips(), make([][]int, parts)
	var work errgroup.Group
	for part := range parts {
		partial[part] = make([]int, counters)
		work.Go(func() error {
			from, to := f.total*part/parts, f.total*(part+1)/parts
			v, sums := begin(from, to-from), make([]int32, to-from)
			for _, at := range order {
				f.fill(sums, &f.columns[at], flips, from)
				v.visit(at, sums, partial[part])
			}
			if v.end != nil {
				v.end(partial[part])
			}
			return nil
		})
	}
	work.Wait()
	for _, p := range partial[1:] {
		for i, n := range p {
			partial[0][i] += n
		}
	}
	return partial[0]
}

// ones are so many p-values of 1, the largest.
func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// slack is how much larger a p-value may be and still count as the same one: they are sums of rounded numbers.
const slack = 1 + 1e-9

// Adjusted are the p-values of a two-sided test of each comparison, adjusted by the step-down procedure of Westfall
// and Young (1993, algorithm 2.8): with p_(1) <= p_(2) .., the value of (i) is the share of the flips under which the
// least p of (i), (i+1), .. is at most p_(i), and no less than the value before it. If the differences of those
// comparisons that have none are symmetric together, the probability that any of them has a value of at most alpha is
// at most alpha (Romano and Wolf 2005). The least p-value is used and not the largest studentised sum: comparisons
// over fewer sets or with ties reach smaller sums. For the same number of sets and no ties both are the same
// procedure. A comparison by itself keeps its p-value.
func (f *Family) Adjusted() []float64 {
	f.twoSided.Do(func() { f.adjusted, f.least = f.stepDown(false) })
	return f.adjusted
}

// AdjustedAbove are those of one-sided tests, which are small for differences above zero.
func (f *Family) AdjustedAbove() []float64 {
	adjusted, _ := f.stepDown(true)
	return adjusted
}

// stepDown returns the adjusted p-values and, of several comparisons, the least p under each flip, sorted.
func (f *Family) stepDown(oneSided bool) (out, least []float64) {
	seen := make([]float64, len(f.columns))
	for i := range f.columns {
		seen[i] = f.columns[i].p(f.columns[i].sum, oneSided)
	}
	if len(f.columns) == 1 {
		return seen, nil
	}
	order := ordered(len(seen), func(a, b int) int { return cmp.Compare(seen[a], seen[b]) })
	slices.Reverse(order)
	signs := []int32{1}
	if oneSided {
		signs = []int32{1, -1}
	}
	least = ones(f.total * len(signs)) // of the comparisons visited so far
	counts := f.each(order, len(f.columns), func(from, flips int) visitor {
		return visitor{visit: func(at int, sums []int32, counts []int) {
			c, most := &f.columns[at], seen[at]*slack
			for k, sign := range signs {
				least := least[k*f.total+from:][:flips]
				n := 0
				for i, sum := range sums {
					p := c.tail[c.total+sign*sum]
					if !oneSided {
						p = 2 * c.tail[c.total+max(sum, -sum)] // least is at most 1
					}
					if p < least[i] {
						least[i] = p
					}
					if least[i] <= most {
						n++
					}
				}
				counts[at] += n
			}
		}}
	})
	out = make([]float64, len(f.columns))
	reached := 0.0
	for _, i := range slices.Backward(order) {
		reached = max(reached, float64(counts[i])/float64(len(signs)*f.total))
		out[i] = reached
	}
	slices.Sort(least)
	return out, least
}

// Critical is the largest p-value that is significant at a level, of the comparison with the least one: the share of
// the flips with so small a p-value of any comparison is at most the level. It is 0 if there is none. No p-value of
// so few data sets, in a family with so many comparisons, is then significant.
func (f *Family) Critical(level float64) float64 {
	if len(f.columns) == 1 {
		return f.columns[0].critical(level)
	}
	f.Adjusted()
	critical := 0.0
	for i, p := range f.least {
		if last := i+1 == len(f.least) || f.least[i+1] > p*slack; !last {
			continue
		}
		if float64(i+1) > level*float64(f.total)*slack {
			break
		}
		critical = p
	}
	return critical
}

// critical is Critical of a comparison by itself, whose p-values need no flips.
func (c *SignedRanks) critical(level float64) float64 {
	critical := 0.0
	for sum := int32(c.total); sum >= 0; sum-- {
		if p := c.twoSided(sum); p <= level*slack {
			critical = p
		}
	}
	return critical
}

// A Versus is a comparison of two of several methods, by its place in a family: differences are those of A less B.
type Versus struct{ A, B, At int }

// Best are p-values of the hypotheses that a method is the best of all: that no other one is better, for each of k
// methods. They are multiple comparisons with the best (Hsu 1984), with the least one-sided p of the other methods
// against the method as its statistic. The methods with values above alpha hold the best one with a probability of at
// least 1 - alpha.
func (f *Family) Best(methods int, pairs []Versus) []float64 {
	of := make([]Versus, len(f.columns)) // by place
	order := make([]int, len(pairs))
	for i, v := range pairs {
		of[v.At], order[i] = v, v.At
	}
	seen := ones(methods)
	for _, v := range pairs {
		c := &f.columns[v.At]
		seen[v.A], seen[v.B] = min(seen[v.A], c.above(-c.sum)), min(seen[v.B], c.above(c.sum))
	}
	counts := f.each(order, methods, func(_, flips int) visitor {
		least := ones(2 * methods * flips) // of each sign, method and flip
		row := func(sign, m int) []float64 { return least[(sign*methods+m)*flips:][:flips] }
		return visitor{func(at int, sums []int32, _ []int) {
			c, v := &f.columns[at], of[at]
			for k, sign := range []int32{1, -1} {
				a, b := row(k, v.A), row(k, v.B)
				for i, sum := range sums {
					a[i], b[i] = min(a[i], c.above(-sign*sum)), min(b[i], c.above(sign*sum))
				}
			}
		}, func(counts []int) {
			for m := range methods {
				for _, p := range slices.Concat(row(0, m), row(1, m)) {
					if p <= seen[m]*slack {
						counts[m]++
					}
				}
			}
		}}
	})
	out := make([]float64, methods)
	for m, n := range counts {
		out[m] = float64(n) / float64(2*f.total)
	}
	return out
}
