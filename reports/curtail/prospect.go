package curtail

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// cases is about how many comparisons a prospect draws.
const cases = 1500

// A Prospect says what the comparisons of a question can find at all, before a cell of it has run.
type Prospect struct {
	Opponents, Sets, Enough int
	Least                   float64 // adjusted p of a method that is better than an opponent on each set, at most
	Pairs                   int     // of methods whose differences Gap is computed from; 0 where Gap is not known
	Gap                     float64 // over one opponent, the others being equal, that is found with probability Power
}

// A pair is the differences of two methods, by set and less their mean, and half the widths of the region. A set that
// one of them lacks is NaN.
type pair struct{ gains, ropes []float64 }

// Prospect draws comparisons from the differences of methods that have results. Each pair of an opponent and another
// method is one of a new method and an opponent once its mean difference is taken away. A flip of its signs by set
// makes another one. A set that the pair lacks has the difference of another set. A question without opponents has the
// field for them: each method with results. data are the fingerprints of the sets.
func (q Question) Prospect(data map[string]string, stored []store.Row) Prospect {
	sets, opponents := slices.Sorted(maps.Keys(data)), q.Methods[1:]
	means := q.means(sets, data, stored)
	names := slices.Sorted(maps.Keys(means))
	if len(opponents) == 0 {
		opponents = names
	}
	k := len(opponents)
	p := Prospect{Opponents: k, Sets: len(sets), Enough: evidence.Enough(k, q.Level),
		Least: min(1, float64(k)*math.Ldexp(2, -len(sets)))}
	if p.Sets < p.Enough {
		return p
	}
	known := slices.DeleteFunc(slices.Clone(names), func(m string) bool { return !slices.Contains(opponents, m) })
	if len(known) == 0 {
		known = names
	}
	var pairs []pair
	var critical []float64
	var ranker stats.Ranker
	for i, one := range names {
		var columns []stats.SignedRanks
		for _, other := range known {
			of, ok := q.pair(means[one], means[other])
			if one == other || !ok {
				continue
			}
			if columns = append(columns, ranker.Rank(of.gains)); one < other || !slices.Contains(known, one) {
				pairs = append(pairs, of)
			}
		}
		if few := min(k, len(columns)); few > 0 && i < 9 { // flips of a few methods are enough
			level := q.Level * float64(few) / float64(k) // the other opponents are adjusted for one by one
			critical = append(critical, stats.NewFamily(columns[:few], 1).Critical(level))
		}
	}
	if p.Pairs = len(pairs); pairs != nil {
		p.Gap = q.gap(pairs, median(critical))
	}
	return p
}

// gap is the gain that is found with probability Power by a p-value of at most so much, to a hundredth of it.
func (q Question) gap(pairs []pair, critical float64) float64 {
	stream, drawn, most := rng.New(1), []pair(nil), 0.0
	for len(drawn) < cases {
		for _, p := range pairs {
			var one pair
			for i := range p.gains {
				for math.IsNaN(p.gains[i]) {
					i = stream.Intn(len(p.gains))
				}
				one.gains = append(one.gains, p.gains[i]*float64(2*stream.Intn(2)-1))
				one.ropes = append(one.ropes, p.ropes[i])
				most = max(most, 2*math.Abs(p.gains[i])+2*p.ropes[i]+1e-6)
			}
			drawn = append(drawn, one)
		}
	}
	judge := evidence.Judge{Level: critical * (1 + 1e-9), Region: q.Region.Exists(), Relative: q.relative()}
	low, high := 0.0, most // with which each gain is above the region
	for high-low > 0.01*high {
		found, gap := 0, (low+high)/2
		for _, p := range drawn {
			gains := slices.Clone(p.gains)
			for i := range gains {
				gains[i] += gap
			}
			if judge.Verdicts([][]float64{gains}, [][]float64{p.ropes})[0] == evidence.Better {
				found++
			}
		}
		if float64(found) >= Power*float64(len(drawn)) {
			high = gap
		} else {
			low = gap
		}
	}
	return high
}

// pair compares two methods by their means on the sets; ok is false if they have few sets in common.
func (q Question) pair(a, b []float64) (p pair, ok bool) {
	width := 0.0
	if q.Region.Exists() {
		width, _ = q.Region.Width.Float64()
	}
	sum, n := 0.0, 0.0
	for i := range a {
		gain, middle, rope := a[i]-b[i], (a[i]+b[i])/2, width
		if q.relative() {
			rope = width * math.Abs(q.best()-middle)
		}
		if q.Metric.Unit { // as frame.Table.OverSets
			gain, rope = 100*gain/math.Abs(middle), 100*rope/math.Abs(middle)
		}
		if p.gains, p.ropes = append(p.gains, gain), append(p.ropes, rope); !math.IsNaN(gain) {
			sum, n = sum+gain, n+1
		}
	}
	for i := range p.gains {
		p.gains[i] -= sum / n
	}
	return p, n >= commonSets
}

// means are the means over the splits of the question of other methods than its own, by method and set; NaN without a
// result.
func (q Question) means(sets []string, data map[string]string, stored []store.Row) map[string][]float64 {
	out := map[string][]float64{}
	for method, bySet := range q.bySplit(sets, data, stored) {
		for _, splits := range bySet {
			sum, n := 0.0, 0.0
			for split, x := range splits {
				if slices.Contains(q.Splits, split) {
					sum, n = sum+x, n+1
				}
			}
			out[method] = append(out[method], sum/n)
		}
	}
	return out
}

// bySplit has the values of other methods than the question's own, by method, set and split. Of two rows of a cell the
// last one counts.
func (q Question) bySplit(sets []string, data map[string]string, stored []store.Row) map[string][]map[int]float64 {
	out := map[string][]map[int]float64{}
	for _, row := range stored {
		set := slices.Index(sets, row.Dataset)
		if set < 0 || row.Status != result.OK || row.Canary != nil || row.Method == q.Methods[0] ||
			row.Fingerprint != data[row.Dataset] {
			continue
		}
		if out[row.Method] == nil {
			out[row.Method] = make([]map[int]float64, len(sets))
		}
		if out[row.Method][set] == nil {
			out[row.Method][set] = map[int]float64{}
		}
		if x, ok := q.value(row.Score); ok {
			out[row.Method][set][row.Split] = x
		}
	}
	return out
}

// Foreseen says in one sentence what the comparisons can find.
func (q Question) Foreseen(p Prospect) string {
	others, of := frame.Listed(q.Methods[1:]), "it"
	if len(q.Methods) == 1 {
		others = "the field"
	}
	if p.Opponents > 1 {
		others, of = fmt.Sprintf("%s (%d methods)", others, p.Opponents), "one of them"
	}
	text := fmt.Sprintf("%s against %s on %s: the least p is %s", q.Methods[0], others, frame.Count(p.Sets, "set"),
		frame.PValue(p.Least))
	switch {
	case p.Sets < p.Enough:
		return fmt.Sprintf("%s, so that no difference can be found; %d sets are enough.", text, p.Enough)
	case p.Pairs == 0:
		return text + ". Which differences are within reach is not known: no two other methods have results on " +
			"enough of these sets."
	}
	return fmt.Sprintf("%s. A gap of %s to %s is found (%q) with probability %v, by the differences of %d pairs of "+
		"methods with results on these sets.", text, q.in(p.Gap), of, evidence.Better, Power, p.Pairs)
}

func (q Question) in(x float64) string {
	switch {
	case q.Metric.Percent:
		return fmt.Sprintf("%.1f points", x)
	case q.Metric.Unit:
		return fmt.Sprintf("%.1f %% of the error", x)
	}
	return fmt.Sprintf("%.3g", x)
}
