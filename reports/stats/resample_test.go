package stats_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/reports/stats"
)

// By hand: the first method wins on one of two data sets. Of the four resamples it wins one, loses one, and ties in two, so that it
// is first in half of them, its average rank is 1, 1.5 or 2, and the interval of all but 5 % goes from 1 to 2. A method that is last
// everywhere is never first.
func TestResampledRanks(t *testing.T) {
	const draws = 4000
	values := [][]*big.Rat{whole([]int{3, 2, 1}), whole([]int{4, 5, 0})}
	got := stats.ResampledRanks(values, 0.95, draws, 1)
	if sd := math.Sqrt(0.125 / draws); math.Abs(got[0].First-0.5) > 4*sd || math.Abs(got[0].First+got[1].First-1) > 1e-9 || got[2].First != 0 {
		t.Errorf("first in %+v", got)
	}
	if got[0].Interval != (stats.Interval{Low: 1, High: 2}) || got[2].Interval != (stats.Interval{Low: 3, High: 3}) {
		t.Errorf("intervals %+v", got)
	}
	again := stats.ResampledRanks(values, 0.95, draws, 1)
	if again[0] != got[0] {
		t.Errorf("again %+v", again)
	}
	if !stats.Panics(func() { stats.ResampledRanks(values, 1, draws, 1) }) {
		t.Error("a level of 1 makes no panic")
	}
	if !stats.Panics(func() { stats.ResampledRanks(nil, 0.9, draws, 1) }) {
		t.Error("no values make no panic")
	}
}
