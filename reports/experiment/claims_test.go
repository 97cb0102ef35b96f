package experiment

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/curves"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	rows "github.com/kernelboosting/bench/reports/internal/sample"
	"github.com/kernelboosting/bench/reports/stats"
)

// drawn are differences of two methods on sets, with a mean and, between splits, the correlation that Nadeau and
// Bengio take, test/(train+test): each set has a part that all its splits share.
func drawn(stream *rng.RandomState, mean float64, sets, splits int) []curves.Sample {
	const ratio, deviation = 3.0 / 7, 2.0
	out := make([]curves.Sample, sets)
	for i := range out {
		shared := deviation * math.Sqrt(ratio) * stream.Norm()
		out[i] = curves.Sample{Weight: 1 / float64(sets), Ratio: ratio}
		for range splits {
			out[i].Values = append(out[i].Values, mean+shared+deviation*stream.Norm())
		}
	}
	return out
}

// seconds are logarithms of ratios of times with a mean, of which one in ten is of a machine that was busy.
func seconds(stream *rng.RandomState, mean float64, repetitions int) []curves.Sample {
	s := curves.Sample{Weight: 1}
	for range repetitions {
		v := mean + 0.02*stream.Norm()
		for _, sign := range []float64{1, -1} {
			if stream.Float64() < 0.1 {
				v += sign * 0.1 * stream.Float64()
			}
		}
		s.Values = append(s.Values, v)
	}
	return []curves.Sample{s}
}

func part(samples []curves.Sample, least, most float64) Part {
	p := Part{Comparison: experiments.Comparison{Series: "A", Least: least, Most: most}}
	p.Estimate = curves.Combine(samples)
	p.Verdict = p.alone()
	return p
}

// At most 5 % of false claims are said to hold and at most 5 % of true claims are said to fail, where the
// difference is the very end of the region that is asked for, which is the worst case for both.
func TestWrongVerdicts(t *testing.T) {
	const claims = 1000
	limit := int(claims * (0.05 + 3*math.Sqrt(0.05*0.95/claims)))
	inf := math.Inf(1)
	for name, draw := range map[string]func(*rng.RandomState) []Part{
		"one set, 20 splits":   func(s *rng.RandomState) []Part { return []Part{part(drawn(s, 0, 1, 20), 0, inf)} },
		"one set, 2 splits":    func(s *rng.RandomState) []Part { return []Part{part(drawn(s, 0, 1, 2), 0, inf)} },
		"15 sets, 20 splits":   func(s *rng.RandomState) []Part { return []Part{part(drawn(s, 0, 15, 20), 0, inf)} },
		"15 sets, 3 splits":    func(s *rng.RandomState) []Part { return []Part{part(drawn(s, 0, 15, 3), 0, inf)} },
		"within":               func(s *rng.RandomState) []Part { return []Part{part(drawn(s, 3, 15, 20), -3, 3)} },
		"times, 5 repetitions": func(s *rng.RandomState) []Part { return []Part{part(seconds(s, 0, 5), 0, inf)} },
		"one end of five": func(s *rng.RandomState) []Part {
			parts := []Part{part(drawn(s, 0, 15, 20), 0, inf)}
			for range 4 {
				parts = append(parts, part(drawn(s, 9, 15, 20), 0, inf))
			}
			return parts
		},
		"five ends": func(s *rng.RandomState) (parts []Part) {
			for range 5 {
				parts = append(parts, part(drawn(s, 0, 15, 20), 0, inf))
			}
			return parts
		},
	} {
		stream := rng.New(3)
		counts := map[Verdict]int{}
		for range claims {
			counts[verdict(draw(stream))]++
		}
		if counts[Holds] > limit || counts[Fails] > limit {
			t.Errorf("%s: of %d claims at the end of what is asked %d hold and %d fail, want at most %d each", name,
				claims, counts[Holds], counts[Fails], limit)
		}
		if strings.Contains(name, "20 splits") && counts[Holds]+counts[Fails] == 0 {
			t.Errorf("%s: no verdict at all", name)
		}
	}
}

// Of one set the interval is that of the corrected t-test.
func TestOneSetIsTheCorrectedTest(t *testing.T) {
	values := []float64{1, 2, 4, 0.5, 3}
	var exact []*big.Rat
	for _, v := range values {
		exact = append(exact, new(big.Rat).SetFloat64(v))
	}
	want := stats.CorrectedT(exact, 70, 30)
	got := curves.Combine([]curves.Sample{{Weight: 1, Values: values, Ratio: 30.0 / 70}})
	low, high := got.Interval(0.95)
	if i := want.Interval(0.95); math.Abs(low-i.Low) > 1e-12 || math.Abs(high-i.High) > 1e-12 || got.DF != 4 {
		t.Errorf("[%g, %g] with %g degrees of freedom, want %+v with 4", low, high, got.DF, i)
	}
}

// The interval is for other rows. It holds the expected difference of two classifiers on rows that are drawn anew
// about as often as it says. It always holds the mean over all splits of the same rows, for which it is 3.1 times as
// long as it need be. One classifier cuts halfway between the means of the classes in the rows that it learns from,
// the other at 1; the classes are N(0, 1) and N(1, 1).
func TestIntervalIsForOtherRows(t *testing.T) {
	const sets, rows, tested, splits, all = 300, 100, 30, 20, 200
	stream := rng.New(1)
	var samples []curves.Sample
	var ofAll []float64 // the mean over many splits of the rows of each sample
	expected := 0.0
	for range sets {
		x := make([]float64, rows)
		stream.Norms(x)
		for i := 1; i < rows; i += 2 {
			x[i]++
		}
		var gains []float64
		for range splits + all {
			order := stream.Permutation(rows)
			cut, gain := 0.0, 0.0
			for _, class := range []int{0, 1} {
				own := slices.DeleteFunc(slices.Clone(order[tested:]), func(i int) bool { return i%2 != class })
				for _, i := range own {
					cut += x[i] / float64(2*len(own))
				}
			}
			for _, i := range order[:tested] {
				switch first, second := (x[i] > cut) == (i%2 == 1), (x[i] > 1) == (i%2 == 1); {
				case first && !second:
					gain++
				case second && !first:
					gain--
				}
			}
			gains = append(gains, gain)
		}
		mean := 0.0
		for _, g := range gains[splits:] {
			mean += g / all
		}
		samples = append(samples, curves.Sample{Weight: 1, Values: gains[:splits],
			Ratio: float64(tested) / (rows - tested)})
		ofAll = append(ofAll, mean)
		expected += mean / sets
	}
	others, same := 0, 0
	for i, s := range samples {
		low, high := curves.Combine([]curves.Sample{s}).Interval(0.95)
		if low <= expected && expected <= high {
			others++
		}
		if low <= ofAll[i] && ofAll[i] <= high {
			same++
		}
		s.Ratio = 0
		least, most := curves.Combine([]curves.Sample{s}).Interval(0.95)
		if longer := (high - low) / (most - least); math.Abs(longer-3.09) > 0.01 && high > low {
			t.Fatalf("the interval is %.2f times as long as one for the same rows, want 3.09", longer)
		}
	}
	t.Logf("of %d intervals %d hold the expected difference, %d that of the same rows", sets, others, same)
	if others < sets*90/100 || others > sets*99/100 || same < sets {
		t.Errorf("of %d intervals %d hold the expected difference, %d that of the same rows", sets, others, same)
	}
}

// row is a finished cell with times.
func row(dataset, method string, split, correct int, seconds float64) store.Row {
	r := rows.OK(dataset, method, split, correct, 100)
	r.CPUSeconds, r.TrainRows = &seconds, 200
	r.Environment = &result.Environment{CPU: "one"}
	return r
}

// frameOf is a sweep of two methods over one quantity: A is ahead by 4 points at 1 and equal at 2, and takes twice
// the time, which grows with the square of the quantity.
func frameOf(t *testing.T) frame.Frame {
	return frameWith(t, []int{1, 2, 4}, func(x int) float64 { return float64(x * x) })
}

// frameWith is that sweep over other values of the quantity, with other seconds of B at each.
func frameWith(t *testing.T, xs []int, seconds func(x int) float64) frame.Frame {
	in := rows.Input{Known: map[string]rows.Set{"s": {}, "r": {}}}
	in.Protocol.Splits, in.Protocol.Datasets = 5, []string{"s", "r"}
	in.Protocol.Sweep.Name = "rounds"
	for _, x := range xs {
		for _, m := range []string{"A", "B"} {
			method := m + " rounds=" + string(rune('0'+x))
			in.Protocol.Sweep.Points = append(in.Protocol.Sweep.Points,
				frame.Point{Series: m, Value: float64(x), Method: method})
			for split := 1; split <= 5; split++ {
				for i, set := range []string{"s", "r"} {
					correct, time := 70+split+10*i, seconds(x)*(1+0.01*float64(split))
					if m == "A" && x == 1 {
						correct += 4 + split%2
					}
					if m == "A" {
						time *= 2 * (1 + 0.001*float64(split*i))
					}
					in.Rows = append(in.Rows, row(set, method, split, correct, time))
				}
			}
		}
	}
	return in.Frame(t)
}

// The power with which times grow is read over the upper half of the values, as in the table of the sweep: below it
// a constant time hides the growth.
func TestThePowerIsThatOfTheUpperHalf(t *testing.T) {
	f := frameWith(t, []int{1, 2, 4, 8}, func(x int) float64 { return max(1, float64(x*x)/16) })
	for _, c := range []struct {
		at   []float64
		want float64
	}{{nil, 2}, {[]float64{1, 2}, 0}, {[]float64{4, 8}, 2}} {
		claim := experiments.Comparison{Series: "B", Of: experiments.Slope, At: c.at, Most: math.Inf(1)}
		must.Near(t, decided(t, f, claim).Parts[0].Value(), c.want, 1e-12, "at", c.at)
	}
}

// Of a sweep with results at one value there is no power to tell.
func TestNoPowerOfOneValue(t *testing.T) {
	f := frameWith(t, []int{4}, func(int) float64 { return 1 })
	got := decided(t, f, experiments.Comparison{Series: "B", Of: experiments.Slope, Most: 1})
	if p := got.Parts[0]; got.Verdict != Missing || p.At != nil {
		t.Errorf("%s between %v, want %s without ends", got.Verdict, p.At, Missing)
	}
}

// A decision is a claim with the value that a frame has of it, and the verdict.
type decision struct {
	says    string
	compare experiments.Comparison
	value   float64
	want    Verdict
}

// decided is a claim of one comparison.
func decided(t *testing.T, f frame.Frame, c experiments.Comparison) Result {
	t.Helper()
	return must.Get(Decide(f, []experiments.Claim{{Says: "x", Compare: []experiments.Comparison{c}}}))(t)[0]
}

func decides(t *testing.T, f frame.Frame, c decision) {
	t.Helper()
	got := decided(t, f, c.compare)
	if got.Verdict != c.want || c.want != Missing && math.Abs(got.Parts[0].Value()-c.value) > 1e-3 {
		low, high := got.Parts[0].Interval(0.95)
		t.Errorf("%s: %s at %g [%g, %g], want %s at %g", c.says, got.Verdict, got.Parts[0].Value(), low, high, c.want,
			c.value)
	}
}

func TestDecide(t *testing.T) {
	inf := math.Inf(1)
	type asked = experiments.Comparison
	b, one, two := []string{"B"}, []float64{1}, []float64{2}
	for _, c := range []decision{
		{"ahead at 1", asked{Series: "A", With: b, At: one, Most: inf}, 4.6, Holds},
		{"ahead by six at 1", asked{Series: "A", With: b, At: one, Least: 6, Most: inf}, 4.6, Fails},
		{"ahead by what it is at 1", asked{Series: "A", With: b, At: one, Least: 4.6, Most: inf}, 4.6, Open},
		{"equal at 2", asked{Series: "A", With: b, At: two, Least: -1, Most: 1}, 0, Holds},
		{"ahead on one set", asked{Series: "A", With: b, At: one, Datasets: []string{"r"}, Most: inf}, 4.6, Holds},
		{"ahead at each of two points", asked{Series: "A", With: b, At: []float64{1, 2}, Most: inf}, 4.6, Fails},
		{"more ahead at 1 than at 2", asked{Series: "A", With: b, At: one, LessAt: two, Most: inf}, 4.6, Holds},
		{"on each set", asked{Series: "A", With: b, At: one, Datasets: []string{"s", "r"}, EachSet: true, Most: inf},
			4.6, Holds},
		{"better at 1 than at 2", asked{Series: "A", With: []string{"A"}, At: one, WithAt: two, Most: inf}, 4.6, Holds},
		{"a number", asked{Series: "B", At: []float64{4}, Least: 70, Most: 90}, 78, Holds},
		{"twice the time", asked{Series: "A", With: b, Of: experiments.CPU, Least: 1.9, Most: 2.1}, 2.003, Holds},
		{"twice the time on average", asked{Series: "A", With: b, At: []float64{1, 2}, Mean: true,
			Of: experiments.CPU, Least: 2, Most: 2.1}, 2.003, Holds},
		{"ahead on average over two points", asked{Series: "A", With: b, At: []float64{1, 2}, Mean: true, Most: inf},
			2.3, Holds},
		{"faster", asked{Series: "A", With: []string{"*"}, Of: experiments.CPU, Least: -inf, Most: 1}, 2.003, Fails},
		{"a square", asked{Series: "B", Of: experiments.Slope, Least: 1.8, Most: 2.2}, 2, Holds},
		{"another series", asked{Series: "A", With: []string{"C"}, Most: inf}, 0, Missing},
		{"others that are not there", asked{Series: "A", With: []string{}, Most: inf}, 0, Missing},
		{"another point", asked{Series: "A", With: b, At: []float64{3}, Most: inf}, 0, Missing},
	} {
		decides(t, frameOf(t), c)
	}
}

// Four splits of one set are too few for an interval, whatever they say.
func TestFewSplits(t *testing.T) {
	var cells []store.Row
	for split := 1; split < stats.FewestSplits; split++ {
		cells = append(cells, row("s", "A", split, 80, 1), row("s", "B", split, 70, 1))
	}
	decides(t, rows.Of(5, cells...).Frame(t), decision{"few", experiments.Comparison{Series: "A",
		With: []string{"B"}, Most: math.Inf(1)}, 10, Few})
}

// A claim that nothing decides is quoted with the reason.
func TestUndecided(t *testing.T) {
	claim := experiments.Claim{Says: "A has the best rank.", Quote: "A is best", Where: "Section 2",
		Undecided: "No rule compares ranks."}
	results := must.Get(Decide(frameOf(t), []experiments.Claim{claim}))(t)
	blocks := Blocks(results)
	must.Be(t, blocks[0].(doc.Prose).Paragraphs[0], "NOT DECIDED: 1. A has the best rank. No rule compares ranks.")
	must.Be(t, len(blocks), 3)
	words := blocks[1].(doc.Prose)
	if text := words.Paragraphs[0]; text != "1. Section 2: “A is best” No rule compares ranks." || !words.Detail {
		t.Errorf("in the words of the source: %s, a detail %v", text, words.Detail)
	}
}

// A claim that is inconclusive says which comparison leaves it open.
func TestInconclusiveSaysWhy(t *testing.T) {
	claim := experiments.Claim{Says: "A is ahead.", Compare: []experiments.Comparison{
		{Series: "A", With: []string{"B"}, At: []float64{1}, Most: math.Inf(1)},
		{Series: "A", With: []string{"B"}, At: []float64{1}, Least: 4.6, Most: math.Inf(1)}}}
	text := Blocks(must.Get(Decide(frameOf(t), []experiments.Claim{claim}))(t))[0].(doc.Prose).Paragraphs[0]
	must.Hold(t, text, "INCONCLUSIVE: 1. A is ahead. Open: A - B at 1 is 4.60 (95 % interval ",
		"), where above 4.6 is claimed.")
}

// A verdict that rests on cells of another version of a method than the program's says so, whatever it is. Cells at
// other values of the sweep do not count.
func TestVerdictsOnOlderVersions(t *testing.T) {
	f := frameOf(t)
	for i, r := range f.Rows {
		if strings.HasPrefix(r.Method, "B") {
			f.Rows[i].MethodVersion = "3"
		}
	}
	at := func(x float64) experiments.Claim {
		return experiments.Claim{Says: "A is ahead.", Compare: []experiments.Comparison{
			{Series: "A", With: []string{"B"}, At: []float64{x}, Datasets: []string{"s"}, Most: math.Inf(1)}}}
	}
	blocks := Blocks(must.Get(Decide(f, []experiments.Claim{at(1), {Says: "A is fast.", Undecided: "So."},
		{Says: "A grows.", Compare: []experiments.Comparison{{Series: "A", Of: experiments.Slope, Most: 3}}}}))(t))
	want := []string{"HOLDS: 1. A is ahead. Rests on 5 cells of B at version 3, where the program has .",
		"NOT DECIDED: 2. A is fast. So.", "HOLDS: 3. A grows."}
	must.Be(t, blocks[0].(doc.Prose).Paragraphs, want)
}

// Records name the sets that a comparison is over.
func TestRecordsNameTheSets(t *testing.T) {
	one := experiments.Comparison{Series: "A", With: []string{"B"}, At: []float64{1}, Most: math.Inf(1)}
	other := one
	other.Datasets = []string{"r"}
	blocks := Blocks(must.Get(Decide(frameOf(t), []experiments.Claim{{Says: "x",
		Compare: []experiments.Comparison{one, other}}}))(t))
	records := blocks[len(blocks)-1].(doc.Records)
	column := slices.Index(records.Columns, "datasets")
	for i, want := range [][]string{{"r", "s"}, {"r"}} {
		got := slices.Clone(records.Rows[i][column].([]string))
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("comparison %d is over %v, want %v", i, got, want)
		}
	}
}

// The source's own number is that of its table over the sets compared, or what the claim quotes.
func TestSource(t *testing.T) {
	in := rows.Printed()
	source := func(c experiments.Comparison) *big.Rat { return decided(t, in.Frame(t), c).Parts[0].Source }
	c := experiments.Comparison{Series: "GBRFF2", With: []string{"LGBM"}, Datasets: []string{"wine", "sonar"}, Most: 1}
	if got := source(c); got == nil || got.FloatString(3) != "1.250" {
		t.Errorf("of the table: %v", got)
	}
	c.Printed = []float64{3, 5}
	if got := source(c); got == nil || got.FloatString(3) != "-2.000" {
		t.Errorf("of two numbers: %v", got)
	}
	in.Protocol.Published, c.Printed = "", nil
	if got := source(c); got != nil {
		t.Errorf("without a source: %v", got)
	}
}

// A comparison that names its sets is about these, though a third series lacks one of them. Differences of an error
// are written with three digits, however small they are.
func TestAThirdSeriesLacksASet(t *testing.T) {
	var cells []store.Row
	for split := 1; split <= 5; split++ {
		for _, set := range []string{"s", "r"} {
			cells = append(cells, row(set, "A", split, 74+split%2, 2), row(set, "B", split, 70, 1))
		}
		cells = append(cells, row("s", "C", split, 70, 1))
	}
	in := rows.Of(5, cells...)
	type asked = experiments.Comparison
	b, c, r, inf := []string{"B"}, []string{"C"}, []string{"r"}, math.Inf(1)
	for _, c := range []decision{
		{"on the set that C lacks", asked{Series: "A", With: b, Datasets: r, Most: inf}, 4.6, Holds},
		{"its time", asked{Series: "A", With: b, Of: experiments.CPU, Datasets: r, Least: 1.9, Most: 2.1}, 2, Holds},
		{"C itself", asked{Series: "A", With: c, Datasets: r, Most: inf}, 0, Missing},
		{"the time of C itself", asked{Series: "A", With: c, Of: experiments.CPU, Datasets: r, Most: inf}, 0, Missing},
	} {
		decides(t, in.Frame(t), c)
	}
	small := Part{What: "mean squared error", Estimate: curves.Estimate{Mean: -0.00201}}
	must.Be(t, small.number(-0.00201), "-0.00201", "a small difference of errors is written as")
	must.Be(t, small.number(-0.000787), "-0.00079", "a small difference of errors is written as")
	for ratio, want := range map[float64]string{0.00125: "0.0013", 0.62: "0.62", 1.5: "1.50"} {
		must.Be(t, (Part{Ratio: true, Estimate: curves.Estimate{Mean: math.Log(ratio)}}).number(ratio), want,
			"the ratio", ratio)
	}
}

// Where sets are the points, a comparison at a value is of the set that has so many rows.
func TestSetsArePoints(t *testing.T) {
	var cells []store.Row
	for i, set := range []string{"small", "large"} {
		for split := 1; split <= 5; split++ {
			for method, correct := range map[string]int{"A": 60 + 10*i + split%2, "B": 70} {
				r := row(set, method, split, correct, 1)
				r.TrainRows = 70 * (i + 1)
				cells = append(cells, r)
			}
		}
	}
	in := rows.Of(5, cells...)
	in.Protocol.Sweep = frame.Sweep{Name: "rows", Datasets: true}
	average := experiments.Comparison{Series: "A", With: []string{"B"}, At: []float64{70, 140}, Mean: true, Least: -6,
		Most: -3}
	for _, c := range []decision{
		{"behind on average over the sizes", average, -4.4, Holds},
		{"more rows are better", experiments.Comparison{Series: "A", With: []string{"A"}, At: []float64{140},
			WithAt: []float64{70}, Least: 5, Most: 15}, 10, Holds},
		{"behind on few rows", experiments.Comparison{Series: "A", With: []string{"B"}, At: []float64{70},
			Least: math.Inf(-1)}, -9.4, Holds},
	} {
		decides(t, in.Frame(t), c)
	}
}
