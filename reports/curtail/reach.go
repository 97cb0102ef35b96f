package curtail

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/evidence"
	"gonum.org/v1/gonum/stat"
)

// Power is the probability with which a difference within reach is found.
const Power = 0.8

// commonSets is how many of the sets two methods must both have, or a spread between sets says little.
const commonSets = 6

// These are the numbers of simulated comparisons: of all cells, and of runs until the verdict is decided with how many
// drawn tables a look.
const (
	wholePlans    = 1000
	simulatedRuns = 40
	fewDraws      = 200
)

// A Reach says what a comparison with one opponent can find, before it runs. The true gains of sets are normal, with
// the spread that stored results of other methods show.
type Reach struct {
	Spread float64 // deviation of true gains between sets: the median over pairs of methods
	Pairs  int     // that have results on all sets
	With   bool    // one method of each pair is an opponent
	// Found is the mean gain that all cells find with probability Power; NaN if none of up to a hundred times the
	// spread and the noise is.
	Found float64
	Cells [3]float64 // that a run takes on average with no gain, Found, and twice as much
	// Equivalent is the probability that all cells show an equivalence, if there is no gain. In Alike and AlikeCells
	// the true values are equal on each set; AlikeCells is what a run takes on average that ends so, NaN if none does.
	Equivalent, Alike, AlikeCells float64
}

// Reach simulates the comparison with the noise and the spread of stored rows. Of two rows of a cell the last one
// counts. Reach is false where no two other methods have commonSets sets in common.
func (r *Run) Reach(stored []store.Row) (Reach, bool) {
	f := r.field(stored)
	if len(f.spreads) == 0 {
		return Reach{}, false
	}
	out := Reach{Spread: median(f.spreads), Pairs: len(f.spreads), With: f.with, AlikeCells: math.NaN()}
	w := f.world(r.plan)
	alike := w
	w.truth = func(stream *rng.RandomState) float64 { return math.Sqrt(0.5) * out.Spread * stream.Norm() }
	alike.truth = func(*rng.RandomState) float64 { return 0 }
	out.Found = w.found(out.Spread + slices.Max(w.noise) + 1e-6)
	for i := range out.Cells {
		if ahead := float64(i) * out.Found; i == 0 || !math.IsNaN(out.Found) {
			out.Cells[i], _ = w.cells(ahead)
		}
	}
	if !math.IsNaN(w.Width) {
		out.Equivalent = w.share(0, evidence.Equivalent)
		if out.Alike = alike.share(0, evidence.Equivalent); out.Alike > 0 {
			_, out.AlikeCells = alike.cells(0)
		}
	}
	return out, true
}

// Foreseen are sentences on what the comparison can find, one a line.
func (r *Run) Foreseen(f Reach) []string {
	in := func(x float64) string {
		if r.Metric.Percent {
			return fmt.Sprintf("%.1f points", x)
		}
		return fmt.Sprintf("%.3g", x)
	}
	pairs := "pairs of other methods"
	if f.With {
		pairs = "pairs of " + strings.Join(r.Methods[1:], " or ") + " and another method"
	}
	lines := []string{fmt.Sprintf("Simulated before the run: between these %d sets true differences vary with a "+
		"standard deviation of %s, the median over %d stored %s.", len(r.sets), in(f.Spread), f.Pairs, pairs)}
	if math.IsNaN(f.Found) {
		return append(lines, fmt.Sprintf("All %d cells find no mean difference with probability %v.", r.planned(),
			Power))
	}
	lines = append(lines, fmt.Sprintf("A mean difference of %s is found (%q) by all %d cells with probability %v.",
		in(f.Found), evidence.Better, r.planned(), Power), fmt.Sprintf("The run ends after about %.0f cells on "+
		"average if there is no difference, %.0f if it is %s, and %.0f if it is %s.", f.Cells[0], f.Cells[1],
		in(f.Found), f.Cells[2], in(2*f.Found)))
	if r.Region.Exists() {
		line := fmt.Sprintf("If there is no mean difference, %q within %s is found by all cells with probability "+
			"%.2f; with %.2f if the methods are alike on each set", evidence.Equivalent, r.Region.Text(r.Metric),
			f.Equivalent, f.Alike)
		if !math.IsNaN(f.AlikeCells) {
			line += fmt.Sprintf(", after about %.0f cells on average", f.AlikeCells)
		}
		lines = append(lines, line+".")
	}
	if others := len(r.Methods) - 1; others > 1 {
		lines = append(lines, fmt.Sprintf("All this is for one opponent. With %d the tests are adjusted, and only "+
			"larger differences are found.", others))
	}
	return lines
}

// share is how often the verdict of all cells against the first opponent is a given one.
func (w world) share(ahead float64, of evidence.Verdict) float64 {
	n := 0
	for k := range wholePlans {
		if w.whole(w.draw(rng.New(uint32(k)), ahead))[0] == of {
			n++
		}
	}
	return float64(n) / wholePlans
}

// found is the gain that all cells find with probability Power, to a hundredth of it. scale is of the order of what is
// found at most.
func (w world) found(scale float64) float64 {
	enough := func(ahead float64) bool { return w.share(ahead, evidence.Better) >= Power }
	low, high := 0.0, scale
	for ; !enough(high); low, high = high, 2*high {
		if high > 100*scale {
			return math.NaN()
		}
	}
	for high-low > 0.01*high {
		if middle := (low + high) / 2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// cells is how many cells a run takes on average, and a run that ends with an equivalence; NaN if none does.
func (w world) cells(ahead float64) (all, equivalent float64) {
	var cells [simulatedRuns]int
	var forecasts [simulatedRuns]Forecast
	var group sync.WaitGroup
	for k := range cells {
		group.Go(func() {
			s := New(w.Plan)
			s.draws = fewDraws
			forecasts[k], cells[k] = s.follow(w.draw(rng.New(uint32(wholePlans+k)), ahead))
		})
	}
	group.Wait()
	n := 0
	for k, f := range forecasts {
		if all += float64(cells[k]) / simulatedRuns; f.Verdicts[0] == evidence.Equivalent {
			n, equivalent = n+1, equivalent+float64(cells[k])
		}
	}
	return all, equivalent / float64(n)
}

// A field is what stored results say of pairs of methods on the sets of a plan.
type field struct {
	with    bool        // one method of each pair is an opponent
	spreads []float64   // by pair: deviation of true gains between sets
	noises  [][]float64 // by set and pair: variance of the gain of a split
	levels  [][]float64 // by set and pair: mean value
}

// field takes the pairs of an opponent and a method other than the own, or all pairs of others if there are none.
func (r *Run) field(stored []store.Row) field {
	values := map[string][]map[int]float64{} // by method, set and split
	for _, row := range stored {
		set := slices.Index(r.sets, row.Dataset)
		if set < 0 || row.Status != result.OK || row.Canary != nil || row.Method == r.Methods[0] ||
			row.Fingerprint != r.cells[cellName{row.Dataset, r.Methods[0], r.Splits[0]}].Spec.Inputs.Fingerprint {
			continue
		}
		if values[row.Method] == nil {
			values[row.Method] = make([]map[int]float64, len(r.sets))
		}
		if values[row.Method][set] == nil {
			values[row.Method][set] = map[int]float64{}
		}
		if x, ok := r.value(row.Score); ok {
			values[row.Method][set][row.Split] = x
		}
	}
	names := slices.Sorted(maps.Keys(values))
	for _, with := range []bool{true, false} {
		f := field{with: with, noises: make([][]float64, len(r.sets)), levels: make([][]float64, len(r.sets))}
		for i, a := range names {
			for _, b := range names[i+1:] {
				if !with || slices.Contains(r.Methods, a) || slices.Contains(r.Methods, b) {
					f.add(values[a], values[b])
				}
			}
		}
		if len(f.spreads) > 0 {
			return f
		}
	}
	return field{}
}

// add adds a pair that has two splits in common on enough sets.
func (f *field) add(a, b []map[int]float64) {
	var gains, within []float64
	noises, levels := map[int]float64{}, map[int]float64{}
	for set := range a {
		var differences []float64
		level := 0.0
		for _, split := range slices.Sorted(maps.Keys(a[set])) {
			if other, ok := b[set][split]; ok {
				differences, level = append(differences, a[set][split]-other), level+(a[set][split]+other)/2
			}
		}
		if n := float64(len(differences)); n >= 2 {
			mean, variance := stat.MeanVariance(differences, nil)
			gains, within = append(gains, mean), append(within, variance/n)
			noises[set], levels[set] = variance, level/n
		}
	}
	if len(gains) < commonSets {
		return
	}
	f.spreads = append(f.spreads, math.Sqrt(max(0, stat.Variance(gains, nil)-stat.Mean(within, nil))))
	for set := range noises {
		f.noises[set], f.levels[set] = append(f.noises[set], noises[set]), append(f.levels[set], levels[set])
	}
}

// world has the medians of the field. A set that no pair has is like the others for its rows.
func (f field) world(p Plan) world {
	w := world{Plan: p}
	w.Opponents = 1
	var levels, ratios []float64
	for i, set := range p.Sets {
		if len(f.levels[i]) > 0 {
			level := median(f.levels[i])
			levels, ratios = append(levels, level), append(ratios, median(f.noises[i])/p.base(level, set.Test))
		}
	}
	for i, set := range p.Sets {
		level := median(levels)
		variance := median(ratios) * p.base(level, set.Test)
		if len(f.levels[i]) > 0 {
			level, variance = median(f.levels[i]), median(f.noises[i])
		}
		w.level, w.noise = append(w.level, level), append(w.noise, math.Sqrt(variance))
	}
	return w
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
