package compare

import (
	"errors"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/report"
)

// Report is the page on one method.
func Report() report.Report {
	return report.Report{
		Name: "compare", Verb: true, Args: "METHOD [OTHER...]",
		Summary: "Is a method better than others, and how sure is that?",
		Long: `compare sets one method beside others, all that are stored if none is named. First
stands the verdict: what is found over data sets, how large the difference is with
an interval, and on how many sets the method is ahead. With one other method every
data set follows; --details shows them for several, with probabilities, forecasts
and what so many data sets can find.

All p-values of the page are adjusted together, so that at most one page in twenty
(--level 0.05) says better or worse where there is no difference. Splits of a set
are never counted as data sets.

--equivalence is the difference that does not matter to you: in the unit of the
table, or as a share of the error with a percent sign. A difference within it is
smaller than what matters, and neither better nor worse.`,
		Example: `  bench compare GBRFF2
  bench compare GBRFF2 LGBM
  bench compare MyBoost@1 MyBoost@2
  bench compare MyBoost LGBM XGB --equivalence 0.5 -o myboost.html
  bench compare MyBoost LGBM --equivalence 10%`,
		Select: func(args []string, s *report.Selection) error {
			if len(args) == 0 {
				return errors.New("name the method in question, then those to set it beside, or none for all that are stored")
			}
			if s.Beside = args; len(args) > 1 {
				s.Methods = args
			}
			return nil
		},
		Flags: func(flags report.Flags) report.Build {
			var o Options
			report.Usual(flags, &o.Metric, &o.Title, &o.Label)
			report.LevelFlag(flags, &o.Level)
			flags.Float64Var(&o.Power, "power", 0.8, "power for which needed data sets are counted")
			region := report.RegionFlag(flags)
			return func(f frame.Frame, args []string) (doc.Document, error) {
				var err error
				if o.Method, err = f.Method(args[0], f.Rows); err != nil {
					return doc.Document{}, err
				}
				if o.Region, err = region(); err != nil {
					return doc.Document{}, err
				}
				return Build(f, o)
			}
		},
	}
}
