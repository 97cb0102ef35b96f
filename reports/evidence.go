package reports

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/kernelboosting/bench/reports/cd"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/tests"
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
					spec, err := f.Registry.Lookup(control)
					if err != nil {
						return doc.Document{}, err
					}
					o.Control = spec.Name
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
				spec, err := f.Registry.Lookup(args[0])
				if err != nil {
					return doc.Document{}, err
				}
				if o.Method, o.Rope = spec.Name, nil; rope != "" {
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
