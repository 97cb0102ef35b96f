package pairs

import (
	"github.com/kernelboosting/bench/reports/report"
)

// Report sets methods beside one another, two at a time.
func Report() report.Report {
	return report.Report{
		Name:    "pairs",
		Summary: "Data sets won, tied and lost between any two methods, and scatters of their means",
		Long: `pairs counts for any two methods the data sets won, tied and lost by mean, and draws
the means of one against the other's, a dot a data set.`,
		Example: `  bench report pairs
  bench report pairs --methods GBRFF2,LGBM -o figs/`,
		Flags: report.Plain(Build),
	}
}
