package cd

import (
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/report"
)

// Report is the diagram of critical differences.
func Report() report.Report {
	return report.Report{
		Name:    "cd",
		Summary: "Diagram of critical differences: average ranks, and bars that join what is not told apart",
		Long: `cd draws the methods on an axis of average ranks and joins those that are not told
apart: by Wilcoxon's test, adjusted for each method with each, as everywhere, or with
--test nemenyi by the critical difference of average ranks. Many methods stand in a
list. With --methods the ranks are those among these methods.`,
		Example: `  bench report cd
  bench report cd -o cd.pdf --width column
  bench report cd --format tikz -o cd.tex
  bench report cd --methods BMKR,GFC,PBRFF,GBRFF1,LGBM,GBRFF2 --level 0.1`,
		Flags: func(flags report.Flags) report.Build {
			var o Options
			report.Usual(flags, &o.Metric, &o.Title, &o.Label)
			report.LevelFlag(flags, &o.Level)
			var control string
			flags.StringVar(&control, "control", "", "join only what is not told apart from this method, which you named before you looked (default each with each)")
			flags.StringVar(&o.Test, "test", Wilcoxon, "what tells methods apart: wilcoxon, as in bench compare, or nemenyi, by average ranks")
			return func(f frame.Frame, _ []string) (doc.Document, error) {
				if o.Control = control; control != "" {
					var err error
					if o.Control, err = f.Method(control, f.Rows); err != nil {
						return doc.Document{}, err
					}
				}
				return Build(f, o)
			}
		},
	}
}
