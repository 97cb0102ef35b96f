package why

import (
	"errors"

	"github.com/kernelboosting/bench/reports/report"
)

// Report is what stands behind one number.
func Report() report.Report {
	return report.Report{
		Name: "why", Folds: true, Args: "[PROTOCOL] DATASET METHOD",
		Summary: "Everything behind one number: splits, grid points, code, queries",
		Long: `why lists the splits behind one number of a table: counts, the chosen grid point and how
it did in the folds, times, the program and code that computed it; then the commands
and queries that show the rows of a split and compute the cell again.`,
		Example: `  bench report why table2 sonar GBRFF2
  bench report why sonar GBRFF2 --format csv`,
		Select: func(args []string, s *report.Selection) error {
			if len(args) == 3 {
				s.Protocol, args = args[0], args[1:]
			}
			if len(args) != 2 {
				return errors.New("name a data set and a method, as in `bench report why sonar GBRFF2`, with the protocol before them if it is another")
			}
			s.Datasets, s.Methods = args[:1], args[1:]
			return nil
		},
		Flags: report.Plain(Build),
	}
}
