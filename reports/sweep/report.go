package sweep

import (
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/report"
)

// Report draws results over a quantity.
func Report() report.Report {
	return report.Report{
		Name:    "sweep",
		Summary: "Results as one quantity changes: landmarks, features, training rows",
		Long: `sweep draws the mean of a metric over what a protocol sweeps: a parameter of the
methods, the number of training rows, or data sets that differ by their rows. With
--times it draws processor times and says with which power of the quantity they grow.
Sets that some point lacks are left out and named. Docs: docs/reference/protocols.md, Sweeps.`,
		Example: `  bench report sweep --protocol ecml-figure2
  bench report sweep --protocol ecml-figure3 --bars -o figure3.pdf
  bench report sweep --protocol fourier-table3 --times`,
		Flags: func(flags report.Flags) report.Build {
			var o Options
			report.Usual(flags, &o.Metric, &o.Title, &o.Label)
			flags.BoolVar(&o.Times, "times", false, "processor times in place of the metric")
			flags.BoolVar(&o.Against, "against-times", false, "the metric against processor times in place of the quantity")
			flags.BoolVar(&o.Each, "each", false, "a drawing for each data set in place of the mean over them")
			flags.BoolVar(&o.Bars, "bars", false, "bars in place of lines")
			flags.BoolVar(&o.Log, "log", false, "the quantity on an axis of logarithms")
			return func(f frame.Frame, _ []string) (doc.Document, error) { return Build(f, o) }
		},
	}
}
