package stats

import (
	"math/big"
	"slices"

	"github.com/kernelboosting/bench/registry/rng"
)

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
