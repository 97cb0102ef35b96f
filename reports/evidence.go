package reports

import (
	"errors"
	"fmt"

	"github.com/kernelboosting/bench/reports/cd"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/curves"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/grid"
	"github.com/kernelboosting/bench/reports/leaderboard"
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
		Long: `tests asks whether the methods rank alike over the data sets (Friedman's test by
permutations, right for any number of data sets) and which pairs differ, by the same
test and the same adjustment as bench compare. With --control only the pairs with
that method are tested and adjusted for. Among the details are the classical tests:
Iman and Davenport, Quade, and pairs by average ranks.`,
		Example: `  bench report tests
  bench report tests --control GBRFF2
  bench report tests --methods GBRFF2,LGBM,XGB --format latex`,
		Flags: func(flags Flags) Build {
			var o tests.Options
			var control string
			usual(flags, &o.Metric, &o.Title, &o.Label)
			levelFlag(flags, &o.Level)
			region := regionFlag(flags)
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
				return tests.Build(f, o)
			}
		},
	}
}

// regionFlag adds --equivalence and returns what reads it; nil where it is not given.
func regionFlag(flags Flags) func() (*evidence.Region, error) {
	var text string
	flags.StringVar(&text, "equivalence", "", "largest difference that does not matter, as 0.5 or as a share of the error 10% (default 1 percentage point; of metrics not in percent none)")
	return func() (*evidence.Region, error) {
		if text == "" {
			return nil, nil
		}
		region, err := evidence.ParseRegion(text)
		if err != nil {
			return nil, fmt.Errorf("--equivalence: %w", err)
		}
		return &region, nil
	}
}

// leaderboardReport is who leads.
func leaderboardReport() Report {
	return Report{
		Name:    "leaderboard",
		Summary: "Who leads: a row a method, and what is not told apart from the leader",
		Long: `leaderboard puts the methods in the order of their mean gain over the field, which is
the order of their means over data sets. Beside it: an interval over data sets, the
share of wins, the average rank, whether the method is told apart from the leader,
the processor time of a cell, and how many sets it has. Methods that lack sets stand
below, on the sets that they have.

The leader is chosen by the data, so that the tests are adjusted for each method with
each. With --method the others are compared with that method, which you name before
you look, and the tests are adjusted for it alone.`,
		Example: `  bench report leaderboard
  bench report leaderboard --method MyBoost
  bench report leaderboard --format latex -o leaders.tex`,
		Flags: func(flags Flags) Build {
			var o leaderboard.Options
			var method string
			usual(flags, &o.Metric, &o.Title, &o.Label)
			levelFlag(flags, &o.Level)
			region := regionFlag(flags)
			flags.StringVar(&method, "method", "", "compare the others with this method (default with the leader)")
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
				return leaderboard.Build(f, o)
			}
		},
	}
}

// cdReport is the diagram of critical differences.
func cdReport() Report {
	return Report{
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
		Flags: func(flags Flags) Build {
			var o cd.Options
			usual(flags, &o.Metric, &o.Title, &o.Label)
			levelFlag(flags, &o.Level)
			var control string
			flags.StringVar(&control, "control", "", "join only what is not told apart from this method, which you named before you looked (default each with each)")
			flags.StringVar(&o.Test, "test", cd.Wilcoxon, "what tells methods apart: wilcoxon, as in bench compare, or nemenyi, by average ranks")
			return func(f frame.Frame, _ []string) (doc.Document, error) {
				if o.Control = control; control != "" {
					var err error
					if o.Control, err = f.Method(control, f.Rows); err != nil {
						return doc.Document{}, err
					}
				}
				return cd.Build(f, o)
			}
		},
	}
}

// TestFlags adds the flags that say what a test takes to be a difference, --level and --equivalence, and returns what reads the second.
func TestFlags(flags Flags, level *float64) (region func() (*evidence.Region, error)) {
	levelFlag(flags, level)
	return regionFlag(flags)
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
  bench report pairs --methods GBRFF2,LGBM -o figs/`,
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
both. Lines show the quartiles of times over splits and an interval of the mean over
data sets, and resampled sets say how sure the front is. Below stand the times by set.
Times of different processors are not mixed.`,
		Example: `  bench report times
  bench report times --methods GBRFF2,LGBM,XGB -o times.svg`,
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
		Select: func(args []string, s *Selection) error {
			if len(args) == 0 {
				return errors.New("name the method in question, then those to set it beside, or none for all that are stored")
			}
			if s.Beside = args; len(args) > 1 {
				s.Methods = args
			}
			return nil
		},
		Flags: func(flags Flags) Build {
			var o compare.Options
			usual(flags, &o.Metric, &o.Title, &o.Label)
			levelFlag(flags, &o.Level)
			flags.Float64Var(&o.Power, "power", 0.8, "power for which needed data sets are counted")
			region := regionFlag(flags)
			return func(f frame.Frame, args []string) (doc.Document, error) {
				var err error
				if o.Method, err = f.Method(args[0], f.Rows); err != nil {
					return doc.Document{}, err
				}
				if o.Region, err = region(); err != nil {
					return doc.Document{}, err
				}
				return compare.Build(f, o)
			}
		},
	}
}
