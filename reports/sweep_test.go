package reports_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/curves"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// input is a sweep of two methods over two sets and two values, with two splits: the accuracy of A is 70, 80 and
// that of B 60, 90 on the first set, ten more on the second, one more at the second split; times are x^2 seconds,
// twice that of B; A declares 7x.
func sweepInput() sample.Input {
	in := sample.Input{Known: map[string]sample.Set{"s": {}, "r": {}}}
	in.Protocol.Splits, in.Protocol.Datasets = 2, []string{"s", "r"}
	in.Protocol.Sweep.Name = "landmarks"
	for _, m := range []string{"A", "B"} {
		for i, x := range []int{1, 10} {
			method := fmt.Sprintf("%s landmarks=%d", m, x)
			in.Protocol.Sweep.Points = append(in.Protocol.Sweep.Points,
				frame.Point{Series: m, Value: float64(x), Method: method})
			for split := 1; split <= 2; split++ {
				for k, set := range in.Protocol.Datasets {
					correct, seconds := 70+10*i, float64(x*x)
					if m == "B" {
						correct, seconds = 60+30*i, 2*seconds
					}
					r := sample.OK(set, method, split, min(99, correct+10*k)+split-1, 100)
					r.CPUSeconds, r.Environment = &seconds, &result.Environment{CPU: "one"}
					if m == "A" {
						r.CostUnits = 7 * float64(x)
					}
					in.Rows = append(in.Rows, r)
				}
			}
		}
	}
	return in
}

// table is the text of the numbers behind a document's n-th figure.
func sweepTable(d doc.Document, n int) string {
	var figures []doc.Figure
	for _, b := range d.Blocks {
		if f, ok := b.(doc.Figure); ok {
			figures = append(figures, f)
		}
	}
	return text(*figures[n].Numbers)
}

// By hand: means over splits and then over sets; medians of times.
func TestSweepByHand(t *testing.T) {
	in := sweepInput()
	in.Protocol.Sweep.Printed = []experiments.Point{{Series: "B", At: 10, Value: 95}}
	must.Be(t, sweepTable(sample.Build(t, named("sweep"), in), 0), "A 75.50 85.50; B 65.50 95.00; B, printed - 95",
		"means")
	in.Protocol.Sweep.Printed = nil
	d := sample.Build(t, named("sweep"), in, "--times")
	must.Be(t, sweepTable(d, 0), "A 1.000 100.000; B 2.000 200.000", "times")
	var powers string
	for _, b := range d.Blocks {
		if s, ok := b.(doc.Table); ok && s.Heading != "" {
			powers = text(s)
		}
	}
	must.Be(t, powers, "A 2.00 2.00 2.00 1.00 1 10; B 2.00 2.00 2.00 - 1 10", "powers")
	must.Be(t, sweepTable(sample.Build(t, named("sweep"), in, "--bars"), 0),
		"A 75.50 85.50; B 65.50 95.00; sets won 2:0 0:2", "bars")
	each := sample.Build(t, named("sweep"), in, "--each")
	must.Be(t, sweepTable(each, 1), "A 80.50 90.50; B 70.50 99.50", "the second set has")
	if r := sample.Records(t, each, "sweep"); len(r) != 16 || r[0]["series"] != "A" || r[0]["value"] != 1.0 ||
		r[0]["result"] != 70.0 {
		t.Errorf("%d records, the first %v", len(r), r[0])
	}
}

// A set that lacks a point counts nowhere, and is named.
func TestSetsWithoutAPointAreLeftOut(t *testing.T) {
	in := sweepInput()
	in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool {
		return r.Dataset == "r" && r.Method == "B landmarks=1"
	})
	d := sample.Build(t, named("sweep"), in)
	must.Be(t, sweepTable(d, 0), "A 70.50 80.50; B 60.50 90.50")
	must.Hold(t, strings.Join(d.Notes, " "), "no run there: r.")
}

// Times of two processors are not mixed: those of the processor with more runs count.
func TestOneProcessor(t *testing.T) {
	in := sweepInput()
	for i := range in.Rows {
		if r := &in.Rows[i]; r.Split == 2 && r.Method == "A landmarks=1" {
			r.Environment = &result.Environment{CPU: "another"}
			r.CPUSeconds = new(1e6)
		}
	}
	must.Be(t, sweepTable(sample.Build(t, named("sweep"), in, "--times"), 0), "A 1.000 100.000; B 2.000 200.000")
}

// A repetition that took much longer than the others is named.
func TestOutlier(t *testing.T) {
	in := sweepInput()
	for split := 3; split <= 5; split++ {
		for _, r := range slices.Clone(in.Rows) {
			if r.Split == 1 {
				r.Split = split
				in.Rows = append(in.Rows, r)
			}
		}
	}
	must.Lack(t, strings.Join(sample.Build(t, named("sweep"), in, "--times").Notes, " "), "outlier")
	for i := range in.Rows {
		if r := &in.Rows[i]; r.Method == "B landmarks=10" && r.Split == 4 {
			r.CPUSeconds = new(2 * *r.CPUSeconds)
		}
	}
	must.Hold(t, strings.Join(sample.Build(t, named("sweep"), in, "--times").Notes, " "),
		"of B at 10 the longest time is 2.0 times the median")
}

func TestNothingIsSwept(t *testing.T) {
	in := sweepInput()
	in.Protocol.Sweep = frame.Sweep{}
	must.Say(t, must.Err(sample.Make(t, named("sweep"), in)), "sweeps nothing")
}

// Where fewer rows are learned from, the ratio is that of the split: 200 rows of which 100 are tested have 100 to
// learn from, of which 10 are taken at the second value.
func TestRatioOfFewerRows(t *testing.T) {
	in := sweepInput()
	in.Known["s"] = sample.Set{Entry: catalogue.Entry{Rows: 200}}
	for i := range in.Rows {
		in.Rows[i].TrainRows = 100
		if strings.HasSuffix(in.Rows[i].Method, "=10") {
			in.Rows[i].TrainRows = 10
		}
	}
	f := in.Frame(t)
	table := must.Get(f.Table(""))(t)
	l := curves.LinesOf(&table, f.Protocol.Sweep)
	must.Be(t, l.Ratio("A", 10, "s"), 1, "the ratios are")
	must.Be(t, l.Ratio("A", 1, "s"), 1, "the ratios are")
	must.Be(t, l.Ratio("A", 10, "r"), 10, "the ratios are")
}
