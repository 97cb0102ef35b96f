package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// A method that the source does not print takes no columns of the comparison and changes none of its
// ranks, wherever it is in the table and whether or not it is complete.
func TestOtherMethodsLeaveTheComparisonAlone(t *testing.T) {
	alone := newTable(t, sample.Printed(), "", Options{}).comparison
	if len(alone.counted) != 15 || len(alone.unprinted) != 0 {
		t.Fatalf("the paper's own methods: ranks over %v, unprinted %v", alone.counted, alone.unprinted)
	}
	for _, whole := range []bool{false, true} {
		for place := range 3 {
			in := sample.Printed()
			methods := slices.Insert(slices.Clone(sample.Methods), 3*place, "CART")
			in.Protocol.Order = func([]string) []string { return methods }
			for _, r := range in.Rows {
				if r.Method == "LGBM" && (whole || r.Dataset == "wine") {
					r.Method = "CART"
					in.Rows = append(in.Rows, r)
				}
			}
			tab := newTable(t, in, "", Options{})
			c := tab.comparison
			for name, pair := range map[string][2]string{
				"sets":       {fmt.Sprint(alone.counted), fmt.Sprint(c.counted)},
				"methods":    {methodsOf(alone), methodsOf(c)},
				"published":  {fmt.Sprint(alone.midRanks), fmt.Sprint(c.midRanks)},
				"ours":       {fmt.Sprint(alone.ourMidRanks), fmt.Sprint(c.ourMidRanks)},
				"convention": {fmt.Sprint(alone.ourPaperRanks), fmt.Sprint(c.ourPaperRanks)},
				"left out":   {"[CART]", fmt.Sprint(c.unprinted)},
			} {
				must.Be(t, pair[0], pair[1], "CART in column", 3*place+1, name)
			}
			table := c.table(1, metric.Metric{Title: "accuracy", Percent: true})
			must.Hold(t, strings.Join(table.Legend, " "), "prints no value of them for these data sets: CART.")
			must.Hold(t, fmt.Sprint(table.Sections[0]), "GFC on wine, "+sample.Published+": 99.3 ± 1.1")
			must.Be(t, slices.ContainsFunc(table.Head, func(c doc.Column) bool { return c.Group == "CART" }), false,
				"CART has columns in the comparison")
			for _, row := range tab.cellRecords().Rows {
				printed := row[len(row)-3:]
				if row[1] == "wine" && row[7] == "GFC" && (printed[0] != 99.3 || *printed[1].(*float64) != 1.1 ||
					printed[2] != 0.0) {
					t.Errorf("GFC on wine is printed as 99.3 ± 1.1; the row is %v", row)
				}
				if row[7] == "CART" && !slices.Equal(printed, []any{nil, nil, nil}) {
					t.Errorf("CART has published values: %v", row)
				}
			}
			for i, x := range tab.publishedRow(tab.Sets[0]) { // wine
				if m := tab.Methods[i]; (m == "CART") != (x != x) || m == "GFC" && x != 99.3 {
					t.Errorf("the strip of wine has %v in the line of %s", x, m)
				}
			}
		}
	}
}

func methodsOf(c *comparison) string {
	var out []string
	for i, m := range c.methods {
		out = append(out, fmt.Sprintf("%s %d %s %v", m.method, m.n, m.average, *c.printed[i]))
	}
	return strings.Join(out, ", ")
}

// Ranks need the same splits on our side, so that a partial method has none; one method has nobody to be ranked
// with, and printed ranks are among all methods that the source ranks.
func TestComparisonRanksNeedPeers(t *testing.T) {
	in := sample.Printed()
	in.Protocol.Splits = 2
	i := slices.IndexFunc(in.Rows, func(r store.Row) bool { return r.Dataset == "wine" && r.Method == "GFC" })
	in.Rows[i].Split = 2
	c := newTable(t, in, "", Options{}).comparison
	if len(c.counted) != 15 || c.ranked != 5 || len(c.midRanks) != 5 || c.methods[5].method != "GFC" {
		t.Errorf("ranks of %d methods over %v, last %v: GFC finished another split of wine", c.ranked, c.counted,
			c.methods[5])
	}
	for _, row := range c.table(2, metric.Metric{Title: "accuracy", Percent: true}).Sections[1] {
		if row.Name == "Average rank" && row.Entries[15].Text != "-" {
			t.Errorf("GFC has the rank %v", row.Entries[15:])
		}
	}
	in = sample.Printed()
	in.Methods = []string{"GFC"}
	if c := newTable(t, in, "", Options{}).comparison; c.midRanks != nil || c.ourPaperRanks != nil ||
		len(c.methods) != 1 || c.printed != nil {
		t.Errorf("a single method has ranks %v, %v, %v; methods %v", c.midRanks, c.ourPaperRanks, c.printed, c.methods)
	}
	in = sample.Printed()
	if c := newTable(t, in, "", Options{}).comparison; len(c.printed) != 6 {
		t.Errorf("with all of the paper's methods the printed ranks are %v", c.printed)
	}
	methods := sample.Methods[:5]
	in.Protocol.Order = func([]string) []string { return methods }
	if c := newTable(t, in, "", Options{}).comparison; c.printed != nil {
		t.Errorf("with five of its six methods the printed ranks are %v, which are among six", c.printed)
	}
	in = sample.Printed()
	in.Datasets = []string{"wine", "sonar"}
	if c := newTable(t, in, "", Options{}).comparison; c.printed != nil || len(c.counted) != 2 {
		t.Errorf("with two of its sets the printed ranks are %v; ours are over %v", c.printed, c.counted)
	}
}

// What the source prints and the table does not show is noted, what was not asked for is not.
func TestUnusedValues(t *testing.T) {
	in := sample.Printed()
	methods := sample.Methods[:5]
	in.Protocol.Order = func([]string) []string { return methods }
	in.Protocol.Datasets = in.Protocol.Datasets[1:]
	in.Rows = in.Rows[6:]
	want := sample.Published + " also prints values of data sets wine and of methods GBRFF2, which this table does " +
		"not hold."
	if tab := newTable(t, in, "", Options{}); !slices.Equal(tab.unused, []string{want}) {
		t.Errorf("notes %q, want %q", tab.unused, want)
	}
	in = sample.Printed()
	in.Datasets, in.Methods = []string{"wine"}, []string{"GFC"}
	if tab := newTable(t, in, "", Options{}); tab.unused != nil {
		t.Errorf("notes %q on what was not asked for", tab.unused)
	}
	want = sample.Published + " prints: percent of correct labels. This is another metric or another unit than " +
		"here, so there is no comparison."
	if tab := newTable(t, sample.Printed(), "error", Options{}); !slices.Equal(
		tab.unused, []string{want}) || tab.comparison != nil {
		t.Errorf("notes %q, want %q", tab.unused, want)
	}
	if tab := newTable(t, sample.Printed(), "", Options{OmitPublished: true}); tab.unused != nil ||
		tab.comparison != nil {
		t.Errorf("a comparison although it is left out, notes %q", tab.unused)
	}
}
