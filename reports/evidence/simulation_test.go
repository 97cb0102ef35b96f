package evidence_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/big"
	"os"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// A world is methods whose true differences are known. Of gives the true values of all methods on a data set. Typical
// is the pseudo-median over data sets of the difference of two methods, which is what verdicts are about.
type world struct {
	name    string
	methods int
	of      func(stream *rng.RandomState, set int) []float64
	typical func(a, b int) float64
	ceiling bool // values end at 100
	// has is the number of splits that a method has on a set; nil for all.
	has      func(stream *rng.RandomState, set, method int) int
	splits   int   // 6 if 0
	skewed   bool  // the assumption does not hold, so that nothing is promised
	own      int   // the first methods are one's own
	relative int64 // the region is so many percent of the error, and typical differences are in regions
	units    bool  // values are errors, in units that differ from set to set
}

// equal is the difference of methods that do not differ.
func equal(a, b int) float64 { return 0 }

// ahead is the difference of methods that have values of their own, whatever the set.
func ahead(by ...float64) func(a, b int) float64 {
	return func(a, b int) float64 { return by[a] - by[b] }
}

// spread adds to each method's value a draw of its own on each set.
func spread(by []float64, draw func(stream *rng.RandomState, set int) float64) func(*rng.RandomState, int) []float64 {
	return func(stream *rng.RandomState, set int) []float64 {
		out := make([]float64, len(by))
		for m := range out {
			out[m] = by[m] + draw(stream, set)
		}
		return out
	}
}

func normal(sd float64) func(*rng.RandomState, int) float64 {
	return func(stream *rng.RandomState, _ int) float64 { return sd * stream.Norm() }
}

// tTwo is Student's t with two degrees of freedom, which has no variance.
func tTwo(stream *rng.RandomState, _ int) float64 {
	return stream.Norm() / math.Sqrt(-math.Log(1-stream.Float64()))
}

// uneven has a spread that differs from set to set, by up to 30 times.
func uneven(stream *rng.RandomState, set int) float64 {
	return math.Pow(30, float64(set%7)/6) * stream.Norm() / 3
}

func zeros(n int) []float64 { return make([]float64, n) }

func first(n int, by float64) []float64 { return append([]float64{by}, zeros(n-1)...) }

// page draws a table of a world. Results on a set vary as the corrected t-test takes it: those of two splits have the
// correlation test/(train+test). A value is the true one, what the set's rows add, and what a split adds.
func (w world) page(stream *rng.RandomState, sets int) (*frame.Table, [][]float64) {
	const train, test, deviation = 700, 300, 0.5
	measure := "accuracy"
	if w.units {
		measure = "rmse"
	}
	m, err := metric.Lookup(measure)
	if err != nil {
		panic(err)
	}
	splits := w.splits
	if splits == 0 {
		splits = 6
	}
	t := frame.Table{Metric: m}
	for m := range w.methods {
		t.Methods = append(t.Methods, fmt.Sprintf("M%02d", m))
	}
	for k := range splits {
		t.Splits = append(t.Splits, k+1)
	}
	var truth [][]float64
	var names []string
	for s := range sets {
		set := frame.Set{Dataset: frame.Dataset{Name: fmt.Sprintf("s%02d", s), Group: frame.GroupMain, TrainRows: train,
			TestRows: test}, Splits: t.Splits}
		values := w.of(stream, s)
		for m, name := range t.Methods {
			shared := deviation * math.Sqrt(float64(test)/train) * stream.Norm()
			var results []*big.Rat
			for range splits {
				x := 80 + values[m] + shared + deviation*stream.Norm()
				if w.ceiling {
					x = min(100, x+19)
				}
				if w.units {
					x = math.Pow(10, float64(s%4)) * (100 - x)
				}
				results = append(results, big.NewRat(int64(math.Round(1000*x)), 1000))
			}
			if w.has != nil {
				results = results[:w.has(stream, s, m)]
			}
			e := entry(name, results)
			e.Has = len(results) == splits
			set.Entries = append(set.Entries, e)
		}
		t.Sets, truth, names = append(t.Sets, set), append(truth, values), append(names, set.Name)
	}
	t.Own = t.Methods[:w.own]
	t = t.Part(t.Methods, names)
	return &t, truth
}

// entry is the results of a method on the splits of a set; nil for none.
func entry(method string, results []*big.Rat) frame.Entry {
	e := frame.Entry{Method: method, Has: len(results) > 0}
	e.Mean = stats.Mean(results)
	for k, v := range results {
		e.Runs = append(e.Runs, frame.Run{Split: k + 1, Value: v, Score: new(result.Score)})
	}
	return e
}

// found counts pages: those with a false statement of a kind, and those with a true one.
type found struct {
	pages, difference, equivalence, best, ranks, single, field int // false
	better, equivalent, excluded, separated, placed            float64
	// true differences that Holm's procedure finds, at four fifths of the level
	holm float64
	// pages with a false difference by means in place of ranks, and true ones that are found; see studentised
	wrongMeans int
	means      float64
	measured   bool // both are counted
}

const region = 1 // point

// simulate makes pages. asked is the place of the method that is compared with the others, -1 for each with each,
// leader for the one with the best mean.
func simulate(t testing.TB, w world, seed uint32, pages, sets, asked int) found {
	t.Helper()
	stream := rng.New(seed)
	_, bench := t.(*testing.B)
	f := found{pages: pages, measured: bench}
	for range pages {
		table, truth := w.page(stream, sets)
		o := evidence.Options{Level: 0.05, Region: evidence.Region{Width: big.NewRat(region, 1)}}
		if w.relative > 0 {
			o.Region = evidence.Region{Width: big.NewRat(w.relative, 100), Relative: true}
		}
		switch {
		case asked == ends:
			best, worst := evidence.Ends(table)
			o.Method = table.Methods[best]
			var sets []string
			for _, s := range table.Sets {
				sets = append(sets, s.Name)
			}
			*table = table.Part([]string{o.Method, table.Methods[worst]}, sets)
		case asked == leader:
			place, _ := evidence.Ends(table)
			o.Method = table.Methods[place]
		case asked >= 0:
			o.Method = fmt.Sprintf("M%02d", asked)
		}
		f.count(w, table, truth, must.Get(evidence.Compare(table, o))(t))
	}
	return f
}

// These are values of asked: the method with the best mean, and a page of the methods with the best and the worst mean.
const (
	leader = -2
	ends   = -3
)

// of is the number of a method in its world.
func of(t *frame.Table, place int) (n int) {
	fmt.Sscanf(t.Methods[place], "M%d", &n)
	return n
}

func (f *found) count(w world, t *frame.Table, truth [][]float64, ev *evidence.Evidence) {
	var difference, equivalence, single bool
	better, equivalent, possible, possibleEquivalent := 0, 0, 0, 0
	separated := false // the first method from another one that is worse
	var ps []float64
	for _, p := range ev.Pairs {
		by := w.typical(of(t, p.A), of(t, p.B))
		if ps = append(ps, p.Signed.P); by != 0 {
			possible++
		}
		if math.Abs(by) < region {
			possibleEquivalent++
		}
		switch v := p.Verdict; {
		case v == evidence.Better && by <= 0, v == evidence.Worse && by >= 0, v == evidence.Uncertain && by == 0:
			difference = true
		case v == evidence.Better, v == evidence.Worse, v == evidence.Uncertain:
			better++
			separated = separated || of(t, p.A) == 0 || of(t, p.B) == 0
		case v == evidence.Equivalent && math.Abs(by) >= region:
			equivalence = true
		case v == evidence.Equivalent:
			equivalent++
		}
		for _, s := range p.Sets {
			values := truth[slices.IndexFunc(t.Sets, func(other frame.Set) bool { return other.Name == s.Set.Name })]
			by := values[of(t, p.A)] - values[of(t, p.B)]
			v := s.Verdict
			single = single || v == evidence.Better && by <= 0 || v == evidence.Worse && by >= 0
		}
	}
	if ev.Field != nil {
		by := 0.0
		for m := w.own; m < w.methods; m++ {
			by += w.typical(0, m) / float64(w.methods-w.own)
		}
		switch v := ev.Field.Verdict; {
		case v == evidence.Better && by <= 0, v == evidence.Worse && by >= 0, v == evidence.Uncertain && by == 0,
			v == evidence.Equivalent && math.Abs(by) >= region:
			f.field++
		case v == evidence.Better, v == evidence.Worse:
			f.placed++
		}
	}
	holm := 0
	for i, p := range stats.Holm(ps) {
		if by := w.typical(of(t, ev.Pairs[i].A), of(t, ev.Pairs[i].B)); p < 0.04 && by != 0 {
			holm++
		}
	}
	if separated {
		f.separated++
	}
	if f.measured {
		wrong, right := false, 0
		for i, p := range studentised(ev.Pairs) {
			gain, _ := ev.Pairs[i].Mean.Float64()
			if by := w.typical(of(t, ev.Pairs[i].A), of(t, ev.Pairs[i].B)); p < 0.05 && by*gain > 0 {
				right++
			} else if p < 0.05 {
				wrong = true
			}
		}
		if f.means += float64(right) / float64(max(1, possible)); wrong {
			f.wrongMeans++
		}
	}
	f.better += float64(better) / float64(max(1, possible))
	f.holm += float64(holm) / float64(max(1, possible))
	f.equivalent += float64(equivalent) / float64(max(1, possibleEquivalent))
	for _, c := range []struct {
		is bool
		n  *int
	}{{difference, &f.difference}, {equivalence, &f.equivalence}, {single, &f.single}} {
		if c.is {
			*c.n++
		}
	}
	f.rank(w, t, ev)
}

// studentised are p-values as those of evidence, step-down by flips of signs, of Student's t in place of signed ranks.
// The squares of differences are the same under each flip, so that |t| grows with the mean over their root.
func studentised(pairs []evidence.Pair) []float64 {
	bySet := map[string][]float64{}
	for i, p := range pairs {
		squares := 0.0
		var gains []float64
		for _, g := range p.Gains {
			x, _ := g.Float64()
			gains, squares = append(gains, x), squares+x*x
		}
		for k, set := range p.Over {
			if bySet[set] == nil {
				bySet[set] = make([]float64, len(pairs))
			}
			bySet[set][i] = gains[k] / math.Sqrt(max(squares, math.SmallestNonzeroFloat64))
		}
	}
	rows := slices.Collect(maps.Values(bySet))
	sums := func(flip uint64) []float64 {
		out := make([]float64, len(pairs))
		for s, row := range rows {
			sign := 1 - 2*float64(flip>>s&1)
			for i, x := range row {
				out[i] += sign * x
			}
		}
		for i, x := range out {
			out[i] = math.Abs(x) + 1e-9
		}
		return out
	}
	seen, order, out := sums(0), make([]int, len(pairs)), make([]float64, len(pairs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(seen[a], seen[b]) })
	stream, flips := rng.New(1), 2000
	for k := range flips {
		flip, most := uint64(stream.Uint32())<<32|uint64(stream.Uint32()), 0.0
		if k == 0 {
			flip = 0
		}
		now := sums(flip)
		for _, i := range order {
			if most = max(most, now[i]); most >= seen[i]-2e-9 {
				out[i] += 1 / float64(flips)
			}
		}
	}
	reached := 0.0
	for _, i := range slices.Backward(order) {
		reached = max(reached, out[i])
		out[i] = reached
	}
	return out
}

// rank counts what is said of the best method and of ranks.
func (f *found) rank(w world, t *frame.Table, ev *evidence.Evidence) {
	best, ranks := ev.Best(), ev.Ranks()
	whole := len(t.Whole())
	excluded, wrong, inside := 0, false, false
	for m := range whole {
		better, tied := 0, 0
		for other := range whole {
			switch by := w.typical(of(t, other), of(t, m)); {
			case by > 0:
				better++
			case by == 0:
				tied++ // itself too
			}
		}
		if ranks[m] != [2]int{} {
			wrong = wrong || ranks[m][0] > better+tied || ranks[m][1] < better+1
		}
		if best == nil {
			continue
		}
		if best[m] < 0.05 && better > 0 {
			excluded++
		}
		inside = inside || best[m] >= 0.05 && better == 0
	}
	f.excluded += float64(excluded) / float64(whole-1)
	if wrong {
		f.ranks++
	}
	if best != nil && !inside {
		f.best++
	}
}

// check fails for a kind of statement that is false on more pages than the level and three standard errors of the
// simulation.
func (f found) check(t testing.TB, what string) {
	t.Helper()
	for kind, n := range map[string]int{"a difference": f.difference, "an equivalence": f.equivalence,
		"the best": f.best, "ranks": f.ranks, "a single set": f.single, "the mean of the field": f.field} {
		if float64(n)/float64(f.pages) > 0.05+3*math.Sqrt(0.05*0.95/float64(f.pages)) {
			t.Errorf("%s: %d of %d pages have a false statement on %s", what, n, f.pages, kind)
		}
	}
}

// A trial is pages of a world.
type trial struct {
	world
	sets, asked, pages int
}

// ownWorlds have a method of one's own that is equal to the others, ahead of them, behind them, or in their middle.
func ownWorlds() (out []trial) {
	for _, n := range []int{6, 11, 38} {
		for sets, pages := range map[int]int{7: 50, 13: 50, 54: 15} {
			middle := zeros(n)
			for m := range middle {
				middle[m] = 3 * math.Sin(float64(m)) // sin 0 is 0
			}
			for name, by := range map[string][]float64{"equal": zeros(n), "first": first(n, 3), "last": first(n, -3),
				"in the middle": middle} {
				out = append(out, trial{world{name: fmt.Sprintf("own of %d, %s, %d sets", n, name, sets), methods: n,
					of: spread(by, normal(2)), typical: ahead(by...), own: 1}, sets, 0, pages})
			}
		}
	}
	return append(out, trial{world{name: "three own of 11", methods: 11, of: spread(zeros(11), normal(2)),
		typical: equal, own: 3}, 13, 0, 60})
}

// worlds are constructions in which a sentence could be false: differences at the edge of the region (of which the
// rule by an observed mean called 22 to 93 % of the pages practically equivalent), and methods that do not differ.
var worlds = []trial{
	{world{name: "at the edge, sd 0.5", methods: 2, of: spread(first(2, 1.05), normal(0.5/math.Sqrt2)),
		typical: ahead(1.05, 0)}, 15, 0, 100},
	{world{name: "at the edge, sd 1", methods: 2, of: spread(first(2, 1.05), normal(1/math.Sqrt2)),
		typical: ahead(1.05, 0)}, 15, 0, 100},
	{world{name: "beyond the edge, sd 2", methods: 2, of: spread(first(2, 1.2), normal(math.Sqrt2)),
		typical: ahead(1.2, 0)}, 50, 0, 40},
	{world{name: "at the edge, sd 3", methods: 2, of: spread(first(2, 1.05), normal(3/math.Sqrt2)),
		typical: ahead(1.05, 0)}, 100, 0, 20},
	{world{name: "1.1 on every set", methods: 2, of: spread(first(2, 1.1), normal(0)), typical: ahead(1.1, 0)}, 15, 0,
		100},
	{world{name: "at both edges", methods: 6, of: spread([]float64{0, 0, 1, 1, -1, -1}, normal(0.3)),
		typical: ahead(0, 0, 1, 1, -1, -1)}, 15, -1, 60},
	{world{name: "two equal", methods: 2, of: spread(zeros(2), normal(2)), typical: equal}, 15, 0, 200},
	{world{name: "six equal", methods: 6, of: spread(zeros(6), normal(2)), typical: equal}, 15, -1, 60},
	{world{name: "six equal, the leader", methods: 6, of: spread(zeros(6), normal(2)), typical: equal}, 15, leader, 60},
	{world{name: "ten equal, the leader", methods: 10, of: spread(zeros(10), normal(2)), typical: equal}, 50, leader,
		5},
	{world{name: "one ahead", methods: 10, of: spread(first(10, 2), normal(2)), typical: ahead(first(10, 2)...)}, 15,
		-1, 30},
	{world{name: "one a little ahead", methods: 6, of: spread(first(6, 0.1), normal(2)),
		typical: ahead(first(6, 0.1)...)}, 15, -1, 60},
	{world{name: "uneven spread", methods: 5, of: spread(zeros(5), uneven), typical: equal}, 15, -1, 60},
	{world{name: "heavy tails", methods: 5, of: spread(zeros(5), tTwo), typical: equal}, 15, -1, 60},
	{world{name: "heavy tails at the edge", methods: 2, of: spread(first(2, 1), tTwo), typical: ahead(1, 0)}, 30, 0,
		60},
	{world{name: "a ceiling", methods: 4, of: spread(zeros(4), normal(2)), typical: equal, ceiling: true}, 15, -1, 60},
	{world{name: "variants of one", methods: 8, of: variants, typical: equal}, 15, -1, 40},
	{world{name: "missing cells", methods: 6, of: spread(zeros(6), uneven), typical: equal,
		has: func(_ *rng.RandomState, set, m int) int {
			if m > 3 && set%7 > 2 {
				return 0
			}
			return 6
		}}, 15, -1, 60},
	{world{name: "drawn cells", methods: 6, of: spread(zeros(6), normal(2)), typical: equal, has: drawn}, 15, -1, 60},
	{world{name: "own, drawn cells", methods: 11, of: spread(zeros(11), normal(2)), typical: equal, has: drawn,
		own: 1}, 15, 0, 60},
	{world{name: "at the edge of 30 % of the error", methods: 2, of: shares(0.3 * 1.02), typical: ahead(1.02, 0),
		relative: 30}, 26, 0, 100},
	{world{name: "equal in percent of the error", methods: 6, of: shares(0, 0, 0, 0, 0), typical: equal,
		relative: 3}, 15, -1, 60},
	{world{name: "units", methods: 6, of: spread(zeros(6), normal(2)), typical: equal, relative: 3, units: true},
		15, -1, 60},
	{world{name: "units, one ahead by 20 % of the error", methods: 6, of: spread(first(6, 4), normal(2)),
		typical: ahead(first(6, 6.7)...), relative: 3, units: true}, 15, -1, 60},
	{world{name: "the best against the worst of 6", methods: 6, of: spread(zeros(6), normal(2)), typical: equal,
		skewed: true}, 15, ends, 60},
	{world{name: "the best against the worst of 10", methods: 10, of: spread(zeros(10), normal(2)), typical: equal,
		skewed: true}, 15, ends, 60},
	{world{name: "the best against the worst of 20", methods: 20, of: spread(zeros(20), normal(2)), typical: equal,
		skewed: true}, 15, ends, 60},
	{world{name: "twenty equal, the leader", methods: 20, of: spread(zeros(20), normal(2)), typical: equal}, 15, leader,
		20},
	{world{name: "two splits", methods: 4, of: spread(zeros(4), normal(2)), typical: equal, splits: 2}, 15, -1, 60},
	{world{name: "a quarter of the sets gains 10", methods: 2, of: quarter, typical: equal, skewed: true}, 15, 0, 60},
	{world{name: "a quarter of 50 sets gains 10", methods: 2, of: quarter, typical: equal, skewed: true}, 50, 0, 20},
	{world{name: "skewed differences", methods: 2, of: exponential, typical: equal, skewed: true}, 15, 0, 60},
	{world{name: "five splits of equal sets", methods: 3, of: spread(zeros(3), normal(0)), typical: equal, splits: 5},
		12, -1, 60},
}

// drawn has all six splits of two cells in five, none of three in ten, and some of the others.
func drawn(stream *rng.RandomState, _, _ int) int {
	switch u := stream.Float64(); {
	case u < 0.4:
		return 6
	case u < 0.7:
		return 0
	}
	return 1 + stream.Intn(5)
}

// shares are methods whose errors are larger than that of the first one by shares of the error, on sets whose errors
// differ by up to nine times.
func shares(more ...float64) func(*rng.RandomState, int) []float64 {
	return func(stream *rng.RandomState, set int) []float64 {
		level := 4 * math.Pow(9, float64(set%13)/12)
		out := []float64{20 - level*(1+0.1*stream.Norm())}
		for _, by := range more {
			// by is a share of the mean of both errors
			out = append(out, 20-level*((1+by/2)/(1-by/2)+0.1*stream.Norm()))
		}
		return out
	}
}

// quarter is a difference of 10 points on a quarter of the sets and of -0.43 with deviation 0.5 on the others: the
// mean of two is above zero with probability 7/16 + 9/16 * 0.111 = 1/2.
func quarter(stream *rng.RandomState, _ int) []float64 {
	if stream.Float64() < 0.25 {
		return []float64{10 + stream.Norm(), 0}
	}
	return []float64{0.5*stream.Norm() - 0.4315, 0}
}

// exponential is a skewed difference less its pseudo-median: half of the median of a gamma variable of shape 2.
func exponential(stream *rng.RandomState, _ int) []float64 {
	return []float64{3 * (-math.Log(1-stream.Float64()) - 1.6783470/2), 0}
}

// variants are two groups of methods: those of a group share most of what a set adds.
func variants(stream *rng.RandomState, _ int) []float64 {
	groups := []float64{2 * stream.Norm(), 2 * stream.Norm()}
	out := make([]float64, 8)
	for m := range out {
		out[m] = groups[m%2] + 0.3*stream.Norm()
	}
	return out
}

// The documents have the words of all verdicts, with the rule.
func TestDocumentsHaveTheVerdicts(t *testing.T) {
	text := string(must.Get(os.ReadFile("../../docs/explanation/evidence.md"))(t))
	for _, r := range evidence.Rules {
		must.Hold(t, text, string(r.Verdict))
	}
}

// In no world is a kind of statement false on more than 5 % of the pages. BenchmarkWorlds counts many more of them. The
// short form has the first world.
func TestWorlds(t *testing.T) {
	for i, w := range append(worlds, ownWorlds()...) {
		if i > 0 && (testenv.Race || !testenv.Thorough(t)) {
			break
		}
		if f := simulate(t, w.world, 7, w.pages, w.sets, w.asked); !w.skewed {
			f.check(t, w.name)
		}
	}
}

// go test -run '^$' -bench Worlds -benchtime 1x ./reports/evidence
//
// Besides false statements, in percent of the pages, it prints the shares of true differences and equivalences that
// are found, and of methods that are rightly left out of those that may be the best, and of pages on which the first
// method is separated from a worse one. holm is the share of differences by Holm's procedure at four fifths of the
// level.
func BenchmarkWorlds(b *testing.B) {
	for _, w := range append(worlds, ownWorlds()...) {
		b.Run(w.name, func(b *testing.B) {
			for b.Loop() {
				f := simulate(b, w.world, 11, 20*w.pages, w.sets, w.asked)
				if !w.skewed {
					f.check(b, w.name)
				}
				percent := func(n float64) float64 { return 100 * n / float64(f.pages) }
				for name, n := range map[string]int{"means": f.wrongMeans, "difference": f.difference,
					"equivalence": f.equivalence,
					"best":        f.best, "ranks": f.ranks, "single": f.single, "field": f.field} {
					b.ReportMetric(percent(float64(n)), "%false-"+name)
				}
				for name, x := range map[string]float64{"means": f.means, "found": f.better, "holm": f.holm,
					"equivalent": f.equivalent,
					"excluded":   f.excluded, "separated": f.separated, "placed": f.placed} {
					b.ReportMetric(percent(x), "%"+name)
				}
			}
		})
	}
}

// countTable is results of two methods that are equally good: on each set as many rows speak for the one as for the
// other, on average, and a split counts those of the rows that it tests. Counts of few rows are often equal.
func countTable(stream *rng.RandomState, sets, splits int) *frame.Table {
	t, _ := world{methods: 2, splits: splits}.page(stream, 0)
	var names []string
	for s := range sets {
		rows := 150 + int(650*stream.Float64())
		test, share := rows*3/10, 0.005+0.055*stream.Float64()
		gains := make([]int64, rows)
		for i := range gains {
			switch u := stream.Float64(); {
			case u < share:
				gains[i] = 1
			case u < 2*share:
				gains[i] = -1
			}
		}
		set := frame.Set{Dataset: frame.Dataset{Name: fmt.Sprintf("s%02d", s), Group: frame.GroupMain,
			TrainRows: rows - test, TestRows: test}, Splits: t.Splits}
		var ours, theirs []*big.Rat
		for range splits {
			gain := int64(0)
			for _, i := range stream.Permutation(rows)[:test] {
				gain += gains[i]
			}
			ours = append(ours, big.NewRat(50*int64(test)+100*gain, int64(test)))
			theirs = append(theirs, big.NewRat(50, 1))
		}
		set.Entries = []frame.Entry{entry("M00", ours), entry("M01", theirs)}
		t.Sets, names = append(t.Sets, set), append(names, set.Name)
	}
	part := t.Part(t.Methods, names)
	return &part
}

// Results are counts. With two or three splits their differences are often equal by chance, which a t-test takes for
// certainty.
func TestFewSplitsOfCounts(t *testing.T) {
	if testenv.Race {
		t.Skip("the test above shares as much")
	}
	pages := 50
	if testenv.Thorough(t) {
		pages = 200
	}
	o := evidence.Options{Level: 0.05, Region: evidence.Region{Width: big.NewRat(1, 100)}, Method: "M00"}
	for splits := 2; splits <= 6; splits++ {
		stream := rng.New(11)
		over, single := 0, 0
		for range pages {
			p := must.Get(evidence.Compare(countTable(stream, 15, splits), o))(t).Pairs[0]
			if p.Adjusted < o.Level {
				over++
			}
			if len(p.Named(evidence.Better))+len(p.Named(evidence.Worse)) > 0 {
				single++
			}
		}
		found{pages: pages, difference: over, single: single}.check(t, fmt.Sprint(splits, " splits"))
	}
}
