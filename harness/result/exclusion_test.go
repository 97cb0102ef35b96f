package result_test

import (
	"slices"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestExplain: each reason is one line, however many cells it excludes, and the lines are in the order of the kinds. A
// line names only the three most expensive pairs of a method and a set.
func TestExplain(t *testing.T) {
	over := func(method, set string, split int, option string, seconds float64, bytes int64) result.Exclusion {
		return result.Exclusion{Method: method, Dataset: set, Split: split, Why: result.Over(option, seconds, bytes)}
	}
	set := func(name, method string, kind result.ExclusionKind, text string) result.Exclusion {
		return result.Exclusion{Dataset: name, Method: method, Why: result.Why{Kind: kind, Text: text}}
	}
	all := []result.Exclusion{
		over("A", "swiss", 1, "--memory 1.0 GiB", 1, 3<<30),
		over("A", "wine", 1, "--max-cell 30m", 3600, 1), over("A", "wine", 2, "--max-cell 30m", 3600, 1),
		over("B", "wine", 1, "--max-cell 30m", 7200, 1), over("C", "wine", 1, "--max-cell 30m", 7200, 2),
		over("D", "wine", 1, "--max-cell 30m", 7199, 1),
		set("pima", "", result.NoData, ""), set("heart", "", result.NoData, ""),
		set("lone", "", result.Unsplittable, "lone: one row"), set("two", "", result.Unsplittable, "two: two rows"),
		set("x", "", result.FewerSplits, "splits 1 to 5"), set("y", "", result.FewerSplits, "splits 1 to 2"),
		set("glass", "A", result.WrongTask, ""), set("gaps", "B", result.TakesNoGaps, ""),
		set("swiss", "A", result.OverBudget, "--budget 7m"), set("swiss", "B", result.OverBudget, "--budget 7m"),
	}
	want := []string{
		"not run, since the method does not solve the set's task: A on glass",
		`not run, since the set says impute = "none" and the method takes no missing values: B on gaps`,
		"sets with fewer splits than asked for: x has splits 1 to 5 of its own, y has splits 1 to 2 of its own",
		"no data for pima, heart",
		"left out: lone: one row",
		"left out: two: two rows",
		"skipped: 5 cells over --max-cell 30m, more than 2.5 times as long (C on wine: 2h each, B on wine: 2h each, " +
			"D on wine: 2h each, 1 more pair)",
		"skipped: 1 cell over --memory 1.0 GiB (A on swiss: 3.0 GiB each)",
		"beyond --budget 7m: 2 cells on swiss",
	}
	must.Be(t, result.Explain(all), want)
	counted := slices.DeleteFunc(slices.Clone(all), func(e result.Exclusion) bool { return !e.Counted() })
	if len(counted) != len(all)-4 || len(result.OfKinds(all, result.TooLong)) != 5 || result.OfKinds(all) != nil ||
		result.Explain(nil) != nil {
		t.Errorf("%d of %d are counted", len(counted), len(all))
	}
}
