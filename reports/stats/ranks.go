package stats

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
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
	ranks, compare := make([]int, len(values)), comparer(values)
	order := ordered(len(values), compare)
	for first := 0; first < len(order); {
		end := first + 1
		for end < len(order) && compare(order[end], order[first]) == 0 {
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
func Order(values []*big.Rat) []int { return ordered(len(values), comparer(values)) }

func ordered(n int, compare func(a, b int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	return order
}

// comparer compares values by their places, exactly, with fractions only where the rounded values do not tell.
func comparer(values []*big.Rat) func(a, b int) int {
	rounded := floats(values)
	return func(a, b int) int {
		if d := rounded[a] - rounded[b]; math.Abs(d) > off(rounded[a], rounded[b]) {
			return cmp.Compare(d, 0)
		}
		return values[a].Cmp(values[b])
	}
}

func floats(values []*big.Rat) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float(v)
	}
	return out
}

// off is how far the sum or the difference of two rounded numbers is from that of the numbers at most: rounding both
// and the result errs by 2^-53 of each.
func off(a, b float64) float64 { return 0x1p-51*(math.Abs(a)+math.Abs(b)) + 0x1p-1000 }

// Decimal returns the shortest decimal that reads back as a finite x, as an exact rational: 83.1 becomes 831/10,
// the number that was printed, and not the neighbouring binary fraction.
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
