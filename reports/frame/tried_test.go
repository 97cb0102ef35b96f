package frame_test

import (
	"fmt"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// TestTried: what counts as another version of a method. Splits 1 to 3 of two sets are compared.
func TestTried(t *testing.T) {
	month := 0
	cells := func(version, grid string, correct ...int) (out []store.Row) {
		month++
		for i, c := range correct {
			r := sample.OK([]string{"one", "two"}[i/3], "M", i%3+1, c, 10)
			r.MethodVersion, r.GridHash, r.StartedAt = version, grid, fmt.Sprintf("2026-%02d-01", month)
			out = append(out, r)
		}
		return out
	}
	first := cells("1", "g", 5, 5, 5, 6, 6, 6)
	part := cells("2", "g", 7)                 // one cell of version 3
	whole := cells("3", "g", 7, 7, 7, 6, 6, 6) // another version
	comment := cells("4", "g", 5, 5, 5)        // results of version 1
	setting := cells("1", "h", 4, 4, 4, 4, 4, 4)
	libraries := cells("1 numpy=2", "h", 4, 4, 4, 4, 4, 5) // the last attempt of the same
	other := cells("5", "g", 1, 1, 1)
	for i := range other {
		other[i].Fingerprint = "other data"
	}
	beyond := cells("6", "g", 3)
	beyond[0].Split = 9
	now := cells("7", "g", 8, 8, 8, 8, 8, 8)
	again := cells("3", "g", 7)
	in := sample.Of(3, now...)
	for i := range 6 {
		in.Rows = append(in.Rows, sample.OK([]string{"one", "two"}[i/3], "O", i%3+1, 5, 10))
	}
	for _, rows := range [][]store.Row{first, part, whole, comment, setting, libraries, other, beyond, again} {
		in.Older = append(in.Older, rows...)
	}
	in.Also = []string{"M", "O"}
	describe := func(column string) (out []string) {
		tried := table(t, in).Tried
		for _, v := range tried[column] {
			text := fmt.Sprint(v.Method, v.Version, "/", v.Setting, " ", v.Earlier)
			for _, set := range []string{"one", "two"} {
				text += " " + frame.Text(v.Entries[set].Mean, 0)
			}
			out = append(out, text)
		}
		return out
	}
	want := "[M1/1 true 50 60 M3/1 true 70 60 M1/2 true 40 43]"
	must.Be(t, fmt.Sprint(describe("M")), want, "tried")
	if got := describe("O"); got != nil {
		t.Errorf("O has %v", got)
	}
	// On all six splits O has 50. Version 3 has 70 and 60 on its sets.
	var standings []string
	ft := table(t, in)
	for _, s := range ft.Standings("M") {
		standings = append(standings, fmt.Sprint(s.Name, " ", s.Now, " ", s.Sets, " ", frame.Text(s.Mean, 1), " ",
			s.Place, "/", s.Of))
	}
	must.Be(t, fmt.Sprint(standings), "[1 false 2 55.0 1/2 3 false 2 65.0 1/2 1, setting 2 false 2 41.7 2/2 7 true 2 "+
		"80.0 1/2]", "standings")
	// before the last versions
	in.Rows, in.Older, in.Also = append(first, in.Rows[6:]...), append(in.Older, now...), []string{"M"}
	must.Be(t, fmt.Sprint(describe("M")), "[M3/1 false 70 60 M1/2 false 40 43 M7/1 false 80 80]",
		"tried of the first version")
	in.Also = nil
	if got := describe("M"); got != nil {
		t.Errorf("not asked for, but %v", got)
	}
}
