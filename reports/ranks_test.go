package reports_test

import (
	"errors"
	"fmt"
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

// By hand, from the counted sets of sample.Small. tie, by split: A_1 70 80 90, B 90 80 70, C 80 80 70;
// clear: A_1 75 87.5, B 100 100, C 62.5 75. Both sets have splits 1 and 2.
//
// Mid-ranks of split 1: tie 3 1 2, clear 2 1 3, on average 2.5 1 2.5. Split 2: tie 2 2 2, clear 2 1 3,
// on average 2 1.5 2.5. In the paper's convention split 1 is tie 3 1 2, clear 2 1 3 and the means 72.5
// 95 71.25 2 1 3, on average 7/3 1 8/3; split 2 is tie 3 2 1, clear 2 1 3 and the means 83.75 90 77.5
// 2 1 3, on average 7/3 4/3 7/3.
func TestSmallByHand(t *testing.T) {
	in := sample.Small()
	for _, b := range sample.Build(t, named("ranks"), in).Blocks {
		if table, ok := b.(doc.Table); ok && table.Label == "paper" {
			t.Error("a protocol without a paper has the paper's ranks")
		}
	}
	in.Protocol.Published = sample.Published
	must.Be(t, len(sample.Records(t, sample.Build(t, named("ranks"), in), "ranks")), 3,
		"methods that the paper does not rank have its ranks")
	in.Protocol.Order = func([]string) []string { return []string{"GBRFF1", "GBRFF2", "LGBM"} }
	for i, r := range in.Rows {
		in.Rows[i].Method = map[string]string{"A_1": "GBRFF1", "B&<b>": "GBRFF2", "C|%": "LGBM"}[r.Method]
	}
	d := sample.Build(t, named("ranks"), in)
	must.Be(t, text(d.Blocks[0].(doc.Table)), "GBRFF2 1.25* 1.25 0.35 1.00 1.13 1.25 1.38 1.50; GBRFF1 1.75 2.25 0.35 "+
		"2.00 2.13 2.25 2.38 2.50; LGBM 3.00 2.50 0.00 2.50 2.50 2.50 2.50 2.50", "mid-ranks")
	must.Be(t, text(d.Blocks[1].(doc.Table)), "GBRFF2 1.00* 1.17 0.24 1.00 1.08 1.17 1.25 1.33; GBRFF1 2.00 2.33 0.00 "+
		"2.33 2.33 2.33 2.33 2.33; LGBM 3.00 2.50 0.24 2.33 2.42 2.50 2.58 2.67", "the paper's ranks")
	must.Be(t, d.Title, "Average ranks by mean test accuracy over 2 data sets, protocol table2", "title")
	must.Hold(t, strings.Join(d.Blocks[0].(doc.Table).Legend, " "), "in each of 2 splits")
}

// By hand from sample.Small: tie and clear are of all methods; uneven is compared over the three splits of A_1,
// which B and C lack. Whole methods, that are all: 1.75, 1.25, 3. Missing last: uneven 1, 2.5, 2.5, so (3.5+1)/3,
// (2.5+2.5)/3, (6+2.5)/3. In the middle: uneven 2, 2, 2; (3.5+2)/3, (2.5+2)/3, 8/3.
func TestMissingByHand(t *testing.T) {
	in := sample.Small()
	d := sample.Build(t, named("ranks"), in)
	var got []string
	for _, r := range sample.Records(t, d, "missing_policies") {
		got = append(got, fmt.Sprint(r["policy"], " ", r["method"], " ", r["datasets"], " ", r["exact"]))
	}
	want := []string{"whole methods A_1 2 7/4", "whole methods B&<b> 2 5/4", "whole methods C|% 2 3",
		"missing last A_1 3 3/2", "missing last B&<b> 3 5/3",
		"missing last C|% 3 17/6", "missing middle A_1 3 11/6", "missing middle B&<b> 3 3/2",
		"missing middle C|% 3 8/3"}
	must.Be(t, got, want)
	for _, b := range sample.Build(t, named("ranks"), sample.Sixteen()).Blocks {
		if r, ok := b.(doc.Records); ok && r.Name == "missing_policies" {
			t.Error("a whole table has policies for missing cells")
		}
	}
}

// Whatever the results: the mean over splits of all methods' ranks is (k+1)/2, the spread encloses the
// mean, and a metric that turns accuracy round gives the same mid-ranks.
func TestRanksProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var rows []store.Row
		methods := []string{"a", "b", "c", "d"}[:rapid.IntRange(1, 4).Draw(rt, "methods")]
		for _, set := range []string{"x", "y"} {
			for _, m := range methods {
				for s := 1; s <= 3; s++ {
					rows = append(rows, sample.OK(set, m, s, rapid.IntRange(0, 5).Draw(rt, "correct"), 5))
				}
			}
		}
		in := sample.Of(3, rows...)
		d := sample.Build(t, named("ranks"), in)
		if turned := sample.Build(t, named("ranks"), in, "--metric", "error"); text(
			turned.Blocks[0].(doc.Table)) != text(d.Blocks[0].(doc.Table)) {
			rt.Fatalf("ranks by error\n%s\nby accuracy\n%s", text(turned.Blocks[0].(doc.Table)),
				text(d.Blocks[0].(doc.Table)))
		}
		records := d.Blocks[slices.IndexFunc(d.Blocks, func(b doc.Block) bool {
			_, ok := b.(doc.Records)
			return ok
		})].(doc.Records)
		column := func(row []any, name string) float64 { return row[slices.Index(records.Columns, name)].(float64) }
		sums := map[any]float64{}
		for _, row := range records.Rows {
			sums[row[1]] += column(row, "mean")
			low, mean, high := column(row, "min"), column(row, "mean"), column(row, "max")
			if low > mean+1e-12 || mean > high+1e-12 || column(row, "lower_quartile") > column(row, "median") {
				rt.Fatalf("spread of %v", row)
			}
		}
		k := float64(len(methods))
		for convention, sum := range sums {
			must.Near(rt, sum, k*(k+1)/2, 1e-9, convention, k)
		}
	})
}

func TestErrors(t *testing.T) {
	in := sample.Small()
	in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool {
		return r.Method == "A_1" && r.Status == result.OK && r.Dataset != "uneven"
	})
	in.Methods = []string{"A_1", "B&<b>"}
	if _, err := sample.Make(t, named("ranks"), in); !errors.Is(err, frame.ErrNoResults) ||
		!strings.Contains(err.Error(), "--methods") {
		t.Errorf("no complete set: error %v", err)
	}
	in.Rows = nil
	if _, err := sample.Make(t, named("ranks"), in); !errors.Is(err, frame.ErrNoResults) {
		t.Errorf("no row: error %v", err)
	}
}
