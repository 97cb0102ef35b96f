package frame_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// missing is a table of eight methods on twenty sets, and one more with the only run.
func missing() sample.Input {
	in := sample.Input{Known: map[string]sample.Set{}}
	var methods []string
	for i := range 8 {
		methods = append(methods, fmt.Sprintf("M%d", i+1))
	}
	in.Protocol.Splits, in.Run.Splits = 20, 20
	in.Protocol.Order = func([]string) []string { return methods }
	for i := range 20 {
		name := fmt.Sprintf("s%02d", i+1)
		in.Protocol.Datasets = append(in.Protocol.Datasets, name)
		in.Known[name] = sample.Set{}
		for _, m := range methods { // a failure is a run, so that the set is not left to the command
			in.Rows = append(in.Rows, sample.Failed(name, m, 20, store.Failed, "singular matrix"))
		}
	}
	return in
}

// However many cells lack something, the table says so in one line a reason.
func TestOneLineAReason(t *testing.T) {
	in := missing()
	ft := table(t, in)
	if got := ft.Reasons(); len(got) != 2 || got[1].Runs != 3040 || got[1].Text != "Not run" ||
		!strings.HasPrefix(got[1].Where, "every method on s01, ") || !strings.HasSuffix(got[1].Where, ", s20 (splits 1-19)") {
		t.Errorf("reasons %+v", got)
	}

	// Each cell fails on another split, with two reasons, and is run no further.
	in.Rows = nil
	for i, d := range in.Protocol.Datasets {
		for j, m := range in.Protocol.Order(nil) {
			r := sample.Failed(d, m, 1+(i+3*j)%20, store.Failed, "singular matrix")
			if j == 0 {
				r.Status, r.Error = store.Timeout, "no result within 1s"
			}
			in.Rows = append(in.Rows, r)
		}
	}
	ft = table(t, in)
	var got []string
	for _, r := range ft.Reasons() {
		got = append(got, fmt.Sprintf("%s: %d", r.Text, r.Runs))
	}
	if want := []string{"Timeout (no result within 1s): 20", "Failed (singular matrix): 140", "Not run: 3040"}; !slices.Equal(got, want) {
		t.Errorf("reasons %q, want %q", got, want)
	}
	want := "Failed (singular matrix): 140 splits in 140 cells, of M2, M3, M4, M5, M6, M7, M8 on s01, s02, "
	if !slices.ContainsFunc(ft.Notes(), func(n string) bool { return strings.HasPrefix(n, want) }) {
		t.Errorf("notes %q lack %q", ft.Notes(), want)
	}
}

// Cells that nothing can fill are told apart from those that were not run, and a set of which
// nothing can be run is not left to a command.
func TestImpossibleCells(t *testing.T) {
	in := missing()
	in.Tasks = map[string]registry.Task{"M1": registry.Binary, "M2": registry.Binary}
	set := in.Known["s03"]
	set.Entry.Task = registry.Multiclass
	in.Known["s03"] = set
	in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool { return r.Dataset == "s03" })
	ft := table(t, in)
	if want := "Cannot be run (the method does not solve multiclass sets): M1, M2 on s03 (splits 1-20)."; !slices.Contains(ft.Notes(), want) {
		t.Errorf("notes %q lack %q", ft.Notes(), want)
	}
	if !slices.Equal(ft.LeftOut, []string{"s03"}) {
		t.Errorf("left to the command: %v, want s03, which other methods solve", ft.LeftOut)
	}
	for _, m := range in.Protocol.Order(nil) {
		in.Tasks[m] = registry.Binary
	}
	if ft = table(t, in); ft.LeftOut != nil || strings.Contains(ft.FullCommand, "s03") {
		t.Errorf("s03 is left to %q, and no method solves it", ft.FullCommand)
	}
}

// A run is finished for one metric and not for another that was not stored of it; no command asks
// for it again.
func TestAMetricThatIsNotStored(t *testing.T) {
	in := lacking()
	only(&in, "sonar", "C")
	for i := range in.Rows {
		if in.Rows[i].Split > 3 {
			in.Rows[i].Score = store.Score{N: 2} // as if an older release had stored it
		}
	}
	ft := table(t, in)
	if want := "No accuracy is stored: C on sonar (splits 4-5)."; !slices.Contains(ft.Notes(), want) || ft.FullCommand != "" {
		t.Errorf("notes %q lack %q; command %q", ft.Notes(), want, ft.FullCommand)
	}
}

// A reason may be as long as a method makes it; the table cuts it and says so.
func TestLongReasonsAreCut(t *testing.T) {
	in := missing()
	in.Rows = append(in.Rows, sample.Failed("s01", "M1", 1, store.Failed, strings.Repeat("é", 100_000)))
	ft := table(t, in)
	notes := strings.Join(ft.Notes(), "\n")
	if !strings.Contains(notes, "of 100000 characters") || len(notes) > 10_000 {
		t.Errorf("the notes have %d bytes and should name the length of the reason", len(notes))
	}
}

// TestLeftOutByARun: what a run left out is told with what it would need, and the command that completes the table
// leaves it out too.
func TestLeftOutByARun(t *testing.T) {
	in := lacking()
	only(&in, "wine", "B")
	in.Left = []store.LeftOut{
		{Protocol: "table2", Dataset: "wine", Method: "B", Split: 2, Seconds: 370 * 3600, Bytes: 1 << 30, Limited: "--max-cell 30m"},
		{Protocol: "table2", Dataset: "wine", Method: "B", Split: 3, Seconds: 370 * 3600, Bytes: 1 << 30, Limited: "--max-cell 30m"},
		{Protocol: "table2", Dataset: "wine", Method: "B", Split: 1, Seconds: 1, Bytes: 1, Limited: "--max-cell 1s"}, // stored since
	}
	got := table(t, in)
	want := []frame.Reason{{Text: "Left out of the run by --max-cell 30m, predicted 370h a cell; a larger --max-cell runs it", Runs: 2, Where: "B on wine (splits 2-3)"}}
	if reasons := got.Reasons(); !slices.Equal(reasons, want) || got.FullCommand != "" {
		t.Errorf("reasons %+v, command %q; want %+v and none", reasons, got.FullCommand, want)
	}
	if text := got.Gaps[0].Describe(); !strings.Contains(text, "--max-cell 30m") {
		t.Errorf("the gap is described as %q", text)
	}
	in.Left[1].Limited, in.Left[1].Bytes = "--memory 18 GiB", 45<<30
	got = table(t, in)
	if reasons := got.Reasons(); len(reasons) != 2 || !strings.Contains(reasons[1].Text, "by --memory 18 GiB, predicted 45 GiB a cell") {
		t.Errorf("reasons %+v", reasons)
	}
	in.Left = in.Left[:1]
	if got = table(t, in); got.FullCommand != "bench run --methods B --datasets wine --splits 3-3" {
		t.Errorf("the command is %q", got.FullCommand)
	}
}
