package table

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
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"pgregory.net/rapid"
)

// newTable is what Build makes a document of.
func newTable(t testing.TB, in sample.Input, metric string, o Options) *table {
	t.Helper()
	ft := must.Get(in.Frame(t).Table(metric))(t)
	return tableOf(&ft, o)
}

// The published table as input, Gautheron et al., ECML PKDD 2020, Table 2. Its average ranks with
// shared ties are 2.93 4.97 3.70 3.77 3.47 2.17; its bold entries are ours, with every tied one added
// (iono, occupancy: the paper sets only the left-most in bold). The ranks the paper prints cannot be
// had from printed accuracies, see stats.TestPrintedRanksOf2020.
func TestPublishedTable(t *testing.T) {
	tab := newTable(t, sample.Printed(), "", Options{})
	var ranks []string
	for _, r := range tab.midRanks {
		ranks = append(ranks, r.FloatString(2))
	}
	must.Be(t, strings.Join(ranks, " "), "2.93 4.97 3.70 3.77 3.47 2.17", "average ranks")
	best := map[string]string{
		"wine": "BMKR", "sonar": "GBRFF2", "newthyroid": "GBRFF2", "heart": "BMKR", "bupa": "LGBM",
		"iono": "BMKR PBRFF", "wdbc": "GBRFF2", "balance": "PBRFF", "australian": "GBRFF2", "pima": "GBRFF2",
		"vehicle": "GBRFF2", "german": "GBRFF2", "splice": "LGBM", "spambase": "LGBM", "occupancy": "BMKR LGBM",
		"bankmarketing": "LGBM",
	}
	for _, s := range tab.Sets {
		var got []string
		for i, b := range tab.Best(s) {
			if b {
				got = append(got, tab.Methods[i])
			}
		}
		must.Be(t, strings.Join(got, " "), best[s.Name], "best on", s.Name)
	}
	// The paper's Mean row is 88.4 85.7 87.9 87.9 89.0 89.1, of unrounded means.
	for i, want := range []float64{88.4, 85.7, 87.9, 87.9, 89.0, 89.1} {
		if got, _ := tab.mean[i].mean.Float64(); math.Abs(got-want) > 0.1 || tab.mean[i].best != (i == 5) {
			t.Errorf("mean of %s: got %v, best %v; want %v within 0.1, best %v", tab.Methods[i], got, tab.mean[i].best,
				want, i == 5)
		}
	}
	must.Be(t, len(tab.Counted), 15, "Mean and ranks are over")
	must.Be(t, slices.Contains(tab.Counted, "bankmarketing"), false, "Mean and ranks are over")
	for _, c := range tab.comparison.Cells {
		must.Be(t, c.Difference.Sign(), 0, c.Method, c.Dataset)
	}
	for _, m := range tab.comparison.methods {
		want := 15
		if strings.HasPrefix(m.method, "GBRFF") || m.method == "LGBM" {
			want = 16
		}
		must.Be(t, m.n, want, m.method)
	}
}

// A metric that is no percentage: by hand, tn fp fn tp of the sample's runs are 5 0 0 5 (all right)
// and 4 0 2 4 (8 of 10), whose coefficient is 16/sqrt(4*6*4*6) = 2/3.
func TestAnotherMetric(t *testing.T) {
	in := sample.Of(1, sample.OK("x", "A", 1, 10, 10), sample.OK("x", "B", 1, 8, 10))
	in.Protocol.Published = sample.Published
	d := sample.Build(t, frame.Report{Name: "accuracy", Flags: Accuracy}, in, "--metric", "MCC")
	main := d.Blocks[1].(doc.Table)
	cells := main.Sections[0][0].Entries
	if len(cells) != 2 || cells[0].Text != "1.000" || !cells[0].Best || cells[1].Text != "0.667" || cells[1].Best {
		t.Errorf("cells %+v, want 1.000 and 0.667", cells)
	}
	must.Be(t, d.Title, "Mean test Matthews correlation coefficient ± standard deviation over 1 random train/test "+
		"splits, protocol table2", "title")
	must.Be(t, main.Best, "best of its row, every tied one; decided on exact values.", "the mark means")
}

// Regression is shown when a metric of it is asked for, the smallest error as the best.
func TestRegression(t *testing.T) {
	in := sample.Input{Known: map[string]sample.Set{}}
	in.Protocol.Splits = 2
	in.Rows = []store.Row{sample.Numbers("cars", "A", 1, 2.5), sample.Numbers("cars", "A", 2, 3.5),
		sample.Numbers("cars", "B", 1, 0.5), sample.Numbers("cars", "B", 2, 1)}
	d := sample.Build(t, frame.Report{Name: "accuracy", Flags: Accuracy}, in, "--metric", "rmse")
	cells := d.Blocks[1].(doc.Table).Sections[0][0].Entries
	if cells[0].Text != "3.000" || cells[0].Dev != "0.500" || cells[0].Best || cells[1].Text != "0.750" ||
		!cells[1].Best {
		t.Errorf("cells %+v, want 3.000 and 0.750, the best", cells)
	}
}

// Equal accuracies from different splits are a tie although their float sums differ: 0.1 + 0.2 + 0.3
// against 0.3 + 0.2 + 0.1.
func TestTieThatFloatsBreak(t *testing.T) {
	tenths := []float64{0.1, 0.2, 0.3} // variables: constants would be added exactly
	if tenths[0]+tenths[1]+tenths[2] == tenths[2]+tenths[1]+tenths[0] {
		t.Fatal("the example no longer shows what it is for")
	}
	var rows []store.Row
	for s, correct := range []int{1, 2, 3} {
		rows = append(rows, sample.OK("x", "up", s+1, correct, 10), sample.OK("x", "down", s+1, 4-correct, 10))
	}
	tab := newTable(t, sample.Of(3, rows...), "", Options{})
	must.Be(t, tab.Best(tab.Sets[0]), []bool{true, true})
	must.Be(t, tab.midRanks[0].Cmp(tab.midRanks[1]), 0)
}

// The paper's rank is in the paper's own table: of a protocol whose source prints such ranks, by its metric, of
// its methods alone. In another table it would break ties of methods that the paper does not know.
func TestPapersRank(t *testing.T) {
	own := sample.Printed()
	own.Protocol.Order = func([]string) []string { return append(slices.Clone(sample.Methods), "Mine") }
	for _, r := range own.Rows {
		if r.Method == "LGBM" {
			r.Method = "Mine"
			own.Rows = append(own.Rows, r)
		}
	}
	for _, c := range []struct {
		in     sample.Input
		omit   bool
		metric string
		want   bool
	}{{sample.Small(), false, "", false}, {sample.Printed(), false, "", true}, {sample.Printed(), true, "", false},
		{sample.Printed(), false, "error", false}, {own, false, "", false}} {
		tab := newTable(t, c.in, c.metric, Options{OmitPublished: c.omit})
		rows, legend := fmt.Sprint(tab.summaryRows()), strings.Join(tab.legend(), " ")
		if got := strings.Contains(rows, "Paper's rank"); got != c.want ||
			strings.Contains(legend, "Paper's rank") != got {
			t.Errorf("source %q, without its values %v: rows %.200s, legend %s", c.in.Protocol.Published, c.omit, rows,
				legend)
		}
	}
}

func TestNothingComplete(t *testing.T) {
	in := sample.Small()
	in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool { return r.Status == result.OK })
	tab := newTable(t, in, "", Options{})
	if tab.mean != nil || tab.midRanks != nil || tab.paperRanks != nil {
		t.Error("a table without results has a Mean or ranks")
	}
	d := tab.document()
	must.Have(t, d.Notes, "No data set of the main group has a finished split, so there is no Mean and there are no "+
		"average ranks.")
	must.Lack(t, strings.Join(d.Blocks[1].(doc.Table).Legend, " "), "Average rank: tied")
}

// Every planned split is either finished or noted, with its reason.
func TestGapsAreNoted(t *testing.T) {
	d := newTable(t, sample.Paper(), "", Options{}).document()
	notes := strings.Join(d.Notes, "\n")
	must.Hold(t, notes, "exit status 137: out of memory", "PBRFF on german (split 7)", "stopped after 10m0s",
		"BMKR, GFC, PBRFF on bankmarketing (splits 1-20)",
		"Partial, so without Mean and ranks: PBRFF (14 of 15 data sets). To complete what can be run: `bench run "+
			"--methods PBRFF --datasets german --split 7 --retry`.")
	main := d.Blocks[1].(doc.Table)
	must.Be(t, main.Head[len(main.Head)-1].Name, "PBRFF", "the last column is")
	for _, row := range main.Sections[1] {
		last := row.Entries[len(row.Entries)-1]
		must.Be(t, last.Text, map[bool]string{true: "14 of 15", false: "-"}[row.Name == "Data sets"], "PBRFF has",
			row.Name)
		must.Be(t, last.Best, false, "PBRFF has", row.Name)
	}
	three := sample.Paper()
	three.Rows = slices.DeleteFunc(three.Rows, func(r store.Row) bool { return r.Split > 3 || r.Dataset == "board" })
	must.Have(t, newTable(t, three, "", Options{}).document().Notes, "3 of 20 splits: every data set with results.")
}

// Splits 2 and 3 alone: neither 1 nor anything above 3 is missing.
func TestSelectedSplits(t *testing.T) {
	in := sample.Small()
	in.Splits = []int{3, 2}
	tab := newTable(t, in, "", Options{})
	if len(tab.Table.Splits) != 2 || len(tab.Sets[0].Entries[0].Runs) != 2 {
		t.Errorf("%d planned splits, %d finished on tie; want 2 and 2", len(tab.Table.Splits),
			len(tab.Sets[0].Entries[0].Runs))
	}
	for _, m := range tab.Unfinished() {
		if m.Dataset == "clear" && (m.Kind != frame.NotRun || !slices.Equal(m.Splits, []int{3})) {
			t.Errorf("%s on clear lacks %+v, want split 3", m.Method, m)
		}
		if m.Dataset == "tie" {
			t.Errorf("on tie: %+v", m)
		}
	}
}

// Records are the quotient of integer counts.
func TestRecordsKeepPrecision(t *testing.T) {
	records := newTable(t, sample.Paper(), "", Options{}).cellRecords()
	column := func(name string) int { return slices.Index(records.Columns, name) }
	if want := 19 * 6; len(records.Rows) != want {
		t.Fatalf("%d rows, want %d", len(records.Rows), want)
	}
	for _, r := range records.Rows {
		correct, test := r[column("correct")].(int64), r[column("test")].(int64)
		if test == 0 {
			if r[column("mean")] != nil || r[column("missing")] == "" {
				t.Errorf("%v: a cell without runs has a mean, or no reason", r)
			}
			continue
		}
		// all splits of a set are of one size
		if want, _ := big.NewRat(100*correct, test).Float64(); r[column("mean")] != want {
			t.Errorf("%v on %v: mean %v, want %v", r[column("method")], r[column("dataset")], r[column("mean")], want)
		}
	}
}

func TestBadOptions(t *testing.T) {
	for want, flags := range map[string][]string{
		`no metric is named "x"`: {"--metric", "x"},
	} {
		err := must.Err(sample.Make(t, frame.Report{Name: "accuracy", Flags: Accuracy}, sample.Small(), flags...))
		must.Say(t, err, want)
	}
}

// Adding a method with fewer sets changes no number, mark or text of the other columns, as long as at least half of
// the methods have all counted sets.
func TestAPartialMethodChangesNothing(t *testing.T) {
	checked := 0
	rapid.Check(t, func(rt *rapid.T) {
		in := sample.Input{Known: map[string]sample.Set{}}
		in.Protocol.Splits, in.Protocol.Order = 4, func(names []string) []string {
			return slices.Sorted(slices.Values(names))
		}
		methods := []string{"a", "b", "c", "d"}[:rapid.IntRange(2, 4).Draw(rt, "methods")]
		run := func(set, method string, splits ...int) {
			for _, s := range splits {
				in.Rows = append(in.Rows, sample.OK(set, method, s, rapid.IntRange(0, 5).Draw(rt, "correct"), 5))
			}
		}
		for _, set := range []string{"s", "t", "u", "v", "w"}[:rapid.IntRange(2, 5).Draw(rt, "sets")] {
			in.Protocol.Datasets, in.Known[set] = append(in.Protocol.Datasets, set), sample.Set{}
			for _, m := range methods {
				run(set, m, [][]int{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 3},
					{}}[rapid.IntRange(0, 5).Draw(rt, "splits")]...)
			}
		}
		if len(in.Rows) == 0 {
			return
		}
		before := newTable(t, in, "", Options{})
		has, with := 0, rapid.SampledFrom([]string{"0 first", "z last"}).Draw(rt, "name")
		for _, s := range before.Sets {
			switch rapid.IntRange(0, 2).Draw(rt, "partial") {
			case 0:
				run(s.Name, with, 4) // which no other method has
			case 1:
				if has++; has < len(before.Counted) {
					run(s.Name, with, s.Splits...)
				}
			}
		}
		after := newTable(t, in, "", Options{})
		if slices.Contains(after.Whole(), with) || before.CheckComparable() != nil ||
			2*len(before.Whole()) < len(before.Methods)+1 {
			return
		}
		checked++
		must.Be(rt, columnsOf(after, with), columnsOf(before, with), "with a partial method")
	})
	if checked < 5 && !testing.Short() || checked == 0 {
		t.Errorf("%d tables are compared", checked)
	}
}

// columnsOf lists what is in the columns of the main table and in the records of means, without those of a method.
func columnsOf(t *table, without string) []string {
	var out []string
	main := t.main()
	for _, section := range main.Sections {
		for _, row := range section {
			there := false // has a method but that one a result
			for i, c := range row.Entries {
				there = there || main.Head[i].Name != without && main.Head[i].Name != "splits" && c.Text != "-"
			}
			for i, c := range row.Entries {
				if name := main.Head[i].Name; there && name != without && row.Name != "Data sets" {
					out = append(out, fmt.Sprint(row.Name, " ", name, " ", c.Text, " ", c.Dev, " ", c.Best))
				}
			}
		}
	}
	for _, r := range t.meanRecords().Rows {
		if r[0] != without {
			out = append(out, fmt.Sprint(r...))
		}
	}
	return out
}
