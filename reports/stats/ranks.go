package stats

import (
	"math/big"
	"slices"
	"strconv"

	"github.com/kernelboosting/bench/registry/rng"
)

// MidRanks ranks values, the largest first: rank 1 is the best, and tied values
// share the mean of the ranks they span. The ranks add up to k(k+1)/2 for k
// values. No value may be nil.
func MidRanks(values []*big.Rat) []*big.Rat {
	ranks := make([]*big.Rat, len(values))
	for i, doubled := range doubledRanks(values) {
		ranks[i] = big.NewRat(int64(doubled), 2)
	}
	return ranks
}

// doubledRanks are twice the ranks of MidRanks, which are whole numbers.
func doubledRanks(values []*big.Rat) []int {
	order, ranks := Order(values), make([]int, len(values))
	for first := 0; first < len(order); {
		end := first + 1
		for end < len(order) && values[order[end]].Cmp(values[order[first]]) == 0 {
			end++
		}
		for _, at := range order[first:end] {
			ranks[at] = 2*len(order) + 1 - first - end
		}
		first = end
	}
	return ranks
}

// LaterColumnRanks ranks values, the largest first, and gives tied values
// different ranks: among equals, the value in the later column is ranked better.
// That is what reversing an ascending stable argsort does. No value may be nil.
func LaterColumnRanks(values []*big.Rat) []*big.Rat {
	ranks := make([]*big.Rat, len(values))
	for i, v := range values {
		rank := int64(1)
		for j, other := range values {
			if c := other.Cmp(v); c > 0 || c == 0 && j > i {
				rank++
			}
		}
		ranks[i] = big.NewRat(rank, 1)
	}
	return ranks
}

// AverageRanks returns each column's mean mid-rank over the rows of values
// (data sets x methods). Every row must have the same number of columns, and no
// value may be nil.
func AverageRanks(values [][]*big.Rat) []*big.Rat {
	checkMatrix(values)
	ranks := make([][]*big.Rat, len(values))
	for i, row := range values {
		ranks[i] = MidRanks(row)
	}
	return ColumnMeans(ranks)
}

// PaperAverageRanks returns average ranks as Table 2 of Gautheron et al. (ECML
// PKDD 2020) prints them: the row of column means is ranked as one more data
// set, and ties go to the later column. The divisor is therefore the number of
// data sets plus one. The shape is as for AverageRanks.
func PaperAverageRanks(values [][]*big.Rat) []*big.Rat {
	checkMatrix(values)
	ranks := make([][]*big.Rat, 0, len(values)+1)
	for _, row := range values {
		ranks = append(ranks, LaterColumnRanks(row))
	}
	return ColumnMeans(append(ranks, LaterColumnRanks(ColumnMeans(values))))
}

// Largest marks every value that equals the largest one. Nil values are missing
// and never marked.
func Largest(values []*big.Rat) []bool {
	var largest *big.Rat
	for _, v := range values {
		if v != nil && (largest == nil || v.Cmp(largest) > 0) {
			largest = v
		}
	}
	marks := make([]bool, len(values))
	for i, v := range values {
		marks[i] = v != nil && v.Cmp(largest) == 0
	}
	return marks
}

// Smallest marks every value that equals the smallest one. Nil values are missing and never marked.
func Smallest(values []*big.Rat) []bool {
	negative := make([]*big.Rat, len(values))
	for i, v := range values {
		if v != nil {
			negative[i] = new(big.Rat).Neg(v)
		}
	}
	return Largest(negative)
}

// Order returns the places of values, the smallest first; equal ones keep their order. No value may
// be nil.
func Order(values []*big.Rat) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return values[a].Cmp(values[b]) })
	return order
}

// Decimal returns the shortest decimal that reads back as a finite x, as an exact rational: 83.1 becomes 831/10, the number that
// was printed, and not the neighbouring binary fraction.
func Decimal(x float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	must(ok, "%v is not a finite number", x)
	return r
}

// ColumnMeans returns the mean of each column of values (data sets x methods).
func ColumnMeans(values [][]*big.Rat) []*big.Rat {
	out := make([]*big.Rat, len(values[0]))
	for j := range out {
		out[j] = Mean(column(values, j))
	}
	return out
}

func column(values [][]*big.Rat, j int) []*big.Rat {
	out := make([]*big.Rat, len(values))
	for i, row := range values {
		out[i] = row[j]
	}
	return out
}

// checkMatrix panics unless a matrix has a value everywhere.
func checkMatrix(values [][]*big.Rat) {
	must(len(values) > 0 && len(values[0]) > 0, "no values to rank")
	for i, row := range values {
		must(len(row) == len(values[0]) && !slices.Contains(row, nil), "row %d lacks a value", i)
	}
}

// A ResampledRank says how far a method's place depends on which data sets there are.
type ResampledRank struct {
	First    float64  // share of resamples in which its average rank is the best; several best methods divide the resample
	Interval Interval // interval of its average rank over resamples
}

// ResampledRanks draws as many data sets as there are with replacement, the given number of times, and ranks the methods in
// each resample (values are data sets x methods, a larger one better). The interval holds the given level of the average
// ranks, between quantiles. Equal seeds give equal results.
func ResampledRanks(values [][]*big.Rat, level float64, draws int, seed uint32) []ResampledRank {
	checkMatrix(values)
	must(draws > 1 && within(level), "no interval of level %v from %d draws", level, draws)
	k := len(values[0])
	ranks := make([][]int, len(values))
	for i, row := range values {
		ranks[i] = doubledRanks(row)
	}
	out, reached := make([]ResampledRank, k), make([][]float64, k)
	stream, sums := rng.New(seed), make([]int, k)
	for range draws {
		clear(sums)
		for range ranks {
			for j, r := range ranks[stream.Intn(len(ranks))] {
				sums[j] += r
			}
		}
		least, best := slices.Min(sums), 0
		for _, s := range sums {
			if s == least {
				best++
			}
		}
		for j, s := range sums {
			if s == least {
				out[j].First += 1 / float64(best) / float64(draws)
			}
			reached[j] = append(reached[j], float64(s)/float64(2*len(ranks)))
		}
	}
	for j := range out {
		slices.Sort(reached[j])
		out[j].Interval = Interval{sortedQuantile(reached[j], (1-level)/2), sortedQuantile(reached[j], (1+level)/2)}
	}
	return out
}

// sortedQuantile interpolates linearly between order statistics, as NumPy does by default.
func sortedQuantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low := min(int(at), len(sorted)-2)
	part := at - float64(low)
	return sorted[low] + float64(part*(sorted[low+1]-sorted[low]))
}
