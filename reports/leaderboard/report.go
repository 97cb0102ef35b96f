package leaderboard

import (
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/report"
)

// Report is who leads.
func Report() report.Report {
	return report.Report{
		Name:    "leaderboard",
		Summary: "Who leads: a row a method, and what is not told apart from the leader",
		Long: `leaderboard puts the methods in the order of their mean gain over the field, which is
the order of their means over data sets. Beside it: an interval over data sets, the
share of wins, the average rank, whether the method is told apart from the leader,
the processor time of a cell, and how many sets it has. Methods that lack sets stand
below, on the sets that they have.

The leader is chosen by the data, so that the tests are adjusted for each method with
each. With --focus the others are compared with that method, which you name before
you look, and the tests are adjusted for it alone.`,
		Example: `  bench report leaderboard
  bench report leaderboard --focus MyBoost
  bench report leaderboard --format latex -o leaders.tex`,
		Flags: func(flags report.Flags) report.Build {
			var o Options
			var method string
			report.Usual(flags, &o.Metric, &o.Title, &o.Label)
			report.LevelFlag(flags, &o.Level)
			region := report.RegionFlag(flags)
			flags.StringVar(&method, "focus", "", "compare the others with this method (default with the leader)")
			return func(f frame.Frame, _ []string) (doc.Document, error) {
				var err error
				if o.Method = method; method != "" {
					if o.Method, err = f.Method(method, f.Rows); err != nil {
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
