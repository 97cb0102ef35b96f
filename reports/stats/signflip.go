package stats

import (
	"cmp"
	"encoding/binary"
	"math"
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
	drawn   sync.Once
	flips   [][]bool // that are drawn, by set, once they are needed; nil if all are counted
	total   int      // number of flips, without the negatives
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

// draw draws the flips; the first one turns no set.
func (f *Family) draw() {
	if f.exact {
		return
	}
	stream := rng.New(f.seed)
	f.flips = make([][]bool, f.total)
	for i := range f.flips {
		f.flips[i] = make([]bool, f.sets)
		for s := range f.flips[i] {
			f.flips[i][s] = i > 0 && stream.Intn(2) == 1
		}
	}
}

// parts is into how many parts flips are divided for the cores; it changes no result.
const parts = 8

// A visit gets the sums of all comparisons under a flip, and adds to counts.
type visit func(flip int, sums []int32, counts []int)

// each visits the sums under each flip but its negative, and adds up what the visits count. begin makes the visit of
// a part, which may keep what it works with from flip to flip.
func (f *Family) each(counters int, begin func() visit) []int {
	f.drawn.Do(f.draw)
	bySet := make([][]int32, f.sets) // ranks of all comparisons
	for s := range bySet {
		for _, c := range f.columns {
			bySet[s] = append(bySet[s], c.ranks[s])
		}
	}
	partial := make([][]int, parts)
	var work errgroup.Group
	for part := range parts {
		partial[part] = make([]int, counters)
		work.Go(func() error {
			f.walk(bySet, f.total*part/parts, f.total*(part+1)/parts, begin(), partial[part])
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

// walk visits some flips. All flips are in the order of a Gray code, in which one set turns at a time.
func (f *Family) walk(bySet [][]int32, from, to int, at visit, counts []int) {
	turned := func(flip, set int) bool {
		if !f.exact {
			return f.flips[flip][set]
		}
		return set > 0 && (flip^flip>>1)>>(set-1)&1 == 1
	}
	now, sums := make([]bool, f.sets), make([]int32, len(f.columns))
	for i, c := range f.columns {
		sums[i] = c.sum
	}
	for flip := from; flip < to; flip++ {
		for s, ranks := range bySet {
			if turn := turned(flip, s); turn != now[s] {
				now[s] = turn
				twice := int32(2)
				if turn {
					twice = -2
				}
				for i, r := range ranks {
					sums[i] += twice * r
				}
			}
		}
		at(flip, sums, counts)
	}
}

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
	return f.stepDown(func(c *SignedRanks, sum int32) float64 { return c.twoSided(sum) }, false)
}

// AdjustedAbove are those of one-sided tests, which are small for differences above zero.
func (f *Family) AdjustedAbove() []float64 { return f.stepDown((*SignedRanks).above, true) }

func (f *Family) stepDown(p func(*SignedRanks, int32) float64, oneSided bool) []float64 {
	seen, order := make([]float64, len(f.columns)), make([]int, len(f.columns))
	for i := range f.columns {
		seen[i], order[i] = p(&f.columns[i], f.columns[i].sum), i
	}
	if len(f.columns) == 1 {
		return seen
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(seen[a], seen[b]) })
	signs := []int32{1}
	if oneSided {
		signs = []int32{1, -1}
	}
	counts := f.each(len(f.columns), func() visit {
		return func(_ int, sums []int32, counts []int) {
			for _, sign := range signs {
				least := math.Inf(1)
				for k := len(order) - 1; k >= 0; k-- {
					i := order[k]
					if least = min(least, p(&f.columns[i], sign*sums[i])); least <= seen[i]*slack {
						counts[i]++
					}
				}
			}
		}
	})
	out, reached := make([]float64, len(f.columns)), 0.0
	for _, i := range order {
		reached = max(reached, float64(counts[i])/float64(len(signs)*f.total))
		out[i] = reached
	}
	return out
}

// Critical is the largest p-value that is significant at a level, of the comparison with the least one: the share of
// the flips with so small a p-value of any comparison is at most the level. It is 0 if there is none. No p-value of
// so few data sets, in a family with so many comparisons, is then significant.
func (f *Family) Critical(level float64) float64 {
	if len(f.columns) == 1 {
		return f.columns[0].critical(level)
	}
	least := make([]float64, f.total)
	f.each(0, func() visit {
		return func(flip int, sums []int32, _ []int) {
			least[flip] = 1
			for i := range sums {
				least[flip] = min(least[flip], f.columns[i].twoSided(sums[i]))
			}
		}
	})
	slices.Sort(least)
	critical := 0.0
	for i := range least {
		if last := i+1 == len(least) || least[i+1] > least[i]*slack; !last {
			continue
		}
		if float64(i+1) > level*float64(f.total)*slack {
			break
		}
		critical = least[i]
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
	fill := func(least []float64, sums []int32, sign int32) {
		for m := range least {
			least[m] = 1
		}
		for _, v := range pairs {
			c, sum := &f.columns[v.At], sign*sums[v.At]
			least[v.A], least[v.B] = min(least[v.A], c.above(-sum)), min(least[v.B], c.above(sum))
		}
	}
	seen, observed := make([]float64, methods), make([]int32, len(f.columns))
	for i, c := range f.columns {
		observed[i] = c.sum
	}
	fill(seen, observed, 1)
	counts := f.each(methods, func() visit {
		least := make([]float64, methods)
		return func(_ int, sums []int32, counts []int) {
			for _, sign := range []int32{1, -1} {
				fill(least, sums, sign)
				for m := range least {
					if least[m] <= seen[m]*slack {
						counts[m]++
					}
				}
			}
		}
	})
	out := make([]float64, methods)
	for m, n := range counts {
		out[m] = float64(n) / float64(2*f.total)
	}
	return out
}
