package reports_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/curtail"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"pgregory.net/rapid"
)

// The verdicts with which `run --until decided` ends are those of `compare` and of the folder of `paper`, whatever the
// database had before, whatever fails, and with or without results of other methods and of more splits. A run without a
// split left says no verdict.
func TestUntilDecidedAndCompareAgree(t *testing.T) {
	accuracy := must.Get(metric.Lookup("accuracy"))(t)
	rapid.Check(t, func(t *rapid.T) {
		others := []string{"B", "C", "E"}[:rapid.IntRange(1, 3).Draw(t, "opponents")]
		own := rapid.SampledFrom([][]int{nil, {0}, {0, 1}}).Draw(t, "own")
		q := curtail.Question{Methods: append([]string{"A"}, others...), Metric: accuracy,
			Region: evidence.UsualRegion(accuracy), Level: 0.05, Own: own}
		named := result.Comparison{Metric: "accuracy", Level: 0.05, Equivalence: "1", Until: "decided",
			Method: result.ComparedMethod{ID: "A"}}
		isNamed := rapid.Bool().Draw(t, "named")
		if isNamed {
			q.Own = []int{0}
		}
		splits := rapid.IntRange(2, 5).Draw(t, "splits")
		for k := range splits {
			q.Splits = append(q.Splits, k+1)
		}
		for _, other := range others {
			named.Against = append(named.Against, result.ComparedMethod{ID: other})
		}
		var cells []*plan.Cell
		var stored, reference []store.Row
		done := map[*plan.Cell]store.Row{} // what each cell gives
		for s := range rapid.IntRange(6, 9).Draw(t, "sets") {
			name, gain := fmt.Sprintf("s%02d", s), rapid.IntRange(-3, 6).Draw(t, "gain")
			named.Datasets = append(named.Datasets, result.Named{ID: name, Hash: "f"})
			for split := 1; split <= splits+3; split++ {
				for m, method := range []string{"A", "B", "C", "E", "D"} {
					correct := 85 + (1-min(m, 1))*gain + rapid.IntRange(-2, 2).Draw(t, "row")
					row := sample.OK(name, method, split, correct, 100)
					switch {
					case method != "A" && (split > splits || !slices.Contains(others, method)):
						reference = append(reference, row)
						continue
					case split > splits:
						continue
					}
					c := &plan.Cell{Cell: runner.Cell{Dataset: name, Method: method, Split: split}}
					c.Spec.Train, c.Spec.Test, c.Spec.Cost = 200, 100, float64(1+s)
					c.Spec.Inputs.Fingerprint = row.Fingerprint
					if cells, done[c] = append(cells, c), row; rapid.IntRange(0, 3).Draw(t, "stored") == 0 {
						stored = append(stored, row)
					} else if rapid.IntRange(0, 40).Draw(t, "fails") == 0 {
						done[c] = sample.Failed(name, method, split, result.Failed, "no")
					}
				}
			}
		}
		run := curtail.NewRun(q, cells)
		run.Say = func(_ string, args ...any) {
			if args[0] == args[1] {
				t.Fatalf("a run without a split left says the verdict %v", args[2])
			}
		}
		run.Begin(stored)
		waiting := slices.DeleteFunc(slices.Clone(cells), func(c *plan.Cell) bool {
			return slices.ContainsFunc(stored, func(r store.Row) bool {
				return r.Dataset == c.Dataset && r.Method == c.Method && r.Split == c.Split
			})
		})
		var why result.Why
		for now := []*plan.Cell(nil); ; {
			if now, why = run.Next(waiting); len(now) == 0 {
				break
			}
			for _, c := range now {
				run.Ended(c, result.Run(done[c]))
				stored = append(stored, done[c])
			}
			waiting = slices.DeleteFunc(waiting, func(c *plan.Cell) bool { return slices.Contains(now, c) })
		}
		var left []result.Exclusion
		for _, c := range waiting {
			left = append(left, result.Exclusion{Dataset: c.Dataset, Method: c.Method, Split: c.Split, Why: why})
		}
		stop, early := run.Stop()
		named.Splits = q.Splits
		for _, more := range [][]store.Row{nil, reference} {
			in := sample.Of(splits, slices.Concat(stored, more)...)
			in.Left, in.Methods = left, q.Methods
			for _, m := range own {
				in.Own = append(in.Own, q.Methods[m])
			}
			if isNamed {
				in.Comparisons = []result.Comparison{must.Get(named.Written())(t)}
			}
			table := must.Get(must.Get(in.Read(context.Background()))(t).Table(""))(t)
			focused, _ := compare.Focused(&table, "A")
			for _, of := range []*compare.Page{must.Get(compare.NewPage(&table, usual("A")))(t),
				must.Get(compare.NewPage(focused, usual("A")))(t)} {
				first, _ := of.Sentences()
				got := strings.Join(first, "\n")
				for _, f := range stop.Findings {
					if !early && len(own) != 1 && len(others) > 1 {
						break // the others are compared, too, on more splits than the run has
					}
					says := regexp.MustCompile("A against " + f.Against + "[^:.]*: ([a-z, ]+)")
					for _, found := range says.FindAllStringSubmatch(got, -1) {
						must.Be(t, strings.HasPrefix(found[1], f.Verdict), true, "the run ends with", stop, got)
					}
				}
				if len(first) < len(others) {
					t.Fatalf("no sentence for each of %v: %s", others, got)
				}
			}
		}
	})
}
