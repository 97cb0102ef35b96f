package grid

import (
	"github.com/kernelboosting/bench/reports/report"
)

// Report shows what was chosen.
func Report() report.Report {
	return report.Report{
		Name: "grid", Folds: true,
		Summary: "Which grid points were chosen, and where the choice sits on the grid's edge",
		Long: `grid counts how often each value of each parameter was chosen on each set, names the
sets whose choice sits on an edge of the grid, where a wider grid might do better, and
sets the folds' results of the chosen points beside those of the test rows.`,
		Example: `  bench report grid
  bench report grid --methods GBRFF2 --datasets sonar`,
		Flags: report.Plain(Build),
	}
}
