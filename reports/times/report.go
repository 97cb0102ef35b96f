package times

import (
	"github.com/kernelboosting/bench/reports/report"
)

// Report sets processor times beside a metric.
func Report() report.Report {
	return report.Report{
		Name:    "times",
		Summary: "What methods cost beside how good they are, and which are on the front",
		Long: `times draws the mean of a metric against the processor time of a cell (a split with its
whole search over the grid) and marks the front: methods that no other one beats in
both. Lines show the quartiles of times over splits and an interval of the mean over
data sets, and resampled sets say how sure the front is. Below stand the times by set.
Times of different processors are not mixed.`,
		Example: `  bench report times
  bench report times --methods GBRFF2,LGBM,XGB -o times.svg`,
		Flags: report.Plain(Build),
	}
}
