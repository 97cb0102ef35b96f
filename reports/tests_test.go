package reports_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"pgregory.net/rapid"
)

// records are the pairs of a document by their two methods.
func records(t testing.TB, d doc.Document) map[string]map[string]any {
	out := map[string]map[string]any{}
	for _, row := range sample.Records(t, d, "pairs") {
		pair := []string{row["a"].(string), row["b"].(string)}
		slices.Sort(pair)
		out[strings.Join(pair, " ")] = row
	}
	return out
}

// Three methods on two sets of sample.Small, ranks by hand: A_1 1.75, B 1.25, C 3 (see TestSmallByHand). Friedman,
// with one tie of two: 12*2/(3*4) (1.75^2 + 1.25^2 + 3^2 - 12) = 3.25, over 1 - 6/(2*24) is 3.714. Of the six
// orders of a row with the other one fixed those with the squares 3.5^2 + 2.5^2 + 6^2 = 54.5 or more are one in three.
func TestTestsByHand(t *testing.T) {
	d := sample.Build(t, named("tests"), sample.Small())
	omnibus := d.Blocks[2].(doc.Table).Sections[0]
	must.Be(t, len(omnibus), 1)
	must.Be(t, omnibus[0].Entries[0].Text+" "+omnibus[0].Entries[2].Text, "3.714 0.333")
	var lines []string
	for _, r := range sample.Records(t, d, "pairs") {
		lines = append(lines, fmt.Sprintf("%s - %s %.2f", r["a"], r["b"], r["rank_difference"]))
	}
	slices.Sort(lines)
	must.Be(t, strings.Join(lines, "; "), "A_1 - C|% -1.25; B&<b> - A_1 -0.50; B&<b> - C|% -1.75", "pairs")
	verdict := d.Blocks[0].(doc.Prose).Paragraphs
	want := []string{"Do 3 methods rank alike over 2 data sets? Friedman's test by all arrangements of the ranks: p " +
		"= 0.333.", "No pair is testable: no result of so few data sets can be significant among 3 comparisons of " +
		"each method with each; 7 sets are enough."}
	must.Be(t, verdict, want, "verdict")
}

// Two methods in the same order on three sets: the exact p is 2 / 2^3, where F is infinite and its p is 0.
func TestFewSets(t *testing.T) {
	var rows []store.Row
	for i, name := range []string{"a", "b", "c"} {
		rows = append(rows, sample.OK(name, "A", 1, 90+i, 100), sample.OK(name, "B", 1, 80, 100))
	}
	d := sample.Build(t, named("tests"), sample.Of(1, rows...))
	if got := d.Blocks[0].(doc.Prose).Paragraphs[0]; !strings.HasSuffix(got, "p = 0.250.") {
		t.Errorf("verdict %q", got)
	}
	for _, b := range d.Blocks {
		if table, ok := b.(doc.Table); ok {
			for _, row := range table.Sections[0] {
				for _, e := range row.Entries {
					if e.Best || strings.Contains(e.Text, "infinite") || e.Text == "<0.0001" {
						t.Errorf("%s: %+v", row.Name, e)
					}
				}
			}
		}
	}
}

// The family of a control that leads is each method with each, also where the page says that no pair is testable.
func TestFamilyOfAControl(t *testing.T) {
	in := scores([]string{"A", "B", "C", "D"}, []int{90, 80, 70, 60}, []int{90, 80, 70, 60}, []int{90, 80, 70, 60})
	text := strings.Join(said(sample.Build(t, named("tests"), in, "--control", "A")), " ")
	must.Hold(t, text, "No pair is testable: no result of so few data sets can be significant among 6 comparisons of "+
		"each method with each, as on the leaderboard; ")
}

// Whatever the results: the order of the methods does not matter, and adjusting never makes a p-value smaller.
func TestTestsProperties(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		methods := []string{"A", "B", "C", "D", "E"}[:rapid.IntRange(2, 5).Draw(r, "methods")]
		var rows []store.Row
		for i := range rapid.IntRange(2, 8).Draw(r, "sets") {
			for _, m := range methods {
				rows = append(rows, sample.OK(fmt.Sprint("s", i), m, 1, rapid.IntRange(80, 84).Draw(r, "correct"), 100))
			}
		}
		in := sample.Of(1, rows...)
		d := sample.Build(t, named("tests"), in)
		reversed := in
		reversed.Protocol.Order = func(names []string) []string {
			names = slices.Clone(names)
			slices.Reverse(names)
			return names
		}
		one, other := records(t, d), records(t, sample.Build(t, named("tests"), reversed))
		if len(one) != len(methods)*(len(methods)-1)/2 {
			r.Fatalf("%d pairs of %d methods", len(one), len(methods))
		}
		for pair, row := range one {
			for _, column := range []string{"wilcoxon_p", "adjusted_p"} {
				if v, w := row[column], other[pair][column]; v == nil != (w == nil) || v != nil &&
					math.Abs(v.(float64)-w.(float64)) > 1e-12 {
					r.Fatalf("%s: %v, with the methods reversed %v", pair, row, other[pair])
				}
			}
			if p := row["wilcoxon_p"].(float64); row["adjusted_p"] != nil && row["adjusted_p"].(float64) < p-1e-12 {
				r.Fatalf("%v", row)
			}
		}
	})
}

// A control is compared with each other method, and p-values are adjusted for these comparisons alone.
func TestControl(t *testing.T) {
	d := sample.Build(t, named("tests"), sample.Sixteen(), "--control", "RF")
	pairs := records(t, d)
	if len(pairs) != 15 {
		t.Fatalf("%d pairs with the control, want 15", len(pairs))
	}
	for pair := range pairs {
		must.Hold(t, pair, "RF")
	}
	if all := sample.Build(t, named("tests"), sample.Sixteen()); len(records(t, all)) != 120 {
		t.Errorf("%d pairs of sixteen methods", len(records(t, all)))
	}
	must.Say(t, must.Err(sample.Make(t, named("tests"), sample.Small(), "--control", "RF")),
		"the control RF is not among the methods of the table: A_1")
	must.Say(t, must.Err(sample.Make(t, named("tests"), sample.Small(), "--level", "0")),
		"the level is 0; use a number between 0 and 1")
}
