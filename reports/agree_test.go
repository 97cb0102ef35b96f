package reports_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// facts are numbers that reports say, by what they are of, with the places where each is said.
type facts map[string][]fact

type fact struct {
	where string
	value float64
}

func (f facts) add(where, of string, value any) {
	if x, ok := value.(float64); ok {
		f[of] = append(f[of], fact{where, x})
	}
}

// kinds says what the columns of records are of: name of the records, column, what it is, and the columns that it
// is of. A pair is said from either side, so that its two methods are sorted and a gain has its sign turned with
// them.
var kinds = []struct{ records, column, what, of string }{
	{"accuracy cells", "mean", "mean", "method dataset splits_ok"},
	{"compare sets", "ours", "mean", "method dataset splits"}, {"compare sets", "theirs", "mean",
		"other dataset splits"},
	{"accuracy means", "mean", "mean over sets", "method"}, {"times times", "mean", "mean over sets", "method"},
	{"grid folds", "test", "mean over sets", "method"},
	{"accuracy means", "midrank", "rank", "method"}, {"cd cd", "rank", "rank", "method"},
	{"leaderboard leaderboard", "rank", "rank", "method"},
	{"times times", "cell_cpu_seconds", "processor time", "method"}, {"leaderboard leaderboard", "cell_cpu_seconds",
		"processor time", "method"},
	{"compare pairs", "mean_gain", "gain", "method other"}, {"tests pairs", "mean_gain", "gain", "a b"},
	{"pairs pairs", "mean_difference", "gain", "a b"},
	{"compare pairs", "wilcoxon_p", "p", "method other"}, {"tests pairs", "wilcoxon_p", "p", "a b"},
	{"compare pairs", "adjusted_p", "adjusted p of a named method", "method other"},
	{"tests --control pairs", "adjusted_p", "adjusted p of a named method", "a b"},
	{"tests --control pairs", "wilcoxon_p", "p", "a b"}, {"leaderboard leaderboard", "wilcoxon_p", "p",
		"method beside"},
	{"tests pairs", "adjusted_p", "adjusted p of all pairs", "a b"}, {"leaderboard leaderboard", "adjusted_p",
		"adjusted p of all pairs", "method beside"},
}

// gather adds what a document says.
func (f facts) gather(report string, d doc.Document) {
	for _, b := range d.Blocks {
		r, ok := b.(doc.Records)
		if !ok {
			continue
		}
		for _, k := range kinds {
			if k.records != report+" "+r.Name {
				continue
			}
			for _, row := range r.Rows {
				at := func(column string) any {
					i := slices.Index(r.Columns, column)
					if i < 0 {
						panic(fmt.Sprintf("%s has no column %s: %v", k.records, column, r.Columns))
					}
					return row[i]
				}
				var of []string
				for _, column := range strings.Fields(k.of) {
					value := at(column)
					// a method's mean may be over fewer of them where another method failed
					if splits, ok := value.([]int); ok {
						value = len(splits)
					}
					of = append(of, fmt.Sprint(value))
				}
				value := at(k.column)
				if k.of == "method other" || k.of == "method beside" || k.of == "a b" {
					if of[0] > of[1] {
						slices.Reverse(of)
						if gain, ok := value.(float64); ok && k.what == "gain" {
							value = -gain
						}
					}
				}
				if k.what == "adjusted p of a named method" {
					of = append(of, "family of "+fmt.Sprint(at(strings.Fields(k.of)[0])))
				}
				f.add(k.records, k.what+" of "+strings.Join(of, ", "), value)
			}
		}
	}
}

// Every number that several reports of one database say is the same in all of them: means by set, means over sets,
// ranks, differences, p-values, adjusted p-values of one family. The table has a set apart, a failed split and
// generated sets.
func TestReportsAgree(t *testing.T) {
	all := facts{}
	for _, r := range reports.All() {
		if r.Name == "why" || r.Name == "curves" || r.Name == "sweep" {
			continue // of one cell, of fewer splits, and of sets as points
		}
		build := func(report string, args ...string) { all.gather(report, sample.Build(t, r, inputFor(r), args...)) }
		switch r.Name {
		case "compare":
			for _, m := range sample.Methods {
				build("compare", m)
			}
		case "tests":
			build("tests")
			build("tests --control", "--control", "GBRFF2")
		default:
			build(r.Name)
		}
	}
	twice := 0
	for of, said := range all {
		for _, s := range said[1:] {
			if s.where != said[0].where {
				twice++
			}
			must.Near(t, s.value, said[0].value, 1e-12*math.Max(1, math.Abs(s.value)), of, said[0].where, s.where)
		}
	}
	if twice < 150 {
		t.Errorf("only %d numbers are said by two reports", twice)
	}
}
