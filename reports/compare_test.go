package reports_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"github.com/kernelboosting/bench/reports/stats"
	"pgregory.net/rapid"
)

// usual are the options of the command line for a method, with fewer draws.
func usual(method string) compare.Options {
	return compare.Options{Method: method, Level: 0.05, Draws: 500}
}

// page is the document of compare, with options that the command line lacks.
func page(t testing.TB, in sample.Input, o compare.Options, flags ...string) doc.Document {
	t.Helper()
	return sample.Build(t, frame.Report{Name: "compare", Build: func(t *frame.Table) (doc.Document, error) {
		p, err := compare.NewPage(t, o)
		if err != nil {
			return doc.Document{}, err
		}
		return p.Document(), nil
	}}, in, flags...)
}

// two is methods A and B on sets of 100 test rows and 200 training rows, from their correct counts by set and split.
func two(a, b [][]int) sample.Input {
	var rows []store.Row
	for i := range a {
		for k := range a[i] { // sample.OK has twice as many training rows as test rows
			name := fmt.Sprintf("s%02d", i)
			rows = append(rows, sample.OK(name, "A", k+1, a[i][k], 100), sample.OK(name, "B", k+1, b[i][k], 100))
		}
	}
	in := sample.Of(len(a[0]), rows...)
	in.Run = frame.Invocation{Splits: in.Protocol.Splits}
	return in
}

// said is the prose of a page that comes first: the verdict.
func said(d doc.Document) []string {
	i := slices.IndexFunc(d.Blocks, func(b doc.Block) bool { _, prose := b.(doc.Prose); return prose })
	return d.Blocks[i].(doc.Prose).Paragraphs
}

// firstSentence is what the page of A says first.
func firstSentence(t testing.TB, in sample.Input) string {
	return said(page(t, in, usual("A")))[0]
}

func near(t testing.TB, what string, got any, want, tolerance float64) {
	t.Helper()
	if x, ok := got.(float64); !ok || math.Abs(x-want) > tolerance {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// By hand. On s00 A has 81 to 85 of 100 and B 80: differences 1 to 5 with mean 3 and s^2 = 2.5, so that with 200
// training rows the error is sqrt(2.5 (1/5 + 1/2)) = 1.322876, t = 2.267787 with 4 degrees of freedom and, with v =
// 1 + t^2 / 4, p = 1 - 3/4 t / sqrt(v) (1 - t^2 / (12 v)) = 0.085937; t_0.975 = 2.776445 makes the interval 3 +-
// 3.672891. On s01 both are equal.
func TestByHand(t *testing.T) {
	d := page(t, two([][]int{{81, 82, 83, 84, 85}, {70, 71, 72, 73, 74}},
		[][]int{{80, 80, 80, 80, 80}, {70, 71, 72, 73, 74}}), usual("A"))
	sets := sample.Records(t, d, "sets")
	near(t, "gain", sets[0]["gain"], 3, 0)
	near(t, "t", sets[0]["corrected_t"], 2.267787, 1e-6)
	near(t, "p", sets[0]["p"], 0.085937, 1e-6)
	near(t, "adjusted p of two sets", sets[0]["adjusted_p"], 2*0.085937, 2e-6)
	near(t, "lower end", sets[0]["gain_low"], 3-3.672891, 1e-6)
	near(t, "upper end", sets[0]["gain_high"], 3+3.672891, 1e-6)
	must.Be(t, sets[0]["verdict"], "inconclusive", "verdicts")
	must.Be(t, sets[1]["verdict"], "practically equivalent", "verdicts")
	near(t, "adjusted p of equal scores", sets[1]["adjusted_p"], 1, 0)
	pair := sample.Records(t, d, "pairs")[0]
	if pair["won"] != 1 || pair["tied"] != 1 || pair["lost"] != 0 || pair["ahead"] != 1 || pair["within"] != 1 ||
		pair["behind"] != 0 || pair["verdict"] != "not testable" {
		t.Errorf("counts %v", pair)
	}
}

// constructed is 15 sets of 5 splits with the gains of A over B in percent, a gain a set, and noise that is the
// same on every set.
func constructed(gain func(set int) float64) sample.Input {
	var rows []store.Row
	for i := range 15 {
		name := fmt.Sprintf("s%02d", i)
		for k := range 5 {
			base := 8000 + 37*i + []int{0, 60, -40, 25, -45}[k]
			gained := base + int(math.Round(100*gain(i))) + []int{0, 2, -2, 1, -1}[k]
			rows = append(rows, sample.OK(name, "A", k+1, gained, 10000), sample.OK(name, "B", k+1, base, 10000))
		}
	}
	in := sample.Of(5, rows...)
	in.Run = frame.Invocation{Splits: 5}
	return in
}

// Constructed methods and what is said of them: a constant 0.3 points is practically equivalent; 10 points on three
// sets and -0.1 on twelve is inconclusive, and never worse; noise is inconclusive; one set that carries the mean is
// named; half of the sets are those that are there.
func TestConstructedVerdicts(t *testing.T) {
	half := constructed(func(int) float64 { return 2.5 })
	half.Rows = slices.DeleteFunc(half.Rows, func(r store.Row) bool { return r.Method == "A" && r.Dataset > "s07" })
	failed := constructed(func(int) float64 { return 2.5 })
	for i := range failed.Rows {
		if r := &failed.Rows[i]; r.Method == "B" && r.Dataset > "s10" {
			r.Status, r.Error = result.Failed, "singular matrix"
		}
	}
	for _, c := range []struct {
		name string
		in   sample.Input
		want string
	}{
		{"constant", constructed(func(int) float64 { return 0.3 }),
			"A against B: practically equivalent. Typical difference +0.30 points (95 % interval +0.30 to +0.30, " +
				"over 15 sets), p < 0.0001; p of equivalence < 0.0001. Ahead by more than 1 point on 0 of 15 sets, " +
				"behind on 0. Mean +0.30 points (+0.30 to +0.30). On no single set is a difference significant and " +
				"large enough to matter."},
		{"three sets", constructed(func(i int) float64 {
			if i < 3 {
				return 10
			}
			return -0.1
		}), "A against B: inconclusive. Typical difference -0.10 points (95 % interval -0.10 to +4.95, over 15 " +
			"sets), p = 0.313; p of equivalence = 0.157. Ahead by more than 1 point on 3 of 15 sets, behind on 0. " +
			"Mean +1.92 points (-0.40 to +4.24); mean and typical difference point to different sides. Single sets: " +
			"significantly better on s00, s01 and s02."},
		{"noise", constructed(func(i int) float64 { return []float64{2, -1.5, 0.4, -2.2, 1.3}[i%5] }),
			"A against B: inconclusive. Typical difference -0.10 points (95 % interval -0.90 to +1.20, over 15 " +
				"sets), p = 0.761; p of equivalence = "},
		{"one set", constructed(func(i int) float64 {
			if i == 4 {
				return 17
			}
			return 1.05 + float64(i)/100
		}), "A against B: significantly better. Typical difference +1.13 points (95 % interval +1.10 to +1.17, over " +
			"15 sets), p < 0.0001; p of equivalence = 1.000. Ahead by more than 1 point on 15 of 15 sets, behind on " +
			"0. Mean +2.18 points (-0.09 to +4.45); without s04 +1.12."},
		{"no difference at all", constructed(func(int) float64 { return 0 }),
			"A against B: practically equivalent. Typical difference 0.00 points (95 % interval 0.00 to 0.00, over " +
				"15 sets), p = 1.000; p of equivalence < 0.0001."},
		{"a set that turns the mean", constructed(func(i int) float64 {
			if i == 0 {
				return 17
			}
			return -1.1
		}), "A against B: significantly worse. Typical difference -1.10 points (95 % interval -1.10 to -1.10, over " +
			"15 sets), p = 0.0065; p of equivalence = 1.000. Ahead by more than 1 point on 1 of 15 sets, behind on " +
			"14. Mean +0.11 points (-2.48 to +2.69); without s00 -1.10; mean and typical difference point to " +
			"different sides."},
		{"half of the sets", half,
			"A against B, on 8 of 15 sets (no failure on the others): significantly better. Typical difference " +
				"+2.50 points (95 % interval +2.50 to +2.50, over 8 sets), p = 0.0078; p of equivalence = 1.000. " +
				"Ahead by more than 1 point on 8 of 8 sets, behind on 0. Mean +2.50 points (+2.50 to +2.50). Single " +
				"sets: significantly better on 8 sets."},
		{"failures", failed, "A against B, on 11 of 15 sets (B failed on 4): significantly better."},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := firstSentence(t, c.in)
			must.Begin(t, got, c.want)
		})
	}
	must.Hold(t, sample.Build(t, named("compare"), half, "A", "B", "--short").Line, " over 8 of 15 sets.")
}

// Six sets, all won: the exact signed-rank test has p = 2/2^6, the least with six sets; with five none can be below
// 0.05, and the verdict says so. One split, or one set, is preliminary.
func TestOverSets(t *testing.T) {
	for n, want := range map[int]string{
		6: "A against B: significantly better. Typical difference +20.38 points (95 % interval +20.00 to +20.75, " +
			"over 6 sets), p = 0.031; ",
		5: "A against B: not testable, since no result of 5 sets can be significant; 6 sets are enough. Typical " +
			"difference +20.38 points (too few sets for a 95 % interval), p = 0.062. ",
		1: "Preliminary, on 1 data set. A against B: not testable, since no result of 1 set can be significant; 6 " +
			"sets are enough. The difference is +20.25 points. ",
	} {
		var a, b [][]int
		for i := range n {
			a, b = append(a, []int{90 + i%3, 90, 91, 90}), append(b, []int{70, 70 + i%2, 70, 70})
		}
		in := two(a, b)
		got := firstSentence(t, in)
		must.Be(t, strings.HasPrefix(got, want), true, "verdict over", n, got, want)
		in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool { return r.Split > 1 })
		in.Protocol.Splits = 4
		must.Begin(t, firstSentence(t, in), "Preliminary, from 1 of 4 splits")
	}
}

// On sets that are divided once there is no test on a set, splits are called draws, and a pair of fits that comes
// again counts once: of the gains 4, 4 and 1, the first two being the same fits, the mean is 2.5.
func TestDraws(t *testing.T) {
	in := two([][]int{{84, 84, 81}}, [][]int{{80, 80, 80}})
	in.Protocol.Once = func(bool) bool { return true }
	for i := range in.Rows {
		r := &in.Rows[i]
		r.ScoresHash = fmt.Sprint(r.Method, *r.Score.Correct)
	}
	d := page(t, in, usual("A"))
	set := sample.Records(t, d, "sets")[0]
	if set["gain"] != 2.5 || set["verdict"] != "not testable" || set["adjusted_p"] != nil || set["p"] != nil ||
		set["gain_low"] != nil {
		t.Errorf("%v", set)
	}
	for _, b := range d.Blocks {
		if table, ok := b.(doc.Table); ok && table.Label == "B" {
			must.Be(t, table.Sections[0][0].Entries[0].Text, "2 draws", "over", table.Legend)
			must.Begin(t, table.Legend[len(table.Legend)-1], "Draws: ")
			return
		}
	}
	t.Error("no table of the set")
}

// The region may be a share of the error: 2 points at 99 % are twice the error, and at 60 % a twentieth of it.
func TestRelativeRegion(t *testing.T) {
	o := usual("A")
	o.Region = new(must.Get(evidence.ParseRegion("10%"))(t))
	d := page(t, two([][]int{{98, 98, 98, 98, 98}, {61, 61, 61, 61, 61}},
		[][]int{{100, 100, 100, 100, 100}, {59, 59, 59, 59, 59}}), o)
	sets, pair := sample.Records(t, d, "sets"), sample.Records(t, d, "pairs")[0]
	near(t, "region at 99 %", sets[0]["rope"], 0.1, 0)
	near(t, "region at 60 %", sets[1]["rope"], 4, 0)
	if sets[0]["verdict"] != "significantly worse" || sets[1]["verdict"] != "practically equivalent" ||
		pair["behind"] != 1 || pair["within"] != 1 {
		t.Errorf("%v, %v, %v", sets[0], sets[1], pair)
	}
	for _, bad := range []string{"", "x", "-1", "1/2", "0x1p3", "1_0", "%", "1e400"} {
		if _, err := evidence.ParseRegion(bad); err == nil {
			t.Errorf("%q is no error", bad)
		}
	}
}

// counts draws two methods' results.
func counts(r *rapid.T) (a, b [][]int) {
	sets, splits := rapid.IntRange(1, 9).Draw(r, "sets"), rapid.IntRange(1, 5).Draw(r, "splits")
	some := rapid.SliceOfN(rapid.IntRange(60, 66), splits, splits)
	for range sets {
		a, b = append(a, some.Draw(r, "a")), append(b, some.Draw(r, "b"))
	}
	return a, b
}

// Seen from the other side gains change their sign and verdicts their side; and errors in place of accuracies
// change nothing, although the smaller one is better.
func TestSides(t *testing.T) {
	opposite := map[any]any{"significantly better": "significantly worse",
		"significantly worse": "significantly better"}
	for _, r := range evidence.Rules[2:] {
		opposite[string(r.Verdict)] = string(r.Verdict)
	}
	rapid.Check(t, func(r *rapid.T) {
		in := two(counts(r))
		ours, theirs := page(t, in, usual("A")), page(t, in, usual("B"))
		errors := page(t, in, usual("A"), "--metric", "error")
		for i, a := range sample.Records(t, ours, "sets") {
			b, e := sample.Records(t, theirs, "sets")[i], sample.Records(t, errors, "sets")[i]
			if b["verdict"] != opposite[a["verdict"]] || b["gain"] != -a["gain"].(float64) || a["p"] != b["p"] ||
				a["adjusted_p"] != b["adjusted_p"] {
				r.Fatalf("from A %v, from B %v", a, b)
			}
			for _, column := range []string{"verdict", "gain", "gain_low", "gain_high", "p", "adjusted_p",
				"equivalence_p"} {
				must.Be(r, a[column], e[column])
			}
		}
		a, b := sample.Records(t, ours, "pairs")[0], sample.Records(t, theirs, "pairs")[0]
		for _, sides := range [][2]string{{"won", "lost"}, {"ahead", "behind"}, {"tied", "tied"}, {"within", "within"},
			{"equivalence_p", "equivalence_p"}, {"wilcoxon_p", "wilcoxon_p"}, {"adjusted_p", "adjusted_p"}} {
			must.Be(r, a[sides[0]], b[sides[1]])
		}
	})
}

// Sets are counted once, whatever the number of their splits: doubling every split leaves what is said over sets.
func TestSplitsAreNoSets(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a, b := counts(r)
		once := sample.Records(t, page(t, two(a, b), usual("A")), "pairs")[0]
		for i := range a {
			a[i], b[i] = slices.Concat(a[i], a[i]), slices.Concat(b[i], b[i])
		}
		twice := sample.Records(t, page(t, two(a, b), usual("A")), "pairs")[0]
		for _, column := range []string{"sets", "won", "lost", "mean_gain", "wilcoxon_p", "typical_better",
			"typical_equivalent", "typical_gain"} {
			must.Be(r, once[column], twice[column])
		}
	})
}

// More sets than an interval is computed for have a test and say why there is no interval.
func TestManySets(t *testing.T) {
	var a, b [][]int
	for i := range stats.MostExact + 10 {
		a, b = append(a, []int{80 + i%3}), append(b, []int{79})
	}
	got := firstSentence(t, two(a, b))
	must.Hold(t, got, "significantly",
		"without an interval, since there are more than 500 sets), p < 0.0001; p of equivalence")
}

// Among several methods p-values over sets are adjusted for their number, and a method without a common split is named.
func TestSeveral(t *testing.T) {
	in := sample.Paper()
	row := sample.OK("wine", "Late", 21, 50, 54)
	in.Rows = append(in.Rows, row)
	in.Protocol.Order = func([]string) []string { return append(slices.Clone(sample.Methods), "Late") }
	d := page(t, in, usual("GBRFF2"))
	pairs := sample.Records(t, d, "pairs")
	var ps, adjusted []float64
	for _, p := range pairs {
		ps, adjusted = append(ps, p["wilcoxon_p"].(float64)), append(adjusted, p["adjusted_p"].(float64))
	}
	least := slices.Min(ps)
	if got := slices.Min(adjusted); len(ps) != 5 || got > 5*least+1e-15 || got <= least {
		t.Errorf("the least of %v is adjusted to %v", ps, got)
	}
	must.Hold(t, strings.Join(d.Notes, "\n"), "Without a split that GBRFF2 has finished too: Late.")
	in.Rows = append(in.Rows, sample.OK("swiss", "Late", 1, 270, 300)) // a generated set, which does not count
	for i, p := range sample.Records(t, page(t, in, usual("GBRFF2")), "pairs") {
		if i < len(pairs) && (p["comparisons"] != pairs[i]["comparisons"] ||
			p["adjusted_p"] != pairs[i]["adjusted_p"]) {
			t.Errorf("with a pair that shares no counted set there are %v comparisons and p %v, before %v and %v",
				p["comparisons"], p["adjusted_p"], pairs[i]["comparisons"], pairs[i]["adjusted_p"])
		}
	}
	must.Begin(t, said(d)[0], "Preliminary, from 19 of 21 splits. Who looks after each split finds a difference of "+
		"equal methods at some look on 9 to 16 % of the pages, if the level is 0.05. GBRFF2 is ")
}

// The summary of every method is the first sentence of its page, says what it is adjusted for, and names few
// methods. The one that the data chose leads.
func TestSummary(t *testing.T) {
	for _, in := range []sample.Input{sample.Paper(), sample.Sixteen()} {
		table := must.Get(in.Frame(t).Table(""))(t)
		o := usual("GBRFF2")
		o.Chosen = true
		ev := must.Get(o.Evidence(&table))(t)
		for _, m := range table.Methods {
			o.Method, o.Chosen = m, m == "GBRFF2"
			p := must.Get(compare.PageOf(&table, ev, o))(t)
			d := p.Document()
			sentence := p.Summary()
			must.Be(t, sentence, said(d)[0], m)
			must.Hold(t, sentence, "each method with each")
			must.Be(t, strings.Contains(sentence, " has the best mean"), o.Chosen, m)
			if n := strings.Count(sentence, ","); n > 12 {
				t.Errorf("%s: a list of %d: %s", m, n, sentence)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for want, change := range map[string]func(*compare.Options){
		"the level is 1; use a number between 0 and 1, such as 0.05": func(
			o *compare.Options) {
			o.Level = 1
		},
		"the region of practical equivalence is -1/2 wide; use 0 or more": func(o *compare.Options) {
			o.Region = &evidence.Region{Width: big.NewRat(-1, 2)}
		},
		"no run of Nobody is finished; `bench run --methods Nobody` makes them": func(
			o *compare.Options) {
			o.Method = "Nobody"
		},
	} {
		o := usual("A")
		change(&o)
		table := must.Get(two([][]int{{80, 81}}, [][]int{{80, 82}}).Frame(t).Table(""))(t)
		must.Say(t, must.Err(compare.NewPage(&table, o)), want)
	}
}

// TestVersionsAreCounted: the sentence says which version it is, beside its p is that for the best of all versions,
// and only then the page says what this p does not cover.
func TestVersionsAreCounted(t *testing.T) {
	var a, b, before [][]int
	for s := range 8 {
		a, b = append(a, []int{75 + s}), append(b, []int{70})
		before = append(before, []int{70 + (s+1)*(1-s%2*2)})
	}
	in := two(a, b)
	const caution = "Results on fresh sets confirm a version honestly."
	if text := said(sample.Build(t, named("compare"), in, "A", "B")); len(text) != 1 ||
		strings.Contains(text[0], "version") {
		t.Errorf("with one version: %q", text)
	}
	for _, r := range two(before, b).Rows {
		if r.Method == "A" {
			r.MethodVersion, r.StartedAt = "0", "2020-01-01"
			in.Older = append(in.Older, r)
		}
	}
	for _, args := range [][]string{{"A", "B"}, {"B", "A"}, {"A"}} {
		text := said(sample.Build(t, named("compare"), in, args...))
		must.Hold(t, text[0], "2nd of 2 versions of A", "p = 0.0078, p for the best of 2 versions = 0.016")
		if len(text) != 2 || !strings.HasSuffix(text[1], caution) {
			t.Errorf("%v: paragraphs %q", args, text)
		}
	}
	text := said(sample.Build(t, named("compare"), in, "A@0", "A"))
	if len(text) != 1 || strings.Contains(text[0], "versions of A") {
		t.Errorf("of two versions, compared with each other: %q", text)
	}
	for _, r := range slices.Clone(in.Rows) {
		if r.Method == "B" {
			r.Method = "C"
			in.Rows = append(in.Rows, r)
		}
	}
	in.Methods = append(in.Methods, "C")
	must.Hold(t, said(sample.Build(t, named("compare"), in, "A@0", "B"))[0], ": 3 methods are stored")
}

// TestAlarm: --fail-if comes true for what it names. On 15 sets a loss of 3 points is found, and so is a loss on one of
// two sets, where nothing is said over sets; chance and a gain are no loss. 0.2 s against 0.15 s are a quarter more.
func TestAlarm(t *testing.T) {
	over := func(gain float64) sample.Input { return constructed(func(int) float64 { return gain }) }
	single := two([][]int{{60, 61, 60, 61, 60}, {70, 71, 72, 73, 74}},
		[][]int{{80, 80, 80, 80, 80}, {70, 71, 72, 73, 74}})
	timed := func(a, b float64) sample.Input {
		in := over(0)
		for i, r := range in.Rows {
			in.Rows[i].CPUSeconds = new(map[string]float64{"A": a, "B": b}[r.Method])
		}
		return in
	}
	for _, c := range []struct {
		in          sample.Input
		asked, want string
	}{
		{over(-3), "worse", "--fail-if worse came true: A is significantly worse than B"},
		{over(3), "worse", ""},
		{constructed(func(i int) float64 { return []float64{2, -1.5, 0.4, -2.2, 1.3}[i%5] }), "inconclusive",
			"--fail-if inconclusive came true: A against B: inconclusive"},
		{single, "inconclusive", "--fail-if inconclusive came true: A against B: not testable"},
		{over(-3), "inconclusive", ""},
		{single, "worse", "--fail-if worse came true: A is significantly worse than B on s00"},
		{timed(0.2, 0.15), "slower", "--fail-if slower came true: a cell of A takes 1.33 times the processor " +
			"time of B, over 15 sets"},
		{timed(0.2, 0.15), "inconclusive,slower", "--fail-if slower came true: a cell of A takes 1.33 times the " +
			"processor time of B, over 15 sets"},
		{over(-3), "inconclusive,worse,slower", "--fail-if worse came true: A is significantly worse than B"},
		{timed(0.15, 0.13), "slower", ""},
		{timed(0.15, 0.2), "slower", ""},
	} {
		must.Be(t, sample.Build(t, named("compare"), c.in, "A", "B", "--fail-if", c.asked).Alarm, c.want, "--fail-if",
			c.asked)
	}
	for asked, want := range map[string]string{
		"worse": "--fail-if worse cannot come true: over data sets A against B is not testable, and no set " +
			"has the 5 splits",
		"slower": "no data set that counts has processor times of A and of B on one kind of processor",
	} {
		must.Say(t, must.Err(sample.Make(t, named("compare"), two([][]int{{60}}, [][]int{{80}}), "A", "B", "--fail-if",
			asked)), want)
	}
}

// TestAlarmOnTheLatest: of two versions of a method the alarm is on the one that began to run last, in both orders.
func TestAlarmOnTheLatest(t *testing.T) {
	in := constructed(func(int) float64 { return -3 })
	in.Older = slices.Clone(in.Rows)
	for i := range in.Rows {
		in.Rows[i].MethodVersion, in.Rows[i].StartedAt = "2+b", "2026-02-01"
		if in.Older[i].MethodVersion = "1+a"; in.Older[i].Method == "A" {
			in.Older[i].Score = in.Rows[i+1].Score // that of B
		}
	}
	for _, args := range [][]string{{"A@1", "A@2"}, {"A@2", "A@1"}, {"A@1", "A"}} {
		got := sample.Build(t, named("compare"), in, append(args, "--fail-if", "worse")...).Alarm
		must.Hold(t, got, "is significantly worse than A@1")
	}
}

// TestLine: the verdict in one line has the size of the difference from one other method, and counts or names several.
func TestLine(t *testing.T) {
	line := func(in sample.Input, args ...string) string {
		return sample.Build(t, named("compare"), in, append(args, "--short")...).Line
	}
	in := constructed(func(int) float64 { return 2.5 })
	must.Be(t, line(in, "A", "B"),
		"A against B: significantly better, +2.50 points (95 % interval +2.50 to +2.50) over 15 sets.")
	must.Be(t, line(in, "B", "A"),
		"B against A: significantly worse, -2.50 points (95 % interval -2.50 to -2.50) over 15 sets.")
	for _, r := range in.Rows {
		if r.Method == "B" {
			r.Method = "C"
			in.Rows = append(in.Rows, r)
		}
	}
	must.Be(t, line(in, "A"), "A is significantly better than B and C.")
	must.Be(t, line(in, "B"), "B is significantly worse than A; practically equivalent to C.")
	must.Be(t, sample.Build(t, named("compare"), in, "A", "B").Line, "", "without --short")
}
