// Package reports turns finished runs into documents a paper or a reviewer can use. [All] lists the
// reports, each a package of its own.
//
// The way of a number has three steps: a typed row (package frame reads it from the store), a
// document (the report's Build), and a layout (package render). Tables hold exact rationals until
// the last decimal; rank functions are in reports/stats, the papers' printed values in
// harness/published.
//
// A report is a package with a function Build(frame.Frame, Options) (doc.Document, error) and an
// entry here; the command line gives it its flags, every format, a file and a terminal.
package reports

import (
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/reports/accuracy"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/ranks"
)

// A Report is a kind of document that is made from stored results.
type Report struct {
	Name    string
	Aliases []string // names that stay
	Summary string   // on one line, no full stop
	Long    string   // what it shows
	Example string   // command lines
	Verb    bool     // it is a command of its own, `bench NAME`, and not one of `bench report`

	// Args names the arguments that the report takes, "" for none. Select checks them, before anything is read, and narrows
	// what is read to what they ask for; nil where there are none.
	Args   string
	Select func(args []string, s *Selection) error

	Folds bool // it needs the folds of every grid point, which are most of a database

	// Flags adds the report's own flags and returns its Build, which reads them when it is called.
	Flags func(Flags) Build
}

// Build makes a report of a frame and the report's arguments.
type Build func(f frame.Frame, args []string) (doc.Document, error)

// Selection is what a frame is read of; nil lists are all that is stored.
type Selection struct {
	Protocol          string
	Methods, Datasets []string
	Beside            []string // methods, also at a version, that are read where Methods is nil
}

// Flags is where a report adds its own; *pflag.FlagSet is one.
type Flags interface {
	StringVar(p *string, name, value, usage string)
	IntVar(p *int, name string, value int, usage string)
	BoolVar(p *bool, name string, value bool, usage string)
	Float64Var(p *float64, name string, value float64, usage string)
}

// All returns the reports.
func All() []Report {
	return []Report{
		{
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
			Flags: func(flags Flags) Build {
				var o accuracy.Options
				usual(flags, &o.Metric, &o.Title, &o.Label)
				flags.StringVar(&o.Std, "std", accuracy.StdPopulation, "standard deviation: population (as the paper) or sample")
				flags.StringVar(&o.Ranks, "ranks", "", "average ranks: both, midrank or paper (default both where the protocol's paper prints ranks, else midrank)")
				flags.IntVar(&o.Decimals, "decimals", 0, "decimals of means, 1 to 6 (default 1 of percentages, 3 of others)")
				flags.BoolVar(&o.OmitPublished, "no-published", false, "leave the comparison with the published table out")
				return func(f frame.Frame, _ []string) (doc.Document, error) { return accuracy.Build(f, o) }
			},
		},
		{
			Name:    "ranks",
			Summary: "Average ranks of the methods, with their spread over splits",
			Long: `ranks places the methods that have every counted data set, in the conventions of
report accuracy, and ranks every split by itself to show how far a place depends on
the splits.`,
			Example: `  bench report ranks
  bench report ranks --metric mcc --format csv`,
			Flags: func(flags Flags) Build {
				var o ranks.Options
				usual(flags, &o.Metric, &o.Title, &o.Label)
				return func(f frame.Frame, _ []string) (doc.Document, error) { return ranks.Build(f, o) }
			},
		},
		leaderboardReport(), testsReport(), cdReport(), pairsReport(), timesReport(), gridReport(), curvesReport(), whyReport(), compareReport(),
	}
}

// usual adds the flags that most reports have.
func usual(flags Flags, metrics, title, label *string) {
	var names []string
	for _, m := range metric.All() {
		names = append(names, m.Name)
	}
	flags.StringVar(metrics, "metric", "", strings.Join(names, ", ")+" (default the protocol's)")
	flags.StringVar(title, "title", "", "title or caption")
	flags.StringVar(label, "label", "", "LaTeX label (default from report and protocol)")
}
