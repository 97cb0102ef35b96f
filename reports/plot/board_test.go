package plot

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
	"pgregory.net/rapid"
)

// By hand: of nine ranks the third is a quarter of the axis from its beginning, and the fifth in the middle. The one
// method that may be the best has a diamond, the other ranked one a dot, and the partial one a note alone.
func TestBoardByHand(t *testing.T) {
	rows := []BoardRow{{Name: "A", Rank: 3, Ranks: [2]int{1, 5}, Best: true, Time: "7.25"},
		{Name: "B", Rank: 5, Ranks: [2]int{3, 9}, Time: "1840"}, {Name: "P", Rank: nan, Note: "2 of 6 sets", Time: "-"}}
	d := Board(rows, BoardOptions{Field: 9, Time: "yardsticks", Best: "may be the best", Other: "another",
		Interval: "interval", More: []string{"A sentence."}})(doc.ColumnWidth)
	var first, last float64 // of the axis
	at := map[doc.Shape]doc.Mark{}
	var intervals []doc.Mark
	words := ""
	for _, m := range d.Marks {
		switch {
		case m.Shape == doc.Word:
			words += m.Text + "; "
		case m.Role == doc.Axis:
			first, last = m.X+6, m.X2-6
		case m.Tip != "":
			at[m.Shape] = m
		case m.Shape == doc.Line && m.Role != doc.Grid && m.Y == m.Y2 && m.X2-m.X > 14:
			intervals = append(intervals, m)
		}
	}
	place := func(rank float64) float64 { return first + (rank-1)/8*(last-first) }
	must.Be(t, len(intervals), 2)
	for what, places := range map[string][2]float64{"rank of A": {at[doc.Diamond].X, place(3)},
		"rank of B": {at[doc.Dot].X, place(5)}, "interval of B from": {intervals[1].X, place(3)},
		"interval of B to": {intervals[1].X2, place(9)}} {
		must.Near(t, places[0], places[1], 1e-9, what)
	}
	must.Be(t, at[doc.Dot].Tip, "B: average rank 5.00, interval 3 to 9")
	for _, want := range []string{"average rank; yardsticks; A; 7.25; 3.00; B; 1840; 5.00; P; -; 2 of 6 sets; ",
		"rank among 9 methods; 1 is the best; ", "may be the best; another; interval; A sentence.; "} {
		must.Hold(t, words, want)
	}
}

// The axis has a tick where the longest interval ends, at the number of methods.
func TestBoardAxisEndsWithIntervals(t *testing.T) {
	for _, methods := range []int{6, 9, 32, 64, 203} {
		row := BoardRow{Name: "A", Rank: 3, Ranks: [2]int{1, methods}}
		d := Board([]BoardRow{row}, BoardOptions{Field: methods})(doc.PageWidth)
		end, last := 0.0, 0.0
		for _, m := range d.Marks {
			if m.Role == doc.Grid {
				last = max(last, m.X)
			}
			if m.Role == doc.Rest && m.X2-m.X > 14 && m.Y < boardTop+boardLine {
				end = m.X2
			}
		}
		if end == 0 || math.Abs(end-last) > 1e-9 {
			t.Errorf("%d methods: the interval ends at %v, the last tick is at %v", methods, end, last)
		}
	}
}

// Forty methods with the longest names are on a sheet as wide as a column, each with its name, its rank and its time. A
// narrower sheet leaves out the times.
func TestBoardIsOnItsSheet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "methods")
		var rows []BoardRow
		for i := range n {
			r := BoardRow{Name: fmt.Sprint("RFF-SQL-MKL-JOINT"[rapid.IntRange(0, 16).Draw(t, "from"):], i), Rank: nan,
				Note: "12 of 16 sets", Time: "12345", Best: rapid.Bool().Draw(t, "best")}
			if low := rapid.IntRange(0, n).Draw(t, "low"); low > 0 {
				r.Rank = rapid.Float64Range(1, float64(n)).Draw(t, "rank")
				r.Ranks = [2]int{low, rapid.IntRange(low, n).Draw(t, "high")}
			}
			rows = append(rows, r)
		}
		plot := Board(rows, BoardOptions{Field: n, Time: "yardsticks", Best: "of a method that may be the best",
			Other: "average rank", Interval: "rank by typical differences",
			More: []string{"Time: " + strings.Repeat("a sentence ", 9)}})
		onSheet(t, plot)
		words := map[string]int{}
		for _, m := range plot(doc.ColumnWidth).Marks {
			words[m.Text]++
		}
		for _, r := range rows {
			must.Be(t, words[r.Name], 1)
			must.Be(t, words["12345"], n)
		}
	})
}
