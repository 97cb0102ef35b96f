package reports_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"pgregory.net/rapid"
)

// ahead are 13 sets of five methods of which A has the most correct rows on each set, and E the fewest.
func ahead(imported bool) sample.Input {
	var rows []store.Row
	for s := range 13 {
		for m, name := range []string{"A", "B", "C", "D", "E"} {
			for split := range 3 {
				r := sample.OK(fmt.Sprintf("s%02d", s), name, split+1, 90-2*m-(s+split)%3, 100)
				if seconds := 1.0; imported {
					r.Imported, r.FitSeconds = "field.db", &seconds
				}
				rows = append(rows, r)
			}
		}
	}
	return sample.Of(3, rows...)
}

// The family of a method of one's own is its comparisons, also where it is the best one. A method of the program that
// leads, and one that came in a file of results, are compared as on the leaderboard.
func TestOwnMethod(t *testing.T) {
	for name, c := range map[string]struct {
		own      []string
		imported bool
		lacks    string // the method that lacks a split
		method   string
		want     []string
	}{
		"first": {own: []string{"A"}, method: "A", want: []string{
			"A against the mean of the field: significantly better, typical difference +5.00 points",
			"It is better than at least 4 and worse than at least 0 of 4 methods (rank 1 of 5).",
			"adjusted for 4 comparisons of A, which did not come with the program"}},
		"last": {own: []string{"E"}, method: "E", want: []string{
			"E against the mean of the field: significantly worse, typical difference -5.00 points",
			"It is better than at least 0 and worse than at least 4 of 4 methods (rank 5 of 5).",
			"adjusted for 4 comparisons of E"}},
		"two of one's own": {own: []string{"A", "B"}, method: "A", want: []string{
			"A against the mean of the field: significantly better, typical difference +6.00 points",
			"adjusted for 7 comparisons of A and B"}},
		"another lacks a split": {own: []string{"A"}, method: "A", lacks: "C", want: []string{
			"A against the mean of the field: significantly better, typical difference +5.33 points"}},
		"of the program": {method: "A", want: []string{"10 comparisons of each method with each"}},
		"of the program, and partial": {lacks: "A", method: "A", want: []string{
			"10 comparisons of each method with each"}},
		"of a file of results": {own: []string{"A"}, imported: true, method: "A", want: []string{
			"10 comparisons of each method with each"}},
	} {
		in := ahead(c.imported)
		if in.Own = c.own; c.lacks != "" {
			in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool {
				return r.Method == c.lacks && r.Dataset == "s00" && r.Split == 3
			})
		}
		text := strings.Join(said(page(t, in, usual(c.method))), " ")
		for _, want := range c.want {
			must.Be(t, strings.Contains(text, want), true, name, want, text)
		}
	}
}

// The row of a method of one's own has the interval that its sentence has, which all pairs would not find.
func TestIntervalOfOwnRow(t *testing.T) {
	var rows []store.Row
	draw := rand.New(rand.NewPCG(1, 1))
	for s := range 9 {
		for m := range 12 {
			correct := 60 + draw.IntN(30)
			if m == 11 {
				correct = 50
			}
			rows = append(rows, sample.OK(fmt.Sprint("s", s), fmt.Sprintf("M%02d", m), 1, correct, 100))
		}
	}
	in := sample.Of(1, rows...)
	in.Own = []string{"M11"}
	table := must.Get(must.Get(in.Read(t.Context()))(t).Table(""))(t)
	ev := must.Get(evidence.Compare(&table, evidence.Options{Method: "M11", Level: 0.05}))(t)
	board := must.Get(compare.Rank(&table, ev, 11))(t)
	must.Be(t, board.Rows[11].Method, "M11")
	must.Be(t, board.Rows[11].Ranks, [2]int{12, 12})
	all := must.Get(evidence.Compare(&table, evidence.Options{Level: 0.05}))(t)
	must.Be(t, all.Ranks()[11][0] < 12, true)
}

// A pair is compared on the splits that both methods have: cells of one alone, such as those of the reference run,
// change neither the sets of a comparison nor its verdict.
func TestCellsOfOneMethodDecideNothing(t *testing.T) {
	verdict := func(t *rapid.T, rows []store.Row) string {
		in := sample.Of(20, rows...)
		in.Methods = []string{"A", "B"}
		table := must.Get(must.Get(in.Read(t.Context()))(t).Table(""))(t)
		p := must.Get(evidence.Compare(&table, evidence.Options{Method: "A", Level: 0.05}))(t).Pairs[0]
		return fmt.Sprint(p.Verdict, p.Over, p.Gains, p.Signed.P)
	}
	rapid.Check(t, func(t *rapid.T) {
		var both, all []store.Row
		for s := range rapid.IntRange(2, 9).Draw(t, "sets") {
			name := fmt.Sprintf("s%02d", s)
			for split := 1; split <= 20; split++ {
				ours := sample.OK(name, "A", split, rapid.IntRange(60, 100).Draw(t, "ours"), 100)
				theirs := sample.OK(name, "B", split, rapid.IntRange(60, 100).Draw(t, "theirs"), 100)
				if common := split <= 1+s%3 || rapid.IntRange(0, 2).Draw(t, "common") == 0; common {
					both, all = append(both, ours, theirs), append(all, ours, theirs)
				} else if rapid.Bool().Draw(t, "alone") {
					all = append(all, theirs)
				}
			}
		}
		must.Be(t, verdict(t, all), verdict(t, both))
	})
}

// A set of one's own counts with the three splits that both methods have, although the other one has 20 elsewhere.
func TestOwnSetCounts(t *testing.T) {
	var rows []store.Row
	for s := range 7 {
		for split := range 20 {
			name := fmt.Sprintf("s%02d", s)
			if split < 3 {
				rows = append(rows, sample.OK(name, "A", split+1, 90, 100))
			}
			if split < 3 || s > 0 {
				rows = append(rows, sample.OK(name, "B", split+1, 80, 100))
			}
		}
	}
	text := said(page(t, sample.Of(20, rows...), usual("A")))[0]
	must.Hold(t, text, "over 7 sets")
}

// A page of two methods of a larger store says that they must have been named before, and where the leader is one of
// them, what the leaderboard finds.
func TestPairOfLargerStore(t *testing.T) {
	for methods, want := range map[string]string{
		"A B": "Right only if both were named before the results were seen: 5 methods are stored, and on their " +
			"leaderboard p is ",
		"B C":       "Right only if both were named before the results were seen: 5 methods are stored.",
		"B C D":     "Right only if these methods were named before the results were seen: 5 methods are stored.",
		"A B C D E": "",
	} {
		in := ahead(false)
		in.Methods = strings.Fields(methods)
		text := said(page(t, in, usual(in.Methods[0])))[0]
		must.Be(t, strings.Contains(text, "Right only if"), (want != ""), methods)
		must.Hold(t, text, want)
	}
}

// Every table and every drawing of every report marks a method of one's own where it names it: a table by a sign, a
// drawing by a line below the name, and both say what that means.
func TestOwnMethodIsMarked(t *testing.T) {
	const mine = "GBRFF2"
	tables, words := 0, 0
	check := func(report string, b doc.Table) {
		names := doc.Map(b.Head, func(c doc.Column) string { return c.Name })
		for _, section := range b.Sections {
			names = append(names, doc.Map(section, func(r doc.Row) string { return r.Name })...)
		}
		must.Be(t, slices.Contains(names, mine), false, report, mine, names)
		if slices.Contains(names, mine+" ‡") {
			tables++
			must.Hold(t, strings.Join(b.Legend, " "), "‡: a method of one's own")
		}
	}
	for _, r := range reports.All() {
		in := inputFor(r)
		in.Own = []string{mine}
		d := sample.Build(t, r, in, arguments(r)...)
		for _, n := range d.Narrow {
			check(r.Name, n.Table)
		}
		for _, block := range d.Blocks {
			if b, ok := block.(doc.Table); ok {
				check(r.Name, b)
			}
			f, ok := block.(doc.Figure)
			if !ok || f.Plot == nil {
				continue
			}
			if f.Numbers != nil {
				check(r.Name, *f.Numbers)
			}
			marks := f.Plot(doc.PageWidth).Marks
			for _, m := range marks {
				said := strings.Fields(m.Text)
				if m.Shape != doc.Word || !slices.Contains(said, mine) || len(said) > 2 {
					continue
				}
				words++
				if !slices.ContainsFunc(marks, func(line doc.Mark) bool {
					return line.Shape == doc.Line && line.Y == m.Y+2 && line.Y2 == m.Y+2
				}) || !strings.HasPrefix(marks[len(marks)-1].Text, "Underlined: a method") {
					t.Errorf("%s: a drawing names %s without a mark: %+v", r.Name, mine, m)
				}
			}
		}
	}
	if tables < 8 || words < 5 {
		t.Errorf("only %d tables and %d words name %s", tables, words, mine)
	}
}

// TestTooFewSets: six sets are enough for three comparisons that agree on each set, so that a page on which they do not
// says no more than that the least p is not significant among these.
func TestTooFewSets(t *testing.T) {
	for agree, want := range map[bool]string{true: "A is significantly better than B, C and D", false: "not " +
		"testable, since even the least p of 6 sets is not significant among 3 comparisons; 7 sets are enough."} {
		var rows []store.Row
		for s := range 6 {
			for m, method := range []string{"A", "B", "C", "D"} {
				correct := 80 + (s*s+3*m*s*m+m)%7
				if agree {
					correct = 80 + max(0, 1-m)*(3+s)
				}
				rows = append(rows, sample.OK(fmt.Sprintf("s%02d", s), method, 1, correct, 100))
			}
		}
		in := sample.Of(1, rows...)
		in.Own = []string{"A"}
		must.Hold(t, strings.Join(said(page(t, in, usual("A"))), "\n"), want)
	}
}
