package curtail

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

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

// A Reach says how many cells a comparison with one opponent takes, and how often it shows an equivalence. The true
// gains of sets are normal, with the spread that stored results of other methods show.
type Reach struct {
	Cells [3]float64 // that a run takes on average with no gain, with a given one, and with twice as much
	// Equivalent is the probability that all cells show an equivalence, if there is no gain. In Alike and AlikeCells
	// the true values are equal on each set; AlikeCells is what a run takes on average that ends so, NaN if none does.
	Equivalent, Alike, AlikeCells float64
}

// Reach simulates the comparison with the noise and the spread of stored rows. It is false where no two other methods
// have two splits of commonSets sets in common.
func (r *Run) Reach(gap float64, stored []store.Row) (Reach, bool) {
	f := r.field(stored)
	if len(f.spreads) == 0 {
		return Reach{}, false
	}
	spread := median(f.spreads)
	out := Reach{AlikeCells: math.NaN()}
	w := f.world(r.plan)
	alike := w
	w.truth = func(stream *rng.RandomState) float64 { return math.Sqrt(0.5) * spread * stream.Norm() }
	alike.truth = func(*rng.RandomState) float64 { return 0 }
	for i := range out.Cells {
		out.Cells[i], _ = w.cells(float64(i) * gap)
	}
	if !math.IsNaN(w.Width) {
		out.Equivalent = w.share(0, evidence.Equivalent)
		if out.Alike = alike.share(0, evidence.Equivalent); out.Alike > 0 {
			_, out.AlikeCells = alike.cells(0)
		}
	}
	return out, true
}

// Foreseen are sentences on the cells that the comparison takes, one a line.
func (r *Run) Foreseen(gap float64, f Reach) []string {
	lines := []string{fmt.Sprintf("The run ends after about %.0f cells on average if there is no difference, %.0f if "+
		"it is %s, and %.0f if it is %s.", f.Cells[0], f.Cells[1], r.in(gap), f.Cells[2], r.in(2*gap))}
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
		lines[0] = "Of one opponent: " + lines[0]
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
	spreads []float64   // by pair: deviation of true gains between sets
	noises  [][]float64 // by set and pair: variance of the gain of a split
	levels  [][]float64 // by set and pair: mean value
}

// field takes the pairs of an opponent and a method other than the own, or all pairs of others if there are none.
func (r *Run) field(stored []store.Row) field {
	data := map[string]string{}
	for _, set := range r.sets {
		data[set] = r.cells[cellName{set, r.Methods[0], r.Splits[0]}].Spec.Inputs.Fingerprint
	}
	values := r.bySplit(r.sets, data, stored)
	names := slices.Sorted(maps.Keys(values))
	for _, with := range []bool{true, false} {
		f := field{noises: make([][]float64, len(r.sets)), levels: make([][]float64, len(r.sets))}
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
