package reports_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/reports"
)

// missing is a table of eight methods on twenty sets without a run.
func missing() reports.Table2Input {
	in := reports.Table2Input{Protocol: "p", Splits: 20}
	for i := range 8 {
		in.Methods = append(in.Methods, fmt.Sprintf("M%d", i+1))
	}
	for i := range 20 {
		in.Datasets = append(in.Datasets, reports.Dataset{Name: fmt.Sprintf("s%02d", i+1)})
	}
	return in
}

// However many cells lack something, the table says so in one line a reason.
func TestOneLineAReason(t *testing.T) {
	in := missing()
	if got := build(t, in).Reasons(); len(got) != 1 || got[0].Runs != 3200 || got[0].Text != "Not run" ||
		!strings.HasPrefix(got[0].Where, "every method on s01, ") || !strings.HasSuffix(got[0].Where, ", s20 (splits 1-20)") {
		t.Errorf("reasons %+v", got)
	}
	page := render(t, build(t, in), "html", reports.RenderOptions{})
	if n := strings.Count(page, `<td class="wrap">`); n != 1 {
		t.Errorf("the page has %d rows of what is missing, want 1", n)
	}

	// Each cell fails on another split, with two reasons, and is run no further.
	for i, d := range in.Datasets {
		for j, m := range in.Methods {
			r := reports.Run{Dataset: d.Name, Method: m, Split: 1 + (i+3*j)%20, Status: "failed", Error: "singular matrix"}
			if j == 0 {
				r.Status, r.Error = "timeout", "no result within 1s"
			}
			in.Runs = append(in.Runs, r)
		}
	}
	table := build(t, in)
	var got []string
	for _, r := range table.Reasons() {
		got = append(got, fmt.Sprintf("%s: %d", r.Text, r.Runs))
	}
	if want := []string{"Timeout (no result within 1s): 20", "Failed (singular matrix): 140", "Not run: 3040"}; !slices.Equal(got, want) {
		t.Errorf("reasons %q, want %q", got, want)
	}
	want := "Failed (singular matrix): 140 splits in 140 cells, of M2, M3, M4, M5, M6, M7, M8 on s01, s02, "
	if !slices.ContainsFunc(table.Notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
		t.Errorf("notes %q lack %q", table.Notes, want)
	}
}

// Cells that nothing can fill are told apart from those that were not run, and a
// set of which nothing can be run is not left to a command.
func TestImpossibleCells(t *testing.T) {
	in := missing()
	for _, m := range in.Methods[:2] {
		in.Impossible = append(in.Impossible, reports.Impossible{Dataset: "s03", Method: m, Why: "the method does not solve multiclass sets"})
	}
	notes := build(t, in).Notes
	if want := "Cannot be run (the method does not solve multiclass sets): M1, M2 on s03 (splits 1-20)."; !slices.Contains(notes, want) {
		t.Errorf("notes %q lack %q", notes, want)
	}
}

// A reason may be as long as a method makes it; the table cuts it and says so.
func TestLongReasonsAreCut(t *testing.T) {
	in := missing()
	in.Runs = []reports.Run{{Dataset: "s01", Method: "M1", Split: 1, Status: "failed", Error: strings.Repeat("é", 100_000)}}
	table := build(t, in)
	for _, format := range []string{"text", "md", "latex", "html", "csv"} {
		out := render(t, table, format, reports.RenderOptions{})
		if !strings.Contains(out, "of 100000 characters") || len(out) > 60_000 {
			t.Errorf("%s has %d bytes and should name the length of the reason", format, len(out))
		}
	}
}
