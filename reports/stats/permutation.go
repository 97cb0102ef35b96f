package stats

import (
	"math/big"

	"github.com/kernelboosting/bench/registry/rng"
)

// MostArrangements is the largest number of arrangements that FriedmanPermutation counts one by one. If there are
// more, it draws this many.
const MostArrangements = 10_000

// A PermutationTest is a p-value from arrangements of the data that are equally likely under the hypothesis.
type PermutationTest struct {
	P     float64
	Exact bool // all arrangements were counted, and none drawn
}

// FriedmanPermutation is Friedman's test without an approximation. Under the hypothesis that all methods are alike,
// each order of the ranks in a row is equally likely, ties included. The statistic is the sum over methods of
// squared rank sums, and P is the share of the (k!)^N arrangements with a statistic at least as large as the
// observed one. If there are more than MostArrangements, it draws B arrangements. If b of these reach the observed
// statistic, P = (b + 1) / (B + 1), which is at most alpha with a probability of at most alpha for any number of
// rows (Phipson and Smyth 2010). Equal seeds give equal results.
//
// Values are data sets x methods; a larger value is better.
func FriedmanPermutation(values [][]*big.Rat, seed uint32) PermutationTest {
	checkMethods(values)
	k := len(values[0])
	rows, sums := make([][]int, len(values)), make([]int, k) // of doubled ranks
	for i, row := range values {
		rows[i] = doubledRanks(row)
		for j, r := range rows[i] {
			sums[j] += r
		}
	}
	seen := squares(sums)
	arrangements := 1
	for range rows[1:] { // the first row may stay, since only its order relative to the other rows counts
		for f := 2; f <= k && arrangements <= MostArrangements; f++ {
			arrangements *= f
		}
	}
	if arrangements <= MostArrangements {
		return PermutationTest{float64(countArrangements(rows, seen)) / float64(arrangements), true}
	}
	stream, reached := rng.New(seed), 0
	for range MostArrangements {
		clear(sums)
		for _, row := range rows {
			for last := k - 1; last > 0; last-- {
				other := stream.Intn(last + 1)
				row[last], row[other] = row[other], row[last]
			}
			for j, r := range row {
				sums[j] += r
			}
		}
		if squares(sums) >= seen {
			reached++
		}
	}
	return PermutationTest{P: float64(reached+1) / float64(MostArrangements+1)}
}

// countArrangements counts the orders of all rows but the first whose squares reach what was seen.
func countArrangements(rows [][]int, seen int) int {
	k := len(rows[0])
	sums := append([]int(nil), rows[0]...)
	count := 0
	var arrange func(row, place int)
	arrange = func(row, place int) {
		switch {
		case row == len(rows):
			if squares(sums) >= seen {
				count++
			}
			return
		case place == k:
			arrange(row+1, 0)
			return
		}
		r := rows[row]
		for other := place; other < k; other++ {
			r[place], r[other] = r[other], r[place]
			sums[place] += r[place]
			arrange(row, place+1)
			sums[place] -= r[place]
			r[place], r[other] = r[other], r[place]
		}
	}
	arrange(1, 0)
	return count
}

func squares(sums []int) int {
	total := 0
	for _, s := range sums {
		total += s * s
	}
	return total
}
