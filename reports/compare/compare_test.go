package compare

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"pgregory.net/rapid"
)

// usual are the options of the command line for a method, with fewer draws.
func usual(method string) Options {
	return Options{Method: method, Level: 0.05, Power: 0.8, Draws: 500}
}

func build(t testing.TB, in sample.Input, o Options) doc.Document {
	t.Helper()
	d, err := Build(in.Frame(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// two is methods A and B on sets of 100 test rows and 200 training rows, from their correct counts by set and split.
func two(a, b [][]int) sample.Input {
	in := sample.Input{Known: map[string]sample.Set{}}
	for i := range a {
		name := fmt.Sprintf("s%02d", i)
		in.Protocol.Datasets = append(in.Protocol.Datasets, name)
		in.Known[name] = sample.Set{}
		for k := range a[i] {
			for _, r := range []struct {
				method string
				n      int
			}{{"A", a[i][k]}, {"B", b[i][k]}} {
				row := sample.OK(name, r.method, k+1, r.n, 100)
				row.TrainRows = 200
				in.Rows = append(in.Rows, row)
			}
		}
		in.Protocol.Splits = max(in.Protocol.Splits, len(a[i]))
	}
	in.Run = frame.Invocation{Splits: in.Protocol.Splits}
	return in
}

func near(t testing.TB, what string, got any, want, tolerance float64) {
	t.Helper()
	if x, ok := got.(float64); !ok || math.Abs(x-want) > tolerance {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// By hand. On s00 A has 81, 82, 83 of 100 and B 80: differences 1, 2, 3 with mean 2 and s^2 = 1, so that with 200 training
// rows the error is sqrt(1/3 + 1/2) = 0.912871, t = 2.190890 with 2 degrees of freedom and
// p = 1 - t / sqrt(2 + t^2) = 0.159832; t_0.975 = 4.302653 makes the interval 2 +- 3.927767. On s01 both are equal.
func TestByHand(t *testing.T) {
	d := build(t, two([][]int{{81, 82, 83}, {70, 71, 72}}, [][]int{{80, 80, 80}, {70, 71, 72}}), usual("A"))
	sets := sample.Records(t, d, "sets")
	near(t, "gain", sets[0]["gain"], 2, 0)
	near(t, "t", sets[0]["corrected_t"], 2.190890, 1e-6)
	near(t, "p", sets[0]["p"], 0.159832, 1e-6)
	near(t, "Holm's p", sets[0]["p_holm"], 2*0.159832, 2e-6)
	near(t, "lower end", sets[0]["gain_low"], 2-3.927767, 1e-6)
	near(t, "upper end", sets[0]["gain_high"], 2+3.927767, 1e-6)
	if sets[0]["verdict"] != "open" || sets[1]["verdict"] != "equivalent" {
		t.Errorf("verdicts %v and %v, want open and equivalent", sets[0]["verdict"], sets[1]["verdict"])
	}
	near(t, "Holm's p of equal scores", sets[1]["p_holm"], 1, 0)
	pair := sample.Records(t, d, "pairs")[0]
	if pair["won"] != 1 || pair["tied"] != 1 || pair["lost"] != 0 || pair["better"] != 0 || pair["open"] != 1 || pair["equivalent"] != 1 {
		t.Errorf("counts %v", pair)
	}
}

// Six sets, all won: the exact signed-rank test has p = 2/2^6, the least with six sets; with five none can be below 0.05, and
// the verdict says so.
func TestOverSets(t *testing.T) {
	for n, want := range map[int]string{
		6: "A against B: better on 6 of 6 sets, worse on none; over 6 sets p = 0.031 (Wilcoxon); on a new set better with probability 1.00, practically equivalent (within 1 point) 0.00, worse 0.00.",
		5: "over 5 sets p = 0.062 (Wilcoxon), where fewer than 6 sets cannot show a difference;",
	} {
		var a, b [][]int
		for i := range n {
			a, b = append(a, []int{90 + i%3, 90, 91, 90}), append(b, []int{70, 70 + i%2, 70, 70})
		}
		d := build(t, two(a, b), usual("A"))
		got := d.Blocks[0].(doc.Prose).Paragraphs[0]
		if !strings.Contains(got, want) {
			t.Errorf("verdict\n%s\nlacks\n%s", got, want)
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

// Seen from the other side gains change their sign and verdicts their side; and errors in place of accuracies change nothing,
// although the smaller one is better.
func TestSides(t *testing.T) {
	opposite := map[any]any{"better": "worse", "worse": "better", "equivalent": "equivalent", "open": "open", "-": "-"}
	rapid.Check(t, func(r *rapid.T) {
		in := two(counts(r))
		ours, theirs := build(t, in, usual("A")), build(t, in, usual("B"))
		byError := usual("A")
		byError.Metric = "error"
		errors := build(t, in, byError)
		for i, a := range sample.Records(t, ours, "sets") {
			b, e := sample.Records(t, theirs, "sets")[i], sample.Records(t, errors, "sets")[i]
			if b["verdict"] != opposite[a["verdict"]] || b["gain"] != -a["gain"].(float64) || a["p"] != b["p"] || a["p_holm"] != b["p_holm"] {
				r.Fatalf("from A %v, from B %v", a, b)
			}
			for _, column := range []string{"verdict", "gain", "gain_low", "gain_high", "p", "p_holm", "p_better", "splits_needed"} {
				if a[column] != e[column] {
					r.Fatalf("%s by accuracy %v, by error %v", column, a[column], e[column])
				}
			}
		}
		a, b := sample.Records(t, ours, "pairs")[0], sample.Records(t, theirs, "pairs")[0]
		for _, sides := range [][2]string{{"won", "lost"}, {"better", "worse"}, {"tied", "tied"}, {"open", "open"}, {"equivalent", "equivalent"}, {"wilcoxon_p", "wilcoxon_p"}} {
			if a[sides[0]] != b[sides[1]] {
				r.Fatalf("%s %v from A, %s %v from B", sides[0], a[sides[0]], sides[1], b[sides[1]])
			}
		}
	})
}

// Sets are counted once, whatever the number of their splits: doubling every split leaves what is said over sets.
func TestSplitsAreNoSets(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a, b := counts(r)
		once := sample.Records(t, build(t, two(a, b), usual("A")), "pairs")[0]
		for i := range a {
			a[i], b[i] = slices.Concat(a[i], a[i]), slices.Concat(b[i], b[i])
		}
		twice := sample.Records(t, build(t, two(a, b), usual("A")), "pairs")[0]
		for _, column := range []string{"sets", "won", "lost", "mean_gain", "wilcoxon_p", "p_better", "p_equivalent"} {
			if once[column] != twice[column] {
				r.Fatalf("%s is %v, with every split twice %v", column, once[column], twice[column])
			}
		}
	})
}

// Among several methods p-values over sets are adjusted for their number, and a method without a common split is named.
func TestSeveral(t *testing.T) {
	in := sample.Paper()
	row := sample.OK("wine", "Late", 21, 50, 54)
	in.Rows = append(in.Rows, row)
	in.Protocol.Order = func([]string) []string { return append(slices.Clone(sample.Methods), "Late") }
	d := build(t, in, usual("GBRFF2"))
	pairs := sample.Records(t, d, "pairs")
	var ps, adjusted []float64
	for _, p := range pairs {
		ps, adjusted = append(ps, p["wilcoxon_p"].(float64)), append(adjusted, p["wilcoxon_holm"].(float64))
	}
	least := slices.Min(ps)
	if got := slices.Min(adjusted); len(ps) != 5 || math.Abs(got-min(1, 5*least)) > 1e-15 {
		t.Errorf("the least of %v is adjusted to %v", ps, got)
	}
	if notes := strings.Join(d.Notes, "\n"); !strings.Contains(notes, "Without a split that GBRFF2 has finished too: Late.") {
		t.Errorf("notes\n%s", notes)
	}
	if first := d.Blocks[0].(doc.Prose).Paragraphs[0]; !strings.HasPrefix(first, "Over data sets GBRFF2 is ") {
		t.Errorf("first line %q", first)
	}
}

// The verdicts alone are the first lines of the page; brief ones say the same but for a new set.
func TestVerdicts(t *testing.T) {
	in := sample.Paper()
	table, err := in.Frame(t).TableOf("")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range table.Methods {
		page := build(t, in, usual(m)).Blocks[0].(doc.Prose).Paragraphs
		whole, err := Verdicts(table, usual(m))
		if err != nil || !slices.Equal(whole, page) {
			t.Errorf("%s: error %v; verdicts\n%q\nthe page has\n%q", m, err, whole, page)
		}
		o := usual(m)
		o.Brief = true
		brief, err := Verdicts(table, o)
		if err != nil || len(brief) != len(page) {
			t.Fatalf("%s: error %v; brief verdicts %q", m, err, brief)
		}
		for i, line := range page {
			if before, _, found := strings.Cut(line, "; on a new set "); found && brief[i] != before+"." || !found && brief[i] != line {
				t.Errorf("%s: the brief verdict is\n%s\nthe whole one\n%s", m, brief[i], line)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"the level is 1; use a number between 0 and 1, such as 0.05":            func(o *Options) { o.Level = 1 },
		"the power is NaN; use a number between 0 and 1, such as 0.8":           func(o *Options) { o.Power = math.NaN() },
		"the region of practical equivalence is -1/2 wide; use 0 or more":       func(o *Options) { o.Rope = big.NewRat(-1, 2) },
		"no run of Nobody is finished; `bench run --methods Nobody` makes them": func(o *Options) { o.Method = "Nobody" },
	} {
		o := usual("A")
		change(&o)
		if _, err := Build(two([][]int{{80, 81}}, [][]int{{80, 82}}).Frame(t), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
