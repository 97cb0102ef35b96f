package reports_test

import (
	"math"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"github.com/kernelboosting/bench/reports/table"
)

func of(t *testing.T, in sample.Input) *table.Comparison {
	t.Helper()
	results := must.Get(in.Frame(t).Table(""))(t)
	return table.ComparePrinted(&results, 0.05)
}

// By hand, for 985 of 1000 right with 20 splits that differ by up to 4 rows: our s.d. with divisor n-1 is 0.2902
// and the printed one 1.6 * sqrt(20/19) = 1.6416, so the error is sqrt((0.0842 + 2.6947) / 20) = 0.37276; t_0.975
// with 20.2 degrees of freedom is 2.0846: 0.77706, and 0.05 for the rounding.
func TestPrintedByHand(t *testing.T) {
	in := sample.Input{Known: map[string]sample.Set{"wine": {}}}
	in.Protocol.Published, in.Protocol.Splits, in.Protocol.Datasets = sample.Published, 20, []string{"wine"}
	for split := 1; split <= 20; split++ {
		in.Rows = append(in.Rows, sample.OK("wine", "GBRFF2", split, 985+2*(split%5-2), 1000),
			sample.OK("wine", "Unprinted", split, 985, 1000))
	}
	c := of(t, in)
	cell := c.At("wine", "GBRFF2")
	if len(c.Cells) != 1 || cell == nil || cell.Verdict != table.Alike || cell.Difference.Sign() != 0 ||
		math.Abs(cell.Interval.High-0.82706) > 1e-4 || cell.Interval.Low != -cell.Interval.High {
		t.Fatalf("%+v", cell)
	}
	must.Be(t, c.Summary(), "Of 1 mean that gautheron2020-table2 prints, ours are practically equivalent on 1, higher "+
		"on 0, lower on 0, and the results are inconclusive on 0.")
	must.Hold(t, strings.Join(c.Legend(), " "), "by Holm for 1 cell;")
}

// A printed standard error is that of the mean, whatever the number of splits: 0.06 of RKS on adult, with t_0.975 of
// 19 degrees of freedom 2.0930, is 0.1256 to either side, and 0.005 for the rounding.
func TestPrintedStandardError(t *testing.T) {
	in := sample.Input{Known: map[string]sample.Set{"adult": {}}}
	in.Protocol.Published, in.Protocol.Splits, in.Protocol.Datasets = "shahrampour2018-table2-error", 20,
		[]string{"adult"}
	for split := 1; split <= 20; split++ {
		in.Rows = append(in.Rows, sample.OK("adult", "RKS", split, 823, 1000))
	}
	results := must.Get(in.Frame(t).Table("error"))(t)
	cell := table.ComparePrinted(&results, 0.05).At("adult", "RKS")
	if cell == nil || cell.Difference.Sign() != 0 || math.Abs(cell.Interval.High-0.1306) > 1e-3 {
		t.Errorf("%+v", cell)
	}
}

// Single runs have a difference and no interval; a table without a source has no comparison.
func TestWithoutInterval(t *testing.T) {
	for _, c := range of(t, sample.Printed()).Cells {
		if c.Verdict != table.Bare || c.Tested() || !math.IsNaN(c.Interval.Low) || c.Difference.Sign() != 0 {
			t.Fatalf("one split has %+v", c)
		}
	}
	c := of(t, sample.Printed())
	if got := c.Summary(); !strings.Contains(got, " prints, none is tested: ") || c.Legend() != nil {
		t.Errorf("without a test: %s %v", got, c.Legend())
	}
	if c := of(t, sample.Small()); c != nil || c.At("tie", "A_1") != nil {
		t.Errorf("a table without a source has %+v", c)
	}
}
