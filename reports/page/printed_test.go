package page

import (
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// The verdicts follow from the interval and the adjusted test. Our mean of GFC on sonar is far above the printed one.
// Our mean of GBRFF2 on wine is equal to it.
func TestPrinted(t *testing.T) {
	in := sample.Input{Known: map[string]sample.Set{"sonar": {}, "wine": {}}}
	in.Protocol.Published, in.Protocol.Splits, in.Protocol.Datasets = sample.Published, 20, []string{"sonar", "wine"}
	for split := 1; split <= 20; split++ {
		wave := split%5 - 2
		in.Rows = append(in.Rows,
			sample.OK("sonar", "GFC", split, 900+2*wave, 1000),    // printed 76.6 ± 3.2
			sample.OK("sonar", "GBRFF2", split, 700+2*wave, 1000), // printed 83.0 ± 5.0
			sample.OK("sonar", "LGBM", split, 830+20*wave, 1000),  // printed 82.4 ± 4.3
			sample.OK("wine", "GBRFF2", split, 985+2*wave, 1000),  // printed 98.5 ± 1.6
			sample.OK("wine", "Unprinted", split, 985+wave, 1000))
	}
	p := built(t, in, Options{})
	got := map[string]string{}
	for _, b := range p.Printed.Blocks {
		for _, r := range b.Rows {
			for i, c := range r.Cells {
				if c != nil {
					got[b.Methods[i]+" on "+r.Set] = c.Difference + " " + c.Verdict
				}
			}
		}
	}
	for cell, want := range map[string]string{"GFC on sonar": "+13.4 ours higher",
		"GBRFF2 on sonar": "−13.0 ours lower", "LGBM on sonar": "+0.6 inconclusive",
		"GBRFF2 on wine": "0.0 practically equivalent"} {
		must.Be(t, got[cell], want)
	}
	if len(got) != 4 || !strings.HasPrefix(p.Printed.Summary[0],
		"Of 4 means that gautheron2020-table2 prints, ours are practically equivalent on 1, higher on 1, lower on "+
			"1, and the results are inconclusive on 1.") {
		t.Errorf("cells %v, summary %q", got, p.Printed.Summary)
	}
}
