package reports_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"pgregory.net/rapid"
)

func asked(control, test string) []string {
	return []string{"--control", control, "--test", cmp.Or(test, compare.Wilcoxon)}
}

// Where no result could be significant there is no bar: four sets are too few, however far the ranks are from each
// other. The diagram and the tests say so.
func TestNoBarsWithoutATest(t *testing.T) {
	var rows []store.Row
	for s := range 4 {
		for m, name := range []string{"A", "B", "C", "D"} {
			rows = append(rows, sample.OK(fmt.Sprint("s", s), name, 1, 90-10*m, 100))
		}
	}
	in := sample.Of(1, rows...)
	d := sample.Build(t, named("cd"), in, asked("", "")...)
	for _, r := range sample.Records(t, d, "cd") {
		must.Be(t, r["bars"], "", r)
	}
	const says = "There are no bars, since no pair is testable: 8 data sets are enough"
	figure := d.Blocks[0].(doc.Figure)
	must.Hold(t, figure.Numbers.Legend[0], says)
	must.Hold(t, words(figure), says)
	board := sample.Build(t, named("leaderboard"), in)
	for _, b := range board.Blocks {
		if f, ok := b.(doc.Figure); ok {
			must.Hold(t, words(f), " average rank No result of 4 data sets can be significant")
		}
	}
	verdict := sample.Build(t, named("tests"), in).Blocks[0].(doc.Prose).Paragraphs[1]
	must.Hold(t, verdict, "No pair is testable", "8 sets are enough")
}

// words are the texts of a drawing.
func words(f doc.Figure) string {
	return strings.Join(doc.Map(f.Plot(doc.PageWidth).Marks, func(m doc.Mark) string { return m.Text }), " ")
}

// Two methods are on a common bar just if Wilcoxon's test finds no difference among all pairs, and a control alone has
// a bar with those from which its difference is not significant.
func TestBarsByWilcoxon(t *testing.T) {
	table := must.Get(sample.Sixteen().Frame(t).Table(""))(t)
	for _, control := range []string{"", "RF"} {
		ev := must.Get(evidence.Compare(&table, evidence.Options{Method: control, Level: 0.05,
			Region: evidence.UsualRegion(table.Metric)}))(t)
		records := sample.Records(t, sample.Build(t, named("cd"), sample.Sixteen(), asked(control, "")...), "cd")
		apart := 0
		for i, a := range records {
			for _, b := range records[:i] {
				if control != "" && a["method"] != control && b["method"] != control {
					continue
				}
				pair, _ := ev.Between(slices.Index(table.Methods, a["method"].(string)),
					slices.Index(table.Methods, b["method"].(string)))
				significant := pair.Adjusted < 0.05
				if significant == strings.ContainsAny(a["bars"].(string), b["bars"].(string)) {
					t.Errorf("control %q, %v and %v: significant %v", control, a, b, significant)
				}
				if significant {
					apart++
				}
			}
		}
		if apart == 0 {
			t.Errorf("control %q: no difference is significant", control)
		}
	}
	for want, o := range map[string][]string{"leave the control RF out": asked("RF", compare.Nemenyi),
		"the control X is not among": asked("X", "")} {
		must.Say(t, must.Err(sample.Make(t, named("cd"), sample.Sixteen(), o...)), want)
	}
	must.Say(t, must.Err(sample.Make(t, named("cd"), sample.Sixteen(), asked("", "x")...)),
		`the test is "x"; use wilcoxon or nemenyi`)
}

// TestDrawn: a figure of more than twenty methods has the twelve best and the reader's own, on the axis of all ranks.
func TestDrawn(t *testing.T) {
	table := frame.Table{Own: []string{"M25"}}
	var order []int
	var rows []store.Row
	for m := range 30 {
		table.Methods, order = append(table.Methods, fmt.Sprintf("M%02d", m)), append(order, m)
		for i := range 8 {
			rows = append(rows, sample.OK(fmt.Sprint("s", i), table.Methods[m], 1, 90-m, 100))
		}
	}
	shown, said := table.Drawn(order)
	must.Be(t, shown, append(order[:12:12], 25))
	must.Be(t, said, "the 12 best of 30 methods and those of one's own")
	shown, said = table.Drawn(order[:20])
	must.Be(t, shown, order[:20])
	must.Be(t, said, "")

	figure := sample.Build(t, named("cd"), sample.Of(1, rows...)).Blocks[0].(doc.Figure)
	must.Be(t, figure.About, "A bar joins methods without a significant difference; the 12 best of 30 methods")
	must.Be(t, len(figure.Numbers.Sections[0]), 30)
	drawn := fmt.Sprint(figure.Plot(doc.PageWidth).Marks)
	must.Be(t, []bool{strings.Contains(drawn, "M11"), strings.Contains(drawn, "M12")}, []bool{true, false})
}

// Two methods share a letter just if their ranks differ by less than the critical difference, and every bar that is
// drawn joins methods of one letter.
func TestLetters(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var rows []store.Row
		methods := rapid.IntRange(2, 20).Draw(r, "methods") // which are drawn all
		for i := range rapid.IntRange(3, 20).Draw(r, "sets") {
			for m := range methods {
				correct := 3*m/2 + rapid.IntRange(30, 42).Draw(r, "correct")
				rows = append(rows, sample.OK(fmt.Sprint("s", i), fmt.Sprintf("M%02d", m), 1, correct, 100))
			}
		}
		d := sample.Build(t, named("cd"), sample.Of(1, rows...), asked("", compare.Nemenyi)...)
		figure := d.Blocks[0].(doc.Figure)
		letters := map[rune]bool{}
		records := sample.Records(t, d, "cd")
		for _, a := range records {
			for _, l := range a["bars"].(string) {
				letters[l] = true
			}
			for _, b := range records {
				near := math.Abs(a["rank"].(float64)-b["rank"].(float64)) < a["critical_difference"].(float64)
				if a["method"] != b["method"] && near != strings.ContainsAny(a["bars"].(string), b["bars"].(string)) {
					r.Fatalf("%v and %v", a, b)
				}
			}
		}
		bars := 0
		for _, m := range figure.Plot(doc.PageWidth).Marks {
			if m.Role == doc.Strong {
				bars++
			}
		}
		if len(letters) > 0 {
			bars-- // of the legend
		}
		must.Be(r, bars, len(letters))
	})
}

// The printed table of 2020 as its own results: the best is GBRFF2 with 2.17, and with 15 sets and six methods the
// critical difference is 2.850 sqrt(6*7/(6*15)) = 1.947 (Demsar 2006, Table 5a).
func TestPublishedTable(t *testing.T) {
	d := sample.Build(t, named("cd"), sample.Printed(), asked("", compare.Nemenyi)...)
	first := sample.Records(t, d, "cd")[0]
	must.Be(t, first["method"], "GBRFF2", "first row")
	must.Near(t, first["rank"].(float64), 2.17, 0.005, "first row")
	must.Near(t, first["critical_difference"].(float64), 1.947, 0.0005, "first row")
}

// With 75 methods in one order on a hundred sets there are more bars than letters: z is followed by aa, and az by ba.
func TestLetterNames(t *testing.T) {
	var rows []store.Row
	for i := range 100 {
		for m := range 75 {
			rows = append(rows, sample.OK(fmt.Sprint("s", i), fmt.Sprintf("M%02d", m), 1, 90-m, 100))
		}
	}
	records := sample.Records(t, sample.Build(t, named("cd"), sample.Of(1, rows...), asked("", compare.Nemenyi)...),
		"cd")
	for place, want := range map[int]string{0: "a", 26: "xyzaa", 52: "axayazba"} {
		if bars := records[place]["bars"].(string); !strings.HasSuffix(bars, want) {
			t.Errorf("the method at place %d is on bars %s", place, bars)
		}
	}
}
