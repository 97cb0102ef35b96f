package accuracy

import (
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/report"
)

// Report is the table of means, with ranks and printed values.
func Report() report.Report {
	return report.Report{
		Name: "accuracy", Aliases: []string{"table2"},
		Summary: "Mean accuracy and standard deviation per data set and method, with average ranks",
		Long: `accuracy prints the table of the paper from what is stored: mean and standard
deviation over the splits, the best in bold with ties decided on integer counts,
the Mean row, and average ranks (mid-ranks over the data sets; where the protocol's
paper prints ranks also the paper's, which ranks the Mean row as one more data set).
Next to it: the published values and the differences. --metric shows another metric
of the same runs. table2 is another name of it.`,
		Example: `  bench report accuracy
  bench report accuracy --format latex -o table2.tex
  bench report accuracy --format html -o report.html --splits 3
  bench report accuracy --metric mcc`,
		Flags: func(flags report.Flags) report.Build {
			var o Options
			report.Usual(flags, &o.Metric, &o.Title, &o.Label)
			flags.StringVar(&o.Std, "std", StdPopulation, "standard deviation: population (as the paper) or sample")
			flags.StringVar(&o.Ranks, "ranks", "", "average ranks: both, midrank or paper (default both where the protocol's paper prints ranks, else midrank)")
			flags.IntVar(&o.Decimals, "decimals", 0, "decimals of means, 1 to 6 (default 1 of percentages, 3 of others)")
			flags.BoolVar(&o.OmitPublished, "no-published", false, "leave the comparison with the published table out")
			return func(f frame.Frame, _ []string) (doc.Document, error) { return Build(f, o) }
		},
	}
}
