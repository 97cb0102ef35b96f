package tests

import (
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/report"
)

// Report is the page of significance tests over data sets.
func Report() report.Report {
	return report.Report{
		Name:    "tests",
		Summary: "Tests over data sets: do the methods rank alike, and which pairs differ?",
		Long: `tests asks whether the methods rank alike over the data sets (Friedman's test by
permutations, right for any number of data sets) and which pairs differ, by the same
test and the same adjustment as bench compare. With --control only the pairs with
that method are tested and adjusted for. Among the details are the classical tests:
Iman and Davenport, Quade, and pairs by average ranks.`,
		Example: `  bench report tests
  bench report tests --control GBRFF2
  bench report tests --methods GBRFF2,LGBM,XGB --format latex`,
		Flags: func(flags report.Flags) report.Build {
			var o Options
			var control string
			report.Usual(flags, &o.Metric, &o.Title, &o.Label)
			report.LevelFlag(flags, &o.Level)
			region := report.RegionFlag(flags)
			flags.StringVar(&control, "control", "", "compare the others with this method alone (default each with each)")
			return func(f frame.Frame, _ []string) (doc.Document, error) {
				var err error
				if o.Control = control; control != "" {
					if o.Control, err = f.Method(control, f.Rows); err != nil {
						return doc.Document{}, err
					}
				}
				if o.Region, err = region(); err != nil {
					return doc.Document{}, err
				}
				return Build(f, o)
			}
		},
	}
}
