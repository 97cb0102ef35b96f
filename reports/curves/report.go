package curves

import (
	"github.com/kernelboosting/bench/reports/report"
)

// Report shows results as more is spent.
func Report() report.Report {
	return report.Report{
		Name:    "curves",
		Summary: "Average ranks as splits are added, and the metric after each round",
		Long: `curves draws average ranks of the means over the first 1, 2, 3 and so on splits: does
the order of the methods still change? Where the protocol lists rounds, it also draws
the metric after each of them, set by set; report curve draws that for any
method and set, and results by the number of training rows.`,
		Example: `  bench report curves
  bench report curves --protocol mfga.toml --datasets adult`,
		Flags: report.Plain(Build),
	}
}
