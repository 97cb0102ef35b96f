package ranks

import (
	"github.com/kernelboosting/bench/reports/report"
)

// Report is the page of average ranks.
func Report() report.Report {
	return report.Report{
		Name:    "ranks",
		Summary: "Average ranks of the methods, with their spread over splits",
		Long: `ranks places the methods that have every counted data set, in the conventions of
report accuracy, and ranks every split by itself to show how far a place depends on
the splits.`,
		Example: `  bench report ranks
  bench report ranks --metric mcc --format csv`,
		Flags: report.Plain(Build),
	}
}
