package curves

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

const (
	level     = 0.95
	resamples = 2000
	seed      = 1
	leastSets = 3    // the fewest sets that are resampled
	fewSplits = 5    // the fewest splits that have quartiles
	rarely    = 0.05 // methods with a smaller share are not named
)

// quartiles returns the quartiles over splits of a method's mean time over the timed sets. They are NaN if fewer
// than fewSplits splits were timed on all of these sets.
func (p *costs) quartiles(method string) [2]float64 {
	sums, sets := map[int]float64{}, map[int]int{}
	for _, s := range p.timed {
		for _, r := range p.Cells(s, method) {
			if !timed(r) {
				continue
			}
			if x, takes := p.time(r); takes {
				sums[r.Split] += x / float64(len(p.timed))
				sets[r.Split]++
			}
		}
	}
	var times []*big.Rat
	for split, n := range sets {
		if n == len(p.timed) {
			times = append(times, frame.Exact(sums[split]))
		}
	}
	if len(times) < fewSplits {
		return [2]float64{math.NaN(), math.NaN()}
	}
	spread := stats.NewSpread(times)
	return [2]float64{frame.Float64(spread.Lower), frame.Float64(spread.Upper)}
}

// resampled reports whether there are enough sets to draw from, and at least two methods to compare.
func (p *costs) resampled() bool {
	return len(p.timed) >= leastSets && len(p.Whole()) > 1 && p.comparable()
}

// resample fills the fields half and share of costs, which must still be in the order of methods. Each resample
// draws as many timed sets as there are, with replacement, and share is how often the method is on the front.
func (p *costs) resample() {
	var values, times [][]float64 // a row a timed set, larger values are better
	for _, s := range p.Sets {
		if !slices.Contains(p.timed, s.Name) {
			continue
		}
		var v, t []float64
		for i := range p.Whole() {
			v, t = append(v, frame.Float64(p.Difference(s.Entries[i].Mean))), append(t, *p.cells[s.Name][i])
		}
		values, times = append(values, v), append(times, t)
	}
	for i, half := range stats.PairedHalfWidths(values, level) {
		p.costs[i].half = half
	}
	if !p.resampled() {
		return
	}
	k, stream := len(p.Whole()), rng.New(seed)
	good, slow, fronts := make([]float64, k), make([]float64, k), make([]int, k)
	for range resamples {
		clear(good)
		clear(slow)
		for range values {
			row := stream.Intn(len(values))
			for i := range k {
				good[i] += values[row][i]
				slow[i] += times[row][i]
			}
		}
		for i := range k {
			beaten := false
			for j := range k {
				beaten = beaten || good[j] >= good[i] && slow[j] <= slow[i] && (good[j] > good[i] || slow[j] < slow[i])
			}
			if !beaten {
				fronts[i]++
			}
		}
	}
	for i, n := range fronts {
		p.costs[i].share = float64(n) / resamples
	}
}

// sureness is a sentence with the share of resamples in which each method is on the front, the largest share first.
// Methods with a share below rarely are only counted.
func (p *costs) sureness() []doc.Block {
	if !p.resampled() {
		return nil
	}
	costs := slices.Clone(p.costs)
	slices.SortStableFunc(costs, func(a, b cost) int { return cmp.Compare(b.share, a.share) })
	var often []string
	for _, c := range costs {
		if c.share >= rarely {
			often = append(often, c.method+" "+frame.Probability(c.share))
		}
	}
	text := fmt.Sprintf("Shares of %d draws of %s from these, with replacement, in which a method is on the front: %s",
		resamples, frame.Count(len(p.timed), "data set"), strings.Join(often, ", "))
	if others := len(costs) - len(often); others > 0 {
		text += fmt.Sprintf("; %s below %v", frame.Count(others, "other method"), rarely)
	}
	return []doc.Block{doc.Prose{Paragraphs: []string{text + "."}}}
}
