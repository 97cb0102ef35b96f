package reports

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/kernelboosting/bench/reports/cd"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/curves"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/grid"
	"github.com/kernelboosting/bench/reports/pairs"
	"github.com/kernelboosting/bench/reports/tests"
	"github.com/kernelboosting/bench/reports/times"
	"github.com/kernelboosting/bench/reports/why"
)

// testsReport is the page of significance tests over data sets.
func testsReport() Report {
	return Report{
		Name:    "tests",
		Summary: "Tests over data sets: do the methods rank alike, and which pairs differ?",
		Long: `tests asks whether the methods rank alike over the data sets (Friedman, Iman and
Davenport, Quade, plain and corrected for ties) and which pairs differ, by ranks and
by Wilcoxon's signed-rank test, with p-values adjusted for the number of pairs. With
--control only the pairs with that method are tested and adjusted for.`,
		Example: `  bench report tests
  bench report tests --control GBRFF2
  bench report tests --methods GBRFF2,LGBM,XGB --format latex`,
		Flags: func(flags Flags) Build {
			var o tests.Options
			var control string
			usual(flags, &o.Metric, &o.Title, &o.Label)
			levelFlag(flags, &o.Level)
			flags.StringVar(&control, "control", "", "compare the others with this method alone (default each with each)")
			return func(f frame.Frame, _ []string) (doc.Document, error) {
				o.Control = control
				if control != "" {
					var err error
					if o.Control, err = f.Method(control, f.Rows); err != nil {
						return doc.Document{}, err
					}
				}
				return tests.Build(f, o)
			}
		},
	}
}

// cdReport is the diagram of critical differences.
func cdReport() Report {
	return Report{
		Name:    "cd",
		Summary: "Diagram of critical differences: average ranks, and bars that join what is not told apart",
		Long: `cd draws the methods on an axis of average ranks and joins those that the test of
Nemenyi does not tell apart. With --methods the ranks are those among these methods.`,
		Example: `  bench report cd
  bench report cd -o ranks.html
  bench report cd --methods BMKR,GFC,PBRFF,GBRFF1,LGBM,GBRFF2 --level 0.1`,
		Flags: func(flags Flags) Build {
			var o cd.Options
			usual(flags, &o.Metric, &o.Title, &o.Label)
			levelFlag(flags, &o.Level)
			return func(f frame.Frame, _ []string) (doc.Document, error) { return cd.Build(f, o) }
		},
	}
}

func levelFlag(flags Flags, level *float64) {
	flags.Float64Var(level, "level", 0.05, "level of the tests")
}

// pairsReport sets methods beside one another, two at a time.
func pairsReport() Report {
	return Report{
		Name:    "pairs",
		Summary: "Data sets won, tied and lost between any two methods, and scatters of their means",
		Long: `pairs counts for any two methods the data sets won, tied and lost by mean, and draws
the means of one against the other's, a dot a data set.`,
		Example: `  bench report pairs
  bench report pairs --methods GBRFF2,LGBM -o pairs.html`,
		Flags: func(flags Flags) Build {
			var o pairs.Options
			usual(flags, &o.Metric, &o.Title, &o.Label)
			return func(f frame.Frame, _ []string) (doc.Document, error) { return pairs.Build(f, o) }
		},
	}
}

// timesReport sets processor times beside a metric.
func timesReport() Report {
	return Report{
		Name:    "times",
		Summary: "What methods cost beside how good they are, and which are on the front",
		Long: `times draws the mean of a metric against the processor time of a cell (a split with its
whole search over the grid) and marks the front: methods that no other one beats in
both. Below stand the times by data set. Times of different processors are not mixed.`,
		Example: `  bench report times
  bench report times --methods GBRFF2,LGBM,XGB -o times.html`,
		Flags: func(flags Flags) Build {
			var o times.Options
			usual(flags, &o.Metric, &o.Title, &o.Label)
			return func(f frame.Frame, _ []string) (doc.Document, error) { return times.Build(f, o) }
		},
	}
}

// gridReport shows what was chosen.
func gridReport() Report {
	return Report{
		Name: "grid", Folds: true,
		Summary: "Which grid points were chosen, and where the choice sits on the grid's edge",
		Long: `grid counts how often each value of each parameter was chosen on each set, names the
sets whose choice sits on an edge of the grid, where a wider grid might do better, and
sets the folds' results of the chosen points beside those of the test rows.`,
		Example: `  bench report grid
  bench report grid --methods GBRFF2 --datasets sonar`,
		Flags: func(flags Flags) Build {
			var o grid.Options
			usual(flags, &o.Metric, &o.Title, &o.Label)
			return func(f frame.Frame, _ []string) (doc.Document, error) { return grid.Build(f, o) }
		},
	}
}

// curvesReport shows results as more is spent.
func curvesReport() Report {
	return Report{
		Name:    "curves",
		Summary: "Average ranks as splits are added, and the metric after each round",
		Long: `curves draws average ranks of the means over the first 1, 2, 3 and so on splits: does
the order of the methods still change? Where the protocol lists rounds, it also draws
the metric after each of them, set by set.`,
		Example: `  bench report curves
  bench report curves --protocol mfga.toml --datasets adult`,
		Flags: func(flags Flags) Build {
			var o curves.Options
			usual(flags, &o.Metric, &o.Title, &o.Label)
			return func(f frame.Frame, _ []string) (doc.Document, error) { return curves.Build(f, o) }
		},
	}
}

// whyReport is what stands behind one number.
func whyReport() Report {
	return Report{
		Name: "why", Folds: true, Args: "[PROTOCOL] DATASET METHOD",
		Summary: "Everything behind one number: splits, settings, code, queries",
		Long: `why lists the splits behind one number of a table: counts, the chosen setting and how
it did in the folds, times, the program and code that computed it; then the commands
and queries that show the rows of a split and compute the cell again.`,
		Example: `  bench report why table2 sonar GBRFF2
  bench report why sonar GBRFF2 --format csv`,
		Select: func(args []string, s *Selection) error {
			if len(args) == 3 {
				s.Protocol, args = args[0], args[1:]
			}
			if len(args) != 2 {
				return errors.New("name a data set and a method, as in `bench report why sonar GBRFF2`, with the protocol before them if it is another")
			}
			s.Datasets, s.Methods = args[:1], args[1:]
			return nil
		},
		Flags: func(flags Flags) Build {
			var o why.Options
			usual(flags, &o.Metric, &o.Title, &o.Label)
			return func(f frame.Frame, _ []string) (doc.Document, error) { return why.Build(f, o) }
		},
	}
}

// compareReport is the page on one method.
func compareReport() Report {
	return Report{
		Name: "compare", Verb: true, Args: "METHOD [OTHER...]",
		Summary: "Is a method better than others, and how sure is that?",
		Long: `compare sets one method beside others, all that are stored if none is named. First
stands a verdict in a sentence a method; then the tests over data sets, the tests on
each data set with intervals, and how many more sets or splits would decide what is
open. Splits of a set are never counted as data sets.

--equivalence is the difference that does not matter to you, in the unit of the
table: two methods within it are practically equivalent.`,
		Example: `  bench compare GBRFF2
  bench compare GBRFF2 LGBM
  bench compare MyBoost LGBM XGB --equivalence 0.5 -o myboost.html`,
		Select: func(args []string, s *Selection) error {
			if len(args) == 0 {
				return errors.New("name the method in question, then those to set it beside, or none for all that are stored")
			}
			if len(args) > 1 {
				s.Methods = args
			}
			return nil
		},
		Flags: func(flags Flags) Build {
			var o compare.Options
			var rope string
			usual(flags, &o.Metric, &o.Title, &o.Label)
			levelFlag(flags, &o.Level)
			flags.Float64Var(&o.Power, "power", 0.8, "power with which more sets or splits are to find a difference")
			flags.StringVar(&rope, "equivalence", "", "largest difference that does not matter (default 1 percentage point; of metrics not in percent none)")
			return func(f frame.Frame, args []string) (doc.Document, error) {
				var err error
				if o.Method, err = f.Method(args[0], f.Rows); err != nil {
					return doc.Document{}, err
				}
				if o.Rope = nil; rope != "" {
					width, ok := new(big.Rat).SetString(rope)
					if !ok {
						return doc.Document{}, fmt.Errorf("--equivalence %q is not a number", rope)
					}
					o.Rope = width
				}
				return compare.Build(f, o)
			}
		},
	}
}
